//! Inputs for the tests of the kernels.

use asanoha_kernels::{Modulus, is_prime, primes_congruent_to_one};
use proptest::prelude::*;

/// What a slice is filled with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Contents {
    Random,
    Zero,
    /// The largest word everywhere.
    Largest,
    /// The largest word and zero by turns.
    Alternating,
    /// Random choices among the extremes, so that every sum and difference of extremes occurs.
    Extremes,
}

impl Contents {
    pub(crate) const ALL: [Self; 5] =
        [Self::Random, Self::Zero, Self::Largest, Self::Alternating, Self::Extremes];
}

pub(crate) fn contents() -> impl Strategy<Value = Contents> {
    prop::sample::select(&Contents::ALL)
}

/// A slice of words below `bound`.
pub(crate) fn words_below(bound: u64, length: usize, kind: Contents, seed: u64) -> Vec<u64> {
    let mut state = seed;
    (0..length)
        .map(|i| {
            // SplitMix64.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^= z >> 31;
            match kind {
                Contents::Random => z % bound,
                Contents::Zero => 0,
                Contents::Largest => bound - 1,
                Contents::Alternating => (bound - 1) * (i as u64 % 2),
                Contents::Extremes => (bound - 1) * (z % 2),
            }
        })
        .collect()
}

/// The largest prime of `bits` bits that is 1 modulo 2N.
pub(crate) fn largest_prime(bits: u32, degree: usize) -> Modulus {
    Modulus::new(primes_congruent_to_one(bits, 2 * degree as u64, 1, &[]).unwrap()[0]).unwrap()
}

/// The smallest prime of `bits` bits that is 1 modulo 2N.
pub(crate) fn smallest_prime(bits: u32, degree: usize) -> Modulus {
    let step = 2 * degree as u64;
    let first = (1u64 << (bits - 1)) / step * step + 1;
    let mut candidates = (first..1 << bits).step_by(step as usize);
    let prime = candidates.find(|&p| p >> (bits - 1) == 1 && is_prime(p)).unwrap();
    Modulus::new(prime).unwrap()
}
