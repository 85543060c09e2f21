//! Decryption.

use asanoha_lattice::SecretKey;
use num_bigint::{BigInt, BigUint};

use crate::{BfvCiphertext, BfvError, BfvNoise, BfvParams, encoder::words, space::Plain};

/// Decrypts ciphertexts.
///
/// The message is round(t/Q·v) modulo t with v = c₀ + c₁·s + … modulo Q; see [`crate::Encoder`] for what its numbers are.
///
/// All fail with [`BfvError::OutOfModulus`] if the noise bound doesn't fit (evaluators never make such ciphertexts), and
/// with [`BfvError::OtherParameters`] or [`BfvError::OtherKey`].
#[derive(Clone, Debug)]
pub struct Decryptor {
    params: BfvParams,
}

impl Decryptor {
    /// The decryptor of these parameters.
    pub fn new(params: &BfvParams) -> Self {
        Self { params: params.clone() }
    }

    /// The numbers of a ciphertext, centred.
    ///
    /// # Errors
    /// [`BfvError::WideModulus`] if they don't fit words.
    pub fn decrypt(&self, secret: &SecretKey, ciphertext: &BfvCiphertext) -> Result<Vec<i64>, BfvError> {
        words(self.params.space(), &self.message(secret, ciphertext)?)
    }

    /// The numbers of a ciphertext, centred, whatever their size.
    pub fn decrypt_integers(
        &self,
        secret: &SecretKey,
        ciphertext: &BfvCiphertext,
    ) -> Result<Vec<BigInt>, BfvError> {
        Ok(self.params.space().decode(&self.message(secret, ciphertext)?))
    }

    /// The numbers of a ciphertext from 0 to the modulus.
    pub fn decrypt_unsigned(
        &self,
        secret: &SecretKey,
        ciphertext: &BfvCiphertext,
    ) -> Result<Vec<BigUint>, BfvError> {
        Ok(self.params.space().decode_unsigned(&self.message(secret, ciphertext)?))
    }

    fn message(&self, secret: &SecretKey, ciphertext: &BfvCiphertext) -> Result<Plain, BfvError> {
        ciphertext.of(&self.params)?;
        secret.check(self.params.rlwe())?;
        BfvNoise::new(&self.params).check(ciphertext.state())?;
        let m = self.params.rounding(ciphertext.level()).round(secret.decrypt(&ciphertext.rlwe));
        Ok(self.params.space().reduce(m))
    }
}
