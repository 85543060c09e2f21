//! Key switching with a key whose masks are expanded as they're used, for many ciphertexts at once.

use asanoha_ring::Seed;
use rayon::prelude::*;

use super::{LweCiphertext, LweSwitchShape, SeededLweSwitchKey, key_switch::BLOCK};

impl SeededLweSwitchKey {
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

    /// [`super::LweSwitchKey::switch`] of each ciphertext, word for word, without that key: a row is expanded once for all of
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
