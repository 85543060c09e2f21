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

pub use fit::fit_bits;
pub use fitted::Fitted;
pub use gaps::{Gap, gaps};
pub(crate) use state::Real;
