//! The back-ends of BGV and BFV.

use asanoha_compile::{Circuit, Prepared};
use asanoha_kernels::Backend as Kernels;
use asanoha_lang::{Analysed, Range};
use asanoha_lattice::SecretKey;
use asanoha_numeric::precision::Precision;
use num_bigint::BigUint;

use crate::backend::{Request, Scheduled};
use crate::backend_error::BackendError;
use crate::column::InputColumn;
use crate::done::Done;
use crate::error::GenerateError;
use crate::exact::open::open;
use crate::exact::search::{ExactSearch, schedule_exact_at};
use crate::hints::{ScheduleHints, SearchResult};
use crate::literal::ParamsLiteral;
use crate::opened::Opened;
use crate::scheme_name::SchemeName;
use crate::shared::Shared;
use crate::slots::numbers::PlannedExact;
use crate::slots::slots_scheme::{AllCiphertexts, SlotsScheme};

impl<S: PlannedExact> SlotsScheme for S {
    const IS_EXACT: bool = true;
    const SEARCH: SchemeName = SchemeName::Bgv;

    fn written(&self) -> ParamsLiteral {
        self.to_literal()
    }

    fn read(literal: &ParamsLiteral, kernels: Kernels) -> Result<Self, String> {
        S::from_literal(literal, kernels)
    }

    fn modulus_of_plaintexts(&self) -> Option<&BigUint> {
        Some(self.plaintext_modulus())
    }

    fn search(request: &Request<'_>, shared: &mut Shared) -> Result<SearchResult<Self>, GenerateError> {
        ExactSearch::new(request, shared.get()).generate()
    }

    fn schedule(
        &self,
        analysed: &Analysed<'_>,
        _: Precision,
        hints: &ScheduleHints,
        prepared: &Prepared,
    ) -> Result<Circuit, GenerateError> {
        schedule_exact_at(analysed, self, hints, prepared)
    }

    fn open(
        &self,
        of: Scheduled<'_>,
        ranges: &[&Range],
        secret: &SecretKey,
        values: &AllCiphertexts<Self>,
        done: Done<'_>,
    ) -> Result<Opened, BackendError> {
        open(self, of, ranges, secret, values, done)
    }

    fn measure(
        &self,
        _: Scheduled<'_>,
        secret: &SecretKey,
        values: &AllCiphertexts<Self>,
        _: &[InputColumn<'_>],
    ) -> Result<f64, BackendError> {
        let measured = values.iter().flatten().map(|ciphertext| S::measured(secret, ciphertext));
        Ok(measured.fold(f64::NEG_INFINITY, f64::max))
    }
}
