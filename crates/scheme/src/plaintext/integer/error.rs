//! What can be wrong with a plaintext modulus or a plaintext's values.

use num_bigint::{BigInt, BigUint};
use thiserror::Error;

use super::nearest_batching_primes;

/// The widest plaintext modulus, in bits.
pub const MAX_PLAINTEXT_BITS: u64 = 4096;

/// Why a plaintext space or a plaintext can't be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlaintextError {
    /// A modulus of 0 or 1.
    #[error("plaintext modulus {0} holds no values: it must be 2 or more")]
    Modulus(BigUint),
    /// A modulus that is too wide.
    #[error("a plaintext modulus of {bits} bits is too wide: {MAX_PLAINTEXT_BITS} bits are the most")]
    TooWide {
        /// Its width.
        bits: u64,
    },
    /// Factors that aren't distinct primes or whose product isn't the modulus.
    #[error(
        "the factors {factors:?} aren't distinct primes whose product is the plaintext modulus {modulus}"
    )]
    Factors {
        /// The modulus.
        modulus: BigUint,
        /// The factors given.
        factors: Vec<BigUint>,
    },
    /// Slots asked of a modulus that isn't a product of distinct primes, or not known to be.
    #[error(
        "plaintext modulus {modulus} has no slots: it isn't a prime, or a product of distinct primes whose factors are given; primes with {ring_degree} slots next to it: {}; or take the encoding of coefficients",
        list(below.as_ref(), above.as_ref())
    )]
    NotBatching {
        /// The modulus.
        modulus: BigUint,
        /// The ring degree N.
        ring_degree: usize,
        /// The largest prime below with N slots.
        below: Option<BigUint>,
        /// The smallest prime above with N slots.
        above: Option<BigUint>,
    },
    /// A value outside of the modulus' range.
    #[error(
        "value {value} at position {index} is outside of {smallest} to {largest}, the range of the plaintext modulus: ask for a larger plaintext_modulus"
    )]
    ValueOutOfRange {
        /// Where it stands.
        index: usize,
        /// The value.
        value: BigInt,
        /// The smallest value that fits.
        smallest: BigInt,
        /// The largest value that fits.
        largest: BigInt,
    },
    /// More values than a plaintext has.
    #[error("{found} values don't fit a plaintext of {values}: cut them into several vectors")]
    TooManyValues {
        /// How many were given.
        found: usize,
        /// How many a plaintext has.
        values: usize,
    },
}

impl PlaintextError {
    pub(super) fn not_batching(modulus: &BigUint, ring_degree: usize) -> Self {
        let (below, above) = nearest_batching_primes(modulus, ring_degree);
        Self::NotBatching { modulus: modulus.clone(), ring_degree, below, above }
    }
}

fn list(below: Option<&BigUint>, above: Option<&BigUint>) -> String {
    let names: Vec<String> = below.into_iter().chain(above).map(ToString::to_string).collect();
    names.join(" and ")
}
