//! Plaintext spaces of integers modulo t.

mod binomial;
mod integer;
mod space;

pub use binomial::Binomial;
pub use integer::{
    Encoding, JsonInteger, MAX_PLAINTEXT_BITS, PlainPoly, PlaintextError, PlaintextSpace, batching_primes,
    is_prime_integer, nearest_batching_primes, next_batching_prime,
};
pub use space::{NegatedInverse, Plain, Space};
