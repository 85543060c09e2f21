//! The plaintext space Z_t\[X\]/(X^N + 1), for a modulus t of any size: what BGV and BFV encrypt.

mod error;
mod factors;
mod json;
mod primes;
mod slots;
mod space;

pub use error::{MAX_PLAINTEXT_BITS, PlaintextError};
pub use json::JsonInteger;
pub use primes::{batching_primes, is_prime_integer, nearest_batching_primes, next_batching_prime};
pub use space::{Encoding, PlainPoly, PlaintextSpace};
