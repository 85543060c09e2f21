//! Key switching with a key whose masks are expanded as they're used, for many ciphertexts at once.

use asanoha_ring::{Seed, TorusGadget, Words, uniform_words};
use rayon::prelude::*;

use super::{LweCiphertext, SeededLweSwitchKey};

impl SeededLweSwitchKey {
    /// The key of these bodies, which come from a file: one for each bit of the secret that is switched from and each level.
    /// `dimension` is that of the secret that is switched to.
    ///
    /// # Panics
    /// If there aren't as many for each bit.
    pub fn from_parts(dimension: usize, gadget: TorusGadget, seed: Seed, bodies: &[u64]) -> Self {
        assert_eq!(bodies.len() % gadget.levels(), 0);
        let mut words = Words::zero(bodies.len());
        words.copy_from_slice(bodies);
        Self { seed, bodies: words, dimension, gadget }
    }

    /// The seed of the masks, which is public.
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// The bodies: one for each bit of the secret that is switched from and each level.
    pub fn bodies(&self) -> &[u64] {
        &self.bodies
    }

    /// [`super::LweSwitchKey::switch`] of each ciphertext, word for word, without that key: a row is expanded once for all of
    /// them, and no more than a row stands in memory for each thread.
    ///
    /// # Panics
    /// If a ciphertext has another dimension than the secret that is switched from.
    pub fn switch_many(&self, ciphertexts: &[&LweCiphertext]) -> Vec<LweCiphertext> {
        let levels = self.gadget.levels();
        let words = self.bodies.len() / levels;
        let digits: Vec<Vec<i64>> = ciphertexts
            .iter()
            .map(|ciphertext| {
                let (mask, _) = ciphertext.parts();
                assert_eq!(mask.len(), words);
                let mut digits = vec![0; self.bodies.len()];
                self.gadget.decompose(&mut digits, mask);
                digits
            })
            .collect();
        let zeros = || vec![LweCiphertext::trivial(self.dimension, 0); ciphertexts.len()];
        let part = self.bodies.len().div_ceil(rayon::current_num_threads()).max(1);
        let sums = self.bodies.par_chunks(part).enumerate().map(|(chunk, bodies)| {
            let (mut sums, mut row) = (zeros(), vec![0; self.dimension + 1]);
            for (number, &body) in bodies.iter().enumerate() {
                let number = chunk * part + number;
                uniform_words(&self.seed, number as u64, &mut row[..self.dimension]);
                row[self.dimension] = body;
                let digit = number % levels * words + number / levels;
                for (sum, digits) in sums.iter_mut().zip(&digits) {
                    sum.add_scaled_words(&row, -digits[digit]);
                }
            }
            sums
        });
        let mut out = sums.reduce(zeros, |mut sums, others| {
            sums.iter_mut().zip(&others).for_each(|(sum, other)| sum.add_assign(other));
            sums
        });
        for (out, ciphertext) in out.iter_mut().zip(ciphertexts) {
            out.add_constant_assign(ciphertext.parts().1);
        }
        out
    }
}
