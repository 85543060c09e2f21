//! Products of GLWE ciphertexts with encrypted bits, choice by them, and blind rotation.

use asanoha_ring::TorusPolys;

use super::{
    BootstrapKey, GlweCiphertext,
    accumulator::{Accumulator, Turned, turn},
};

impl BootstrapKey {
    /// out + bit·input, in words of 32 bits.
    fn add_product(&self, out: &GlweCiphertext, bit: usize, input: &GlweCiphertext) -> GlweCiphertext {
        assert!(bit < self.bits());
        let product = &self.shape.product;
        let (mut out, input) = (Accumulator::rounded(out), Accumulator::rounded(input));
        product.add(out.words_mut(), input.words(), self.keys.get(bit), &mut product.memory());
        out.widened()
    }

    /// The external product: the encrypted bit of that number times the message.
    ///
    /// Noise: bit·(noise of the ciphertext), and a variance of (k + 1)·levels·N·(B² + 2)/12·σ² for digits of base B, and
    /// of (k·N/2 + 1)/(12·B^(2·levels)) if the bit is 1. The result has words of 32 bits, whose
    /// roundings add (k·N/2 + 1)·2^−64/12; and double precision adds (k·N/2 + 1)·(k + 1)·levels·N·(B² + 2)/12·2^−109·log2(N).
    ///
    /// # Panics
    /// Unless there is such a bit, and the ciphertext has the key's degree and rank.
    pub fn external_product(&self, bit: usize, ciphertext: &GlweCiphertext) -> GlweCiphertext {
        let zero = GlweCiphertext(TorusPolys::zero(ciphertext.0.ring_degree(), ciphertext.0.count()));
        self.add_product(&zero, bit, ciphertext)
    }

    /// The message of `one` where the encrypted bit is 1, and of `zero` where it's 0: zero + bit·(one − zero).
    ///
    /// # Panics
    /// As for [`BootstrapKey::external_product`].
    pub fn select(&self, bit: usize, zero: &GlweCiphertext, one: &GlweCiphertext) -> GlweCiphertext {
        let mut difference = one.clone();
        difference.sub_assign(zero);
        self.add_product(zero, bit, &difference)
    }

    /// Blind rotation: X^(−φ) times a public polynomial, where φ = b − Σ aᵢ·sᵢ is the phase modulo 2N of an LWE
    /// ciphertext under the bits of the key. `switched` is its mask and then its body, modulo 2N
    /// ([`crate::switch_modulus`]).
    ///
    /// The result starts as X^(−b)·polynomial. Bit i turns it by aᵢ if it's 1: c ← c + sᵢ·(X^aᵢ − 1)·c. Noise: that of
    /// an external product for every bit.
    ///
    /// Source: Chillotti, Gama, Georgieva, Izabachène, "TFHE: fast fully homomorphic encryption over the torus"
    /// (J. Cryptology 2020), algorithm 3.
    ///
    /// # Panics
    /// Unless `switched` has a word for each bit and one for the body, and the polynomial has the key's degree.
    pub fn blind_rotate(&self, switched: &[u64], polynomial: &[u64]) -> GlweCiphertext {
        self.blind_rotate_together(&[(switched, polynomial)]).next().expect("there's one for each job")
    }

    /// [`BootstrapKey::blind_rotate`] for each pair of a switched ciphertext and a polynomial, which go through the key
    /// together: it's read once for all.
    ///
    /// # Panics
    /// As for [`BootstrapKey::blind_rotate`].
    pub fn blind_rotate_together(
        &self,
        jobs: &[(&[u64], &[u64])],
    ) -> impl ExactSizeIterator<Item = GlweCiphertext> + use<> {
        let product = &self.shape.product;
        let mut all: Vec<_> = jobs.iter().map(|&job| Turned::new(product, self.bits(), job)).collect();
        let mut memory = product.memory();
        for bit in 0..self.bits() {
            turn(product, &mut all, bit, self.keys.get(bit), self.keys.get(bit + 1), &mut memory);
        }
        let accumulators: Vec<_> = all.into_iter().map(|turned| turned.accumulator).collect();
        accumulators.into_iter().map(|accumulator| accumulator.widened())
    }
}
