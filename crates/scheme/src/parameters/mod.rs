//! The choice of parameters.

mod builder;
pub mod candidates;
mod digits;
mod primes;

pub use builder::{
    ParameterRequirements, ParametersBuilder, ParametersError, Parametrised, narrowest_prime_bits, segment,
    segment_of, squarings_suffice,
};
pub use digits::{SwitchLevels, choose_digits, with_digits};
pub use primes::{FAST_PRIME_BITS, NoPrimes, Primes, log2_product};
