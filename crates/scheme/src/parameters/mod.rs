//! The choice of parameters.

mod builder;
pub mod candidates;
mod digits;
mod primes;

use thiserror::Error;

pub use builder::{
    ParameterWishes, ParametersBuilder, ParametersError, Parametrised, segment, squarings_suffice,
};
pub use digits::{SwitchLevels, choose_digits, log2_product, with_digits};
pub use primes::{FAST_PRIME_BITS, Primes};

/// Too few primes of a size.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("too few primes near 2^{log2:.1} for ring degree {ring_degree}")]
pub struct NoPrimes {
    /// The size asked for.
    pub log2: f64,
    /// The ring degree.
    pub ring_degree: usize,
}
