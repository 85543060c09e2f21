//! The back-ends.

use asanoha_bfv::Bfv;
use asanoha_bgv::Bgv;
use asanoha_ckks::Ckks;
use asanoha_kernels::Backend as Kernels;

use crate::backend::{Backend, SchemeParams};
use crate::literal::ParamsLiteral;
use crate::slots::backend::SlotsBackend;
use crate::tfhe::backend::TfheBackend;

/// Back-ends, in the order in which they're preferred: the exact ones first, and those that share a search one after another.
pub type Backends<'a> = &'a [&'static dyn Backend];

/// The back-ends of this crate.
pub static BACKENDS: [&dyn Backend; 4] =
    [&SlotsBackend::<Bgv>::NEW, &SlotsBackend::<Bfv>::NEW, &TfheBackend, &SlotsBackend::<Ckks>::NEW];

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
