//! Decryption.

use std::iter;

use asanoha_ring::{Basis, Coefficient, Poly};
use thiserror::Error;

use crate::{Level, Norm, RlweCiphertext, SecretKey};

/// The error of a decryption that finds more noise than the ciphertext can have: the decrypted numbers are garbage.
#[derive(Clone, Debug, PartialEq, Error)]
#[error(
    "decryption found noise of 2^{found_bits:.1}, above the bound of 2^{bound_bits:.1}, so that its numbers would be wrong: the secret key is another one than the ciphertext's, or the ciphertext or the evaluation keys are damaged or altered; encrypt and evaluate again with the keys as they were generated"
)]
pub struct NoiseAboveBound {
    /// log2 of the noise that was found.
    pub found_bits: f64,
    /// log2 of the bound that the ciphertext carries.
    pub bound_bits: f64,
}

impl NoiseAboveBound {
    /// Refuses a measured noise above its bound. `found` is relative to the modulus of the basis and has an error of at
    /// most `error`.
    ///
    /// # Errors
    /// [`NoiseAboveBound`].
    pub fn check(basis: &Basis, found: f64, error: f64, bound: Norm) -> Result<(), Self> {
        let log2_q = basis.log2_product();
        let limit = (bound * Norm::from_log2(-log2_q)).to_f64() + error;
        // Written so that NaN is refused too.
        let is_within = found <= limit;
        if is_within {
            Ok(())
        } else {
            Err(Self { found_bits: found.log2() + log2_q, bound_bits: bound.log2() })
        }
    }
}

impl SecretKey {
    /// c₀ + c₁·s + c₂·s² + …: the message with its noise, on a secret basis (see [`asanoha_ring::Basis::secret`]).
    pub fn decrypt(&self, ciphertext: &RlweCiphertext) -> Poly<Coefficient> {
        self.decrypt_at(ciphertext, ciphertext.level())
    }

    /// As [`SecretKey::decrypt`], of a ciphertext whose primes above a level are dropped.
    ///
    /// # Panics
    /// If the level is above the ciphertext's.
    pub fn decrypt_at(&self, ciphertext: &RlweCiphertext, level: Level) -> Poly<Coefficient> {
        assert!(level <= ciphertext.level());
        let (c0, rest) = ciphertext.parts.split_first().expect("ciphertexts have two parts or three");
        assert!(rest.len() <= 2);
        let s = &self.evaluation;
        let square = rest.get(1).map(|_| {
            let s = self.at_level(level.0);
            s.mul(&s)
        });
        let pairs: Vec<_> = rest.iter().zip(iter::once(s).chain(&square)).collect();
        Poly::inner_product_coefficients(&s.basis().range(0..level.0 + 1), Some(c0), &pairs)
    }
}
