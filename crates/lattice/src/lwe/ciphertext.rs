//! LWE ciphertexts and what is linear in them.

use asanoha_ring::{Seed, Words, uniform_words};

/// An LWE ciphertext: the n words of the mask, then the body.
#[derive(Clone, Debug)]
pub struct LweCiphertext(Words);

impl LweCiphertext {
    /// The ciphertext without noise of a public message: its mask is zero.
    pub fn trivial(dimension: usize, message: u64) -> Self {
        let mut words = Words::zero(dimension + 1);
        words[dimension] = message;
        Self(words)
    }

    /// The ciphertext of a body and of the mask that a seed expands to ([`super::LweSecretKey::encrypt_seeded`]).
    pub fn from_seed(dimension: usize, seed: &Seed, body: u64) -> Self {
        let mut words = Words::zero(dimension + 1);
        uniform_words(seed, 0, &mut words[..dimension]);
        words[dimension] = body;
        Self(words)
    }

    /// The dimension n.
    pub fn dimension(&self) -> usize {
        self.0.len() - 1
    }

    /// The mask, n words, then the body.
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// The mask and the body.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }

    /// The mask and the body.
    pub fn parts(&self) -> (&[u64], u64) {
        let (body, mask) = self.0.split_last().expect("there is a body");
        (mask, *body)
    }

    /// self ← self + other: messages and noises are added.
    ///
    /// # Panics
    /// If the dimensions differ.
    pub fn add_assign(&mut self, other: &Self) {
        self.add_scaled_words(&other.0, 1);
    }

    /// self ← self − other.
    ///
    /// # Panics
    /// If the dimensions differ.
    pub fn sub_assign(&mut self, other: &Self) {
        self.add_scaled_words(&other.0, -1);
    }

    /// Adds a public message.
    pub fn add_constant_assign(&mut self, message: u64) {
        let body = self.0.last_mut().expect("there is a body");
        *body = body.wrapping_add(message);
    }

    /// Multiplies message and noise by a public factor.
    pub fn scale_assign(&mut self, factor: i64) {
        self.0.iter_mut().for_each(|word| *word = word.wrapping_mul(factor.cast_unsigned()));
    }

    /// self ← self + factor·words.
    pub(super) fn add_scaled_words(&mut self, words: &[u64], factor: i64) {
        assert_eq!(self.0.len(), words.len());
        self.0
            .iter_mut()
            .zip(words)
            .for_each(|(word, &other)| *word = word.wrapping_add(other.wrapping_mul(factor.cast_unsigned())));
    }
}
