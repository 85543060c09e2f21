//! Arithmetic on real numbers, whose functions are approximated (CKKS).

mod arithmetic;
mod by_steps;
mod differences;
mod errors;
mod fit;
mod fitted;
mod function;
mod gaps;
mod interpolate;
mod polynomial;
mod sign;
mod slopes;
mod state;
mod steps;
mod target;
mod whole_table;

pub(crate) use fit::fit_bits;
pub(crate) use fitted::Fitted;
pub(crate) use gaps::gaps;
pub(in crate::compile) use state::Real;
