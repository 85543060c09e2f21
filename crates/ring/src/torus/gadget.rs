//! Digits of torus words.

use asanoha_kernels::{Backend, Kernels, Modulus};
use thiserror::Error;

/// How torus words are cut into signed digits of the base 2^b: the `levels` most significant ones, rounded.
#[derive(Clone, Copy)]
pub struct TorusGadget {
    digit_bits: u32,
    levels: u32,
    kernels: &'static Kernels,
}

impl std::fmt::Debug for TorusGadget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "2^{} x {}", self.digit_bits, self.levels)
    }
}

/// Digits that a word doesn't have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{levels} digits of {digit_bits} bits must have 1 to 64 bits together")]
pub struct GadgetError {
    /// Bits of a digit.
    pub digit_bits: u32,
    /// The number of digits.
    pub levels: u32,
}

impl TorusGadget {
    /// `levels` digits of `digit_bits` bits.
    pub fn new(digit_bits: u32, levels: u32, backend: Backend) -> Result<Self, GadgetError> {
        match digit_bits.checked_mul(levels) {
            Some(1..=64) => Ok(Self { digit_bits, levels, kernels: backend.kernels(Modulus::MAX_BITS) }),
            _ => Err(GadgetError { digit_bits, levels }),
        }
    }

    /// Bits of a digit.
    pub fn digit_bits(&self) -> u32 {
        self.digit_bits
    }

    /// The number of digits.
    pub fn levels(&self) -> usize {
        self.levels as usize
    }

    /// The weight 2^(64 − (level + 1)·b) of the digits of a level; level 0 is the most significant one.
    ///
    /// # Panics
    /// Unless there is such a level.
    pub fn weight(&self, level: usize) -> u64 {
        assert!(level < self.levels());
        1 << (u64::BITS - (level as u32 + 1) * self.digit_bits)
    }

    /// Writes the digits of all words: those of level 0, then those of level 1. They're from −2^(b−1) to 2^(b−1) − 1.
    ///
    /// # Panics
    /// Unless `out` has a word for each digit.
    pub fn decompose(&self, out: &mut [i64], input: &[u64]) {
        (self.kernels.decompose)(out, input, self.digit_bits, self.levels);
    }
}
