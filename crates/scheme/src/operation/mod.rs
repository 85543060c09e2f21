//! The operations, one file for each group. Each operation computes its result's state first, then the polynomials.

mod aligned;
mod constant;
mod form;
mod level;
mod many;
mod masked;
mod multiples;
mod multiply;
mod plain;
mod raise;
mod reencrypt;
mod rescale;
mod rotate;
mod sum;
mod trace;
mod transform;

pub use masked::MaskedRotation;
pub use raise::Coefficients;
