//! Arithmetic on whole numbers, whose functions are polynomials modulo the plaintext modulus (BGV, BFV).

mod digits;
mod few_divisors;
mod function;
mod long_division;
mod state;
mod tables;
mod target;
mod views;

pub(crate) use function::is_folded;
pub(crate) use state::Exact;
