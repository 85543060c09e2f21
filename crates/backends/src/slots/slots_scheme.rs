//! What schemes with slots do each in its own way.

use asanoha_compile::{Circuit, Prepared};
use asanoha_kernels::Backend as Kernels;
use asanoha_lang::{Analysed, Range};
use asanoha_lattice::{KeyLevels, SecretKey};
use asanoha_numeric::precision::Precision;
use asanoha_scheme::Ciphertext;
use num_bigint::BigUint;

use crate::backend::{Ordinal, Request, Scheduled};
use crate::backend_error::BackendError;
use crate::column::InputColumn;
use crate::done::Done;
use crate::error::GenerateError;
use crate::hints::{ScheduleHints, SearchResult};
use crate::literal::ParamsLiteral;
use crate::opened::{Opened, Published};
use crate::scheme_name::SchemeName;
use crate::shared::Shared;
use crate::slots::numbers::Planned;

/// The ciphertexts of every value.
pub(crate) type AllCiphertexts<S> = Vec<Vec<Ciphertext<S>>>;

/// What schemes with slots do each in its own way.
pub trait SlotsScheme: Planned {
    /// Whether results are exact.
    const IS_EXACT: bool;
    /// The scheme whose search has much in common with this one's.
    const SEARCH: SchemeName;

    /// The parameters as written down.
    fn written(&self) -> ParamsLiteral;

    /// Checks parameters.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    fn read(literal: &ParamsLiteral, kernels: Kernels) -> Result<Self, String>;

    /// The plaintext modulus of exact schemes.
    fn modulus_of_plaintexts(&self) -> Option<&BigUint> {
        None
    }

    /// log2 of the scale of approximate schemes.
    fn log2_of_scale(&self) -> Option<f64> {
        None
    }

    /// As [`Backend::search`](crate::Backend::search).
    ///
    /// # Errors
    /// Why there are no parameters.
    fn search(request: &Request<'_>, shared: &mut Shared) -> Result<SearchResult<Self>, GenerateError>;

    /// As [`Backend::schedule`](crate::Backend::schedule).
    ///
    /// # Errors
    /// What the parameters can't compute.
    fn schedule(
        &self,
        analysed: &Analysed<'_>,
        precision: Precision,
        hints: &ScheduleHints,
        prepared: &Prepared,
    ) -> Result<Circuit, GenerateError>;

    /// Adds the keys of bootstrapping.
    fn add_bootstrapping(&self, _of: Scheduled<'_>, _levels: &mut KeyLevels) {}

    /// As [`Backend::decrypt`](crate::Backend::decrypt).
    ///
    /// # Errors
    /// What doesn't decrypt, and [`BackendError::Stopped`].
    fn open(
        &self,
        of: Scheduled<'_>,
        ranges: &[&Range],
        secret: &SecretKey,
        values: &AllCiphertexts<Self>,
        done: Done<'_>,
    ) -> Result<Opened, BackendError>;

    /// As [`Backend::measure`](crate::Backend::measure).
    ///
    /// # Errors
    /// What doesn't decrypt.
    fn measure(
        &self,
        of: Scheduled<'_>,
        secret: &SecretKey,
        values: &AllCiphertexts<Self>,
        columns: &[InputColumn<'_>],
    ) -> Result<f64, BackendError>;

    /// As [`Backend::publish`](crate::Backend::publish).
    ///
    /// # Errors
    /// Those of [`SlotsScheme::open`] and of `ordinal`.
    fn publish(
        &self,
        _of: (Scheduled<'_>, &[Scheduled<'_>]),
        _secret: &SecretKey,
        _values: &AllCiphertexts<Self>,
        _statistical_bits: u32,
        _ordinal: Ordinal<'_>,
    ) -> Result<Published, BackendError> {
        Err(BackendError::OtherScheme)
    }

    /// As [`Backend::errors`](crate::Backend::errors).
    fn errors(&self, _of: Scheduled<'_>, _publish: Option<u32>) -> Option<Vec<f64>> {
        None
    }

    /// As [`Backend::gaps`](crate::Backend::gaps).
    fn gaps(analysed: &Analysed<'_>, _precision: Precision) -> Vec<Option<f64>> {
        vec![None; analysed.program().nodes().len()]
    }
}
