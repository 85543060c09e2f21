//! The back-ends.

use asanoha_bfv::Bfv;
use asanoha_bgv::Bgv;
use asanoha_ckks::Ckks;
use asanoha_kernels::Backend as Kernels;

use crate::backend::{Listed, SchemeParams};
use crate::literal::ParamsLiteral;
use crate::slots::backend::SlotsBackend;
use crate::tfhe::backend::TfheBackend;

/// Back-ends, in the order in which they're preferred: the exact ones first, and those that share a search one after another.
pub type Backends<'a> = &'a [Listed];

/// The back-ends of this crate.
pub static BACKENDS: [Listed; 4] = [
    Listed::whole(&SlotsBackend::<Bgv>::NEW),
    Listed::whole(&SlotsBackend::<Bfv>::NEW),
    Listed::whole(&TfheBackend),
    Listed::whole(&SlotsBackend::<Ckks>::NEW),
];

/// The same for programs that only have clients.
pub static CLIENT_BACKENDS: [Listed; 4] = [
    Listed::client(&SlotsBackend::<Bgv>::NEW),
    Listed::client(&SlotsBackend::<Bfv>::NEW),
    Listed::client(&TfheBackend),
    Listed::client(&SlotsBackend::<Ckks>::NEW),
];

/// Checks parameters of one of some back-ends, on which programs can run.
///
/// # Errors
/// What is wrong with them, in words.
pub fn check_params(
    backends: Backends<'_>,
    literal: &ParamsLiteral,
    kernels: Kernels,
) -> Result<SchemeParams, String> {
    let backend = backends.iter().find(|backend| backend.scheme().name() == literal.scheme());
    let backend = backend.ok_or_else(|| {
        let names: Vec<&str> = backends.iter().map(|backend| backend.scheme().name()).collect();
        format!(
            "its parameters are of the scheme `{}`, which is none of {}",
            literal.scheme(),
            names.join(", ")
        )
    })?;
    backend.check(literal, kernels)
}
