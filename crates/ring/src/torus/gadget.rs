//! Digits of torus words, and sums of products of digits with key polynomials.

use asanoha_kernels::{Backend, Kernels, Modulus};
use bytemuck::{cast_slice, cast_slice_mut};
use thiserror::Error;

use super::{FourierPolys, TorusPolys, TorusRing};
use crate::Words;

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

/// A sum of products of digits of torus polynomials with rows of key polynomials, in the Fourier domain, with its scratch
/// memory. It's used again after each [`GadgetSum::add_to`].
#[derive(Debug)]
pub struct GadgetSum {
    ring: TorusRing,
    gadget: TorusGadget,
    digits: Words,
    spectrum: Words,
    sums: Words,
}

impl GadgetSum {
    /// A sum of rows of `outputs` polynomials.
    pub fn new(ring: &TorusRing, gadget: TorusGadget, outputs: usize) -> Self {
        let n = ring.ring_degree();
        Self {
            ring: ring.clone(),
            gadget,
            digits: Words::zero(n * gadget.levels()),
            spectrum: Words::zero(n),
            sums: Words::zero(n * outputs),
        }
    }

    /// sumₒ ← sumₒ + Σ digit_level(input)·key_(start + level·outputs + o), over all levels.
    ///
    /// # Panics
    /// Unless the input has N words, and the key as many polynomials.
    pub fn add(&mut self, input: &[u64], key: &FourierPolys, start: usize) {
        let n = self.ring.ring_degree();
        let outputs = self.sums.len() / n;
        let (kernels, table) = (self.ring.kernels(), self.ring.table());
        self.gadget.decompose(cast_slice_mut(&mut self.digits), input);
        for (level, digits) in self.digits.chunks_exact(n).enumerate() {
            (kernels.fft_forward)(cast_slice_mut(&mut self.spectrum), cast_slice(digits), table);
            let row = key.range(start + level * outputs, outputs);
            for (sum, key) in self.sums.chunks_exact_mut(n).zip(row.chunks_exact(n)) {
                (kernels.fft_mul_add)(cast_slice_mut(sum), cast_slice(&self.spectrum), key);
            }
        }
    }

    /// out ← out + the sum, rounded to words; the sum is zero again.
    ///
    /// # Panics
    /// Unless `out` has as many polynomials as a row.
    pub fn add_to(&mut self, out: &mut TorusPolys) {
        assert_eq!(out.words().len(), self.sums.len());
        let (kernels, table) = (self.ring.kernels(), self.ring.table());
        for (out, sum) in out.iter_mut().zip(self.sums.chunks_exact_mut(self.ring.ring_degree())) {
            (kernels.fft_inverse)(cast_slice_mut(&mut self.spectrum), cast_slice_mut(sum), table);
            (kernels.fft_round_add)(out, cast_slice(&self.spectrum));
            sum.fill(0);
        }
    }
}
