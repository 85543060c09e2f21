//! Decryption.

use asanoha_ring::{Coefficient, Poly};

use crate::{RlweCiphertext, SecretKey};

impl SecretKey {
    /// c₀ + c₁·s + c₂·s² + …: the message with its noise.
    pub fn decrypt(&self, ciphertext: &RlweCiphertext) -> Poly<Coefficient> {
        let s = self.at_level(ciphertext.level().0);
        let (last, rest) = ciphertext.parts.split_last().expect("ciphertexts have two parts or three");
        // Horner's scheme in s.
        let mut sum = last.clone();
        for part in rest.iter().rev() {
            sum.mul_assign(&s);
            sum.add_assign(part);
        }
        sum.into_coefficient()
    }
}
