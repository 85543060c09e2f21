//! The operations, a file for each group: of each first what its result's state is, then what is done to the polynomials.

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
mod rescale;
mod rotate;
mod sum;
mod trace;
mod transform;

pub use masked::MaskedRotation;
pub use raise::Coefficients;
pub use transform::Transform;
