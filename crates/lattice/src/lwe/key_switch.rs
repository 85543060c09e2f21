//! Key switching of LWE ciphertexts: from one secret to another, mostly of a smaller dimension. Keys have words of 32 bits:
//! the secret that is switched to has large errors, beside which rounding to them is nothing.

use asanoha_kernels::{Backend, Kernels, Modulus};
use asanoha_ring::{ExternalProductError, Sampler, Seed, TorusGadget, Words, uniform_words_32};
use bytemuck::{cast_slice, cast_slice_mut};
use rayon::prelude::*;

use super::{LweCiphertext, LweSecretKey};

/// What a key-switching key is made of.
#[derive(Clone, Copy)]
pub struct LweSwitchShape {
    /// The dimension that's switched to.
    pub(super) dimension: usize,
    pub(super) gadget: TorusGadget,
    kernels: &'static Kernels,
}

impl std::fmt::Debug for LweSwitchShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LweSwitchShape({}, {:?})", self.dimension, self.gadget)
    }
}

/// Words of a cache line: rows are padded to whole ones.
const LINE: usize = 16;

/// Rows that are read together for all ciphertexts: they stay in the cache.
pub(super) const BLOCK: usize = 64;

impl LweSwitchShape {
    /// Keys that switch to a dimension, by the gadget's digits.
    ///
    /// # Errors
    /// If these have more than 32 bits together.
    pub fn new(
        dimension: usize,
        gadget: TorusGadget,
        backend: Backend,
    ) -> Result<Self, ExternalProductError> {
        let (digit_bits, levels) = (gadget.digit_bits(), gadget.levels() as u32);
        if digit_bits * levels > u32::BITS {
            return Err(ExternalProductError::Digits { digit_bits, levels });
        }
        Ok(Self { dimension, gadget, kernels: backend.kernels(Modulus::MAX_BITS) })
    }

    /// Words of a row of a key in memory: mask, body, padding.
    pub(super) fn width(&self) -> usize {
        (self.dimension + 1).next_multiple_of(LINE)
    }

    /// Writes row `number` of a seeded key.
    pub(super) fn write_row(&self, row: &mut [u32], seed: &Seed, number: usize, body: u32) {
        uniform_words_32(seed, number as u64, &mut row[..self.dimension]);
        row[self.dimension] = body;
    }

    /// The digits of a ciphertext's mask in the order of a key's rows.
    pub(super) fn digits(&self, ciphertext: &LweCiphertext, source_dimension: usize) -> Vec<i32> {
        let (mask, _) = ciphertext.parts();
        assert_eq!(mask.len(), source_dimension);
        let levels = self.gadget.levels();
        let mut by_level = vec![0; mask.len() * levels];
        self.gadget.decompose(&mut by_level, mask);
        (0..by_level.len()).map(|row| by_level[row % levels * mask.len() + row / levels] as i32).collect()
    }

    /// sum ← sum − Σ digitᵢ·rowᵢ.
    pub(super) fn subtract(&self, sum: &mut [u32], rows: &[u32], digits: &[i32]) {
        (self.kernels.sub_multiples)(sum, rows, digits);
    }

    /// The ciphertext of the sum of the digits' rows and of a body.
    pub(super) fn ciphertext(&self, sum: &[u32], body: u64) -> LweCiphertext {
        let mut out = LweCiphertext::trivial(self.dimension, 0);
        out.words_mut().iter_mut().zip(sum).for_each(|(word, &short)| *word = u64::from(short) << 32);
        out.add_constant_assign(body);
        out
    }
}

/// A key-switching key as it's stored: the bodies of its ciphertexts, and the seed that the masks are expanded from.
///
/// Ciphertext i·levels + j encrypts sᵢ·weightⱼ under the key that is switched to, where s is the key that is switched
/// from, modulo 2^32. Its mask is the stream of that number.
#[derive(Clone, Debug)]
pub struct SeededLweSwitchKey {
    pub(super) shape: LweSwitchShape,
    pub(super) seed: Seed,
    pub(super) bodies: Vec<u32>,
}

/// A key-switching key with its masks.
#[derive(Clone, Debug)]
pub struct LweSwitchKey {
    shape: LweSwitchShape,
    /// Whole ciphertexts in words of 32 bits, one behind another, each padded to [`LweSwitchShape::width`].
    rows: Words,
    count: usize,
}

impl SeededLweSwitchKey {
    /// A key that switches from one secret to another. The error is Gaussian of the given standard deviation, in parts
    /// of the torus.
    ///
    /// # Panics
    /// Unless the secret that is switched to has the shape's dimension, and the standard deviation is in [0, 2^−12].
    pub fn generate(
        from: &LweSecretKey,
        to: &LweSecretKey,
        shape: LweSwitchShape,
        standard_deviation: f64,
        sampler: &mut Sampler,
    ) -> Self {
        assert_eq!(to.dimension(), shape.dimension);
        let mut sampler = sampler.branch("LWE switch key", &[]);
        let (seed, levels) = (sampler.seed(), shape.gadget.levels());
        let mut row = vec![0; shape.dimension + 1];
        let bodies = (0..from.dimension() * levels)
            .map(|number| {
                shape.write_row(&mut row, &seed, number, 0);
                let message =
                    from.bits()[number / levels].wrapping_neg() & shape.gadget.weight(number % levels);
                to.body_32(&row[..shape.dimension], (message >> 32) as u32, standard_deviation, &mut sampler)
            })
            .collect();
        Self { shape, seed, bodies }
    }

    /// The dimension of the ciphertexts that are switched.
    pub fn source_dimension(&self) -> usize {
        self.bodies.len() / self.shape.gadget.levels()
    }

    /// The key with its masks.
    pub fn expand(&self) -> LweSwitchKey {
        let width = self.shape.width();
        let mut rows = Words::zero((self.bodies.len() * width).div_ceil(2));
        let short: &mut [u32] = cast_slice_mut(&mut rows);
        for (number, (row, &body)) in short.chunks_exact_mut(width).zip(&self.bodies).enumerate() {
            self.shape.write_row(row, &self.seed, number, body);
        }
        LweSwitchKey { shape: self.shape, rows, count: self.bodies.len() }
    }

    /// The key of these bodies, which come from a file: one for each bit of the secret that is switched from and each level.
    ///
    /// # Panics
    /// If there aren't as many for each bit.
    pub fn from_parts(shape: LweSwitchShape, seed: Seed, bodies: Vec<u32>) -> Self {
        assert_eq!(bodies.len() % shape.gadget.levels(), 0);
        Self { shape, seed, bodies }
    }

    /// The seed of the masks, which is public.
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// The bodies: one for each bit of the secret that is switched from and each level.
    pub fn bodies(&self) -> &[u32] {
        &self.bodies
    }

    /// [`LweSwitchKey::switch`] of each ciphertext, word for word, without that key: a row is expanded once for all of
    /// them, and no more than a few rows stand in memory for each thread.
    ///
    /// # Panics
    /// If a ciphertext has another dimension than the secret that is switched from.
    pub fn switch_many(&self, ciphertexts: &[&LweCiphertext]) -> Vec<LweCiphertext> {
        let (shape, width) = (&self.shape, self.shape.width());
        let digits: Vec<_> =
            ciphertexts.iter().map(|ciphertext| shape.digits(ciphertext, self.source_dimension())).collect();
        let zeros = || vec![0u32; ciphertexts.len() * width];
        let part = self.bodies.len().div_ceil(rayon::current_num_threads()).next_multiple_of(BLOCK);
        let sums = self.bodies.par_chunks(part).enumerate().map(|(chunk, bodies)| {
            let (mut sums, mut rows) = (zeros(), vec![0; BLOCK * width]);
            for (block, bodies) in bodies.chunks(BLOCK).enumerate() {
                let first = chunk * part + block * BLOCK;
                for (i, (row, &body)) in rows.chunks_exact_mut(width).zip(bodies).enumerate() {
                    shape.write_row(row, &self.seed, first + i, body);
                }
                for (sum, digits) in sums.chunks_exact_mut(width).zip(&digits) {
                    shape.subtract(sum, &rows[..bodies.len() * width], &digits[first..][..bodies.len()]);
                }
            }
            sums
        });
        let sums = sums.reduce(zeros, |mut sums, others| {
            sums.iter_mut().zip(others).for_each(|(sum, other)| *sum = sum.wrapping_add(other));
            sums
        });
        let bodies = ciphertexts.iter().map(|ciphertext| ciphertext.parts().1);
        sums.chunks_exact(width).zip(bodies).map(|(sum, body)| shape.ciphertext(sum, body)).collect()
    }
}

impl LweSwitchKey {
    /// The dimension of the ciphertexts that are switched.
    pub fn source_dimension(&self) -> usize {
        self.count / self.shape.gadget.levels()
    }

    /// The same message under the key that is switched to: (0, b) − Σ digitᵢⱼ·rowᵢⱼ over the digits of the mask.
    ///
    /// Its noise has grown by Σ digitᵢⱼ·eᵢⱼ, and by the roundings of the mask's words where their bits of the secret
    /// are 1: a variance of n·levels·(B² + 2)/12·σ² + n/(24·B^(2·levels)) for digits of base B and the dimension n that
    /// is switched from.
    ///
    /// # Panics
    /// If the ciphertext has another dimension.
    pub fn switch(&self, ciphertext: &LweCiphertext) -> LweCiphertext {
        self.switch_many(&[ciphertext]).pop().expect("there's one for each")
    }

    /// [`LweSwitchKey::switch`] of each. The key is read once for all of them.
    ///
    /// # Panics
    /// As for [`LweSwitchKey::switch`].
    pub fn switch_many(&self, ciphertexts: &[&LweCiphertext]) -> Vec<LweCiphertext> {
        let (shape, width) = (&self.shape, self.shape.width());
        let digits: Vec<_> =
            ciphertexts.iter().map(|ciphertext| shape.digits(ciphertext, self.source_dimension())).collect();
        let mut sums = Words::zero((ciphertexts.len() * width).div_ceil(2));
        let sums: &mut [u32] = cast_slice_mut(&mut sums);
        let rows: &[u32] = cast_slice(&self.rows);
        for (block, rows) in rows[..self.count * width].chunks(BLOCK * width).enumerate() {
            for (sum, digits) in sums.chunks_exact_mut(width).zip(&digits) {
                shape.subtract(sum, rows, &digits[block * BLOCK..][..rows.len() / width]);
            }
        }
        let bodies = ciphertexts.iter().map(|ciphertext| ciphertext.parts().1);
        sums.chunks_exact(width).zip(bodies).map(|(sum, body)| shape.ciphertext(sum, body)).collect()
    }
}
