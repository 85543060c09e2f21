//! The back-end of CKKS.

use asanoha_ckks::{Ckks, CkksLiteral};
use asanoha_compile::{Circuit, Prepared, gaps};
use asanoha_kernels::Backend as Kernels;
use asanoha_lang::{Analysed, Range};
use asanoha_lattice::{KeyLevels, SecretKey};
use asanoha_numeric::precision::Precision;

use crate::backend::{Ordinal, Request, Scheduled};
use crate::backend_error::BackendError;
use crate::ckks::errors::published_errors;
use crate::ckks::numbers::bootstrapper;
use crate::ckks::open::{measure, open, publish};
use crate::ckks::search::{generate_ckks, schedule_ckks_at};
use crate::column::InputColumn;
use crate::done::Done;
use crate::error::GenerateError;
use crate::hints::{ScheduleHints, SearchResult};
use crate::literal::ParamsLiteral;
use crate::opened::{Opened, Published};
use crate::scheme_name::SchemeName;
use crate::shared::Shared;
use crate::slots::slots_scheme::{AllCiphertexts, SlotsScheme};

impl From<CkksLiteral> for ParamsLiteral {
    fn from(literal: CkksLiteral) -> Self {
        Self::new(SchemeName::Ckks, &literal)
    }
}

impl SlotsScheme for Ckks {
    const IS_EXACT: bool = false;
    const SEARCH: SchemeName = SchemeName::Ckks;

    fn written(&self) -> ParamsLiteral {
        ParamsLiteral::new(SchemeName::Ckks, self.literal())
    }

    fn read(literal: &ParamsLiteral, kernels: Kernels) -> Result<Self, String> {
        literal.read::<CkksLiteral>()?.check_kept(kernels).map_err(|error| error.to_string())
    }

    fn log2_of_scale(&self) -> Option<f64> {
        Some(self.literal().log2_scale)
    }

    fn search(request: &Request<'_>, _: &mut Shared) -> Result<SearchResult<Self>, GenerateError> {
        let &Request { analysed, precision, publish, security, kernels, progress, .. } = request;
        generate_ckks(analysed, (precision, publish), security, kernels, progress)
    }

    fn schedule(
        &self,
        analysed: &Analysed<'_>,
        precision: Precision,
        hints: &ScheduleHints,
        _: &Prepared,
    ) -> Result<Circuit, GenerateError> {
        schedule_ckks_at(analysed, precision, self, hints)
    }

    fn open(
        &self,
        of: Scheduled<'_>,
        _: &[&Range],
        secret: &SecretKey,
        values: &AllCiphertexts<Self>,
        done: Done<'_>,
    ) -> Result<Opened, BackendError> {
        open(self, of, secret, values, done)
    }

    fn measure(
        &self,
        of: Scheduled<'_>,
        secret: &SecretKey,
        values: &AllCiphertexts<Self>,
        columns: &[InputColumn<'_>],
    ) -> Result<f64, BackendError> {
        measure(self, of, secret, values, columns)
    }

    fn publish(
        &self,
        of: (Scheduled<'_>, &[Scheduled<'_>]),
        secret: &SecretKey,
        values: &AllCiphertexts<Self>,
        statistical_bits: u32,
        ordinal: Ordinal<'_>,
    ) -> Result<Published, BackendError> {
        publish(self, of, secret, values, statistical_bits, ordinal)
    }

    fn add_bootstrapping(&self, of: Scheduled<'_>, levels: &mut KeyLevels) {
        if of.circuit.bootstraps() {
            let bootstrapper = bootstrapper(self, of.layout()).expect("the schedule was made with it");
            levels.extend(asanoha_scheme::Scheme::rlwe(self), &bootstrapper.keys());
        }
    }

    fn errors(&self, of: Scheduled<'_>, publish: Option<u32>) -> Option<Vec<f64>> {
        Some(published_errors(of.circuit, self, of.layout(), publish))
    }

    fn gaps(analysed: &Analysed<'_>, precision: Precision) -> Vec<Option<f64>> {
        let gaps = gaps(analysed, precision).into_iter();
        gaps.map(|gap| gap.filter(|gap| !gap.is_certain).map(|gap| gap.apart)).collect()
    }
}
