//! LWE secret keys: encryption and decryption.

use asanoha_ring::{Sampler, Seed, Words};

use super::LweCiphertext;

/// A uniform binary secret, one bit a word, in the memory of secrets. `Debug` doesn't show it.
pub struct LweSecretKey {
    bits: Words,
}

impl std::fmt::Debug for LweSecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LweSecretKey(..)")
    }
}

impl LweSecretKey {
    /// A fresh secret of n bits.
    pub fn generate(dimension: usize, sampler: &mut Sampler) -> Self {
        // As many bytes on every processor.
        let bytes = (dimension as u64).to_le_bytes();
        Self::from_bits(sampler.branch("LWE secret key", &[&bytes]).binary(dimension))
    }

    /// The secret of these bits, each a word 0 or 1 in the memory of secrets.
    pub fn from_bits(bits: Words) -> Self {
        Self { bits }
    }

    /// The number of bits n.
    pub fn dimension(&self) -> usize {
        self.bits.len()
    }

    /// The bits, each in a word of its own. Secret.
    pub fn bits(&self) -> &[u64] {
        &self.bits
    }

    /// A ciphertext of a torus word. The error is Gaussian of the given standard deviation, in parts of the torus.
    ///
    /// # Panics
    /// Unless the standard deviation is in [0, 2^−12]: above, doubles would lack the low bits.
    pub fn encrypt(&self, message: u64, standard_deviation: f64, sampler: &mut Sampler) -> LweCiphertext {
        self.encrypt_seeded(message, standard_deviation, sampler).0
    }

    /// As [`LweSecretKey::encrypt`], with the public seed of the mask, which [`LweCiphertext::from_seed`] expands.
    ///
    /// # Panics
    /// As [`LweSecretKey::encrypt`].
    pub fn encrypt_seeded(
        &self,
        message: u64,
        standard_deviation: f64,
        sampler: &mut Sampler,
    ) -> (LweCiphertext, Seed) {
        let seed = sampler.seed();
        let mut ciphertext = LweCiphertext::from_seed(self.dimension(), &seed, 0);
        let (mask, _) = ciphertext.parts();
        let body = self.body(mask, message, standard_deviation, sampler);
        ciphertext.words_mut()[self.dimension()] = body;
        (ciphertext, seed)
    }

    /// The body of a ciphertext with a given mask, which is used for this body alone.
    pub(super) fn body(
        &self,
        mask: &[u64],
        message: u64,
        standard_deviation: f64,
        sampler: &mut Sampler,
    ) -> u64 {
        let error = sampler.gaussian(1, standard_deviation * 2f64.powi(64))[0];
        self.product(mask).wrapping_add(message).wrapping_add(error.cast_unsigned())
    }

    /// The body of a ciphertext modulo 2^32 with a given mask, which is used for this body alone.
    pub(super) fn body_32(
        &self,
        mask: &[u32],
        message: u32,
        standard_deviation: f64,
        sampler: &mut Sampler,
    ) -> u32 {
        assert_eq!(mask.len(), self.dimension());
        let error = sampler.gaussian(1, standard_deviation * 2f64.powi(32))[0];
        let products = mask.iter().zip(&*self.bits).map(|(&a, &bit)| a & (bit as u32).wrapping_neg());
        let product = products.fold(0u32, u32::wrapping_add);
        product.wrapping_add(message).wrapping_add(error.cast_unsigned() as u32)
    }

    /// The message with its noise, b − Σ aᵢ·sᵢ. Secret.
    ///
    /// # Panics
    /// If the ciphertext has another dimension.
    pub fn phase(&self, ciphertext: &LweCiphertext) -> u64 {
        let (mask, body) = ciphertext.parts();
        body.wrapping_sub(self.product(mask))
    }

    /// Σ aᵢ·sᵢ, in a time that doesn't depend on the bits.
    fn product(&self, mask: &[u64]) -> u64 {
        assert_eq!(mask.len(), self.dimension());
        mask.iter().zip(&*self.bits).fold(0u64, |sum, (&a, &bit)| sum.wrapping_add(a & bit.wrapping_neg()))
    }
}
