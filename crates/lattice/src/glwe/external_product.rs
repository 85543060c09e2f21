//! Products of GLWE ciphertexts with encrypted bits, choice by them, and blind rotation.

use asanoha_ring::{GadgetSum, TorusPolys, mul_by_power, mul_by_power_minus_one};

use super::{BootstrapKey, GlweCiphertext};

impl BootstrapKey {
    fn sum(&self) -> GadgetSum {
        GadgetSum::new(&self.shape.ring, self.shape.gadget, self.shape.rank + 1)
    }

    /// out ← out + bit·input.
    fn add_product(&self, sum: &mut GadgetSum, out: &mut TorusPolys, bit: usize, input: &TorusPolys) {
        assert!(bit < self.bits() && input.count() == self.shape.rank + 1);
        let row = self.shape.gadget.levels() * (self.shape.rank + 1);
        for (i, poly) in input.iter().enumerate() {
            sum.add(poly, &self.polys, bit * self.shape.polys() + i * row);
        }
        sum.add_to(out);
    }

    /// The external product: the encrypted bit of that number times the message.
    ///
    /// Noise: bit·(noise of the ciphertext), and a variance of (k + 1)·levels·N·(B² + 2)/12·σ² for digits of base B, and
    /// of (k·N/2 + 1)/(12·B^(2·levels)) if the bit is 1.
    ///
    /// # Panics
    /// Unless there is such a bit, and the ciphertext has the key's degree and rank.
    pub fn external_product(&self, bit: usize, ciphertext: &GlweCiphertext) -> GlweCiphertext {
        let mut out = TorusPolys::zero(ciphertext.0.ring_degree(), ciphertext.0.count());
        self.add_product(&mut self.sum(), &mut out, bit, &ciphertext.0);
        GlweCiphertext(out)
    }

    /// The message of `one` where the encrypted bit is 1, and of `zero` where it's 0: zero + bit·(one − zero).
    ///
    /// # Panics
    /// As for [`BootstrapKey::external_product`].
    pub fn select(&self, bit: usize, zero: &GlweCiphertext, one: &GlweCiphertext) -> GlweCiphertext {
        let mut difference = one.clone();
        difference.sub_assign(zero);
        let mut out = zero.clone();
        self.add_product(&mut self.sum(), &mut out.0, bit, &difference.0);
        out
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
        let n = self.ring().ring_degree();
        assert_eq!((switched.len(), polynomial.len()), (self.bits() + 1, n));
        let (mask, body) = switched.split_at(self.bits());
        let mut out = TorusPolys::zero(n, self.shape.rank + 1);
        let start = (2 * n as u64 - body[0] % (2 * n as u64)) as usize;
        mul_by_power(out.iter_mut().next_back().expect("there is a body"), polynomial, start);
        let mut difference = TorusPolys::zero(n, self.shape.rank + 1);
        let mut sum = self.sum();
        for (bit, &exponent) in mask.iter().enumerate() {
            for (difference, poly) in difference.iter_mut().zip(out.iter()) {
                mul_by_power_minus_one(difference, poly, exponent as usize);
            }
            self.add_product(&mut sum, &mut out, bit, &difference);
        }
        GlweCiphertext(out)
    }
}
