//! Key switching of LWE ciphertexts: from one secret to another, mostly of a smaller dimension.

use asanoha_ring::{Sampler, Seed, TorusGadget, Words, uniform_words};

use super::{LweCiphertext, LweSecretKey};

/// A key-switching key as it's stored: the bodies of its ciphertexts, and the seed that the masks are expanded from.
///
/// Ciphertext i·levels + j encrypts sᵢ·weightⱼ under the key that is switched to, where s is the key that is switched
/// from. Its mask is the stream of that number.
#[derive(Clone, Debug)]
pub struct SeededLweSwitchKey {
    pub(super) seed: Seed,
    pub(super) bodies: Words,
    pub(super) dimension: usize,
    pub(super) gadget: TorusGadget,
}

/// A key-switching key with its masks.
#[derive(Clone, Debug)]
pub struct LweSwitchKey {
    /// Whole ciphertexts, one behind another.
    rows: Words,
    dimension: usize,
    gadget: TorusGadget,
}

impl SeededLweSwitchKey {
    /// A key that switches from one secret to another. The error is Gaussian of the given standard deviation, in parts
    /// of the torus.
    ///
    /// # Panics
    /// Unless the standard deviation is in [0, 2^−12].
    pub fn generate(
        from: &LweSecretKey,
        to: &LweSecretKey,
        gadget: TorusGadget,
        standard_deviation: f64,
        sampler: &mut Sampler,
    ) -> Self {
        let mut sampler = sampler.branch("LWE switch key", &[]);
        let seed = sampler.seed();
        let mut bodies = Words::zero(from.dimension() * gadget.levels());
        let mut mask = Words::zero(to.dimension());
        for (row, body) in bodies.iter_mut().enumerate() {
            uniform_words(&seed, row as u64, &mut mask);
            let (bit, level) = (row / gadget.levels(), row % gadget.levels());
            let message = from.bits()[bit].wrapping_neg() & gadget.weight(level);
            *body = to.body(&mask, message, standard_deviation, &mut sampler);
        }
        Self { seed, bodies, dimension: to.dimension(), gadget }
    }

    /// The key with its masks.
    pub fn expand(&self) -> LweSwitchKey {
        let width = self.dimension + 1;
        let mut rows = Words::zero(self.bodies.len() * width);
        for (number, (row, &body)) in rows.chunks_exact_mut(width).zip(&*self.bodies).enumerate() {
            uniform_words(&self.seed, number as u64, &mut row[..self.dimension]);
            row[self.dimension] = body;
        }
        LweSwitchKey { rows, dimension: self.dimension, gadget: self.gadget }
    }
}

impl LweSwitchKey {
    /// The dimension of the ciphertexts that are switched.
    pub fn source_dimension(&self) -> usize {
        self.rows.len() / (self.dimension + 1) / self.gadget.levels()
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
        let (mask, body) = ciphertext.parts();
        assert_eq!(mask.len(), self.source_dimension());
        let levels = self.gadget.levels();
        let mut digits = vec![0; mask.len() * levels];
        self.gadget.decompose(&mut digits, mask);
        let mut out = LweCiphertext::trivial(self.dimension, body);
        for (number, row) in self.rows.chunks_exact(self.dimension + 1).enumerate() {
            let (word, level) = (number / levels, number % levels);
            out.add_scaled_words(row, -digits[level * mask.len() + word]);
        }
        out
    }
}
