//! Encryption.

use asanoha_lattice::{PublicKey, SecretKey};
use asanoha_ring::Sampler;

use crate::{BgvCiphertext, BgvError, BgvNoise, BgvParams, BgvPlaintext, ciphertext::same_params};

/// Encrypts plaintexts at their level.
///
/// A ciphertext says its noise bound to everyone, so the bound of a fresh one must not depend on the message: it
/// takes the worst message, of norm N·t/2, not the plaintext's own norm. That is nothing beside the noise of
/// public-key encryption, and at most about two bits more than a typical message's under the secret key.
#[derive(Clone, Debug)]
pub struct Encryptor {
    params: BgvParams,
}

impl Encryptor {
    /// The encryptor of these parameters.
    pub fn new(params: &BgvParams) -> Self {
        Self { params: params.clone() }
    }

    /// Encrypts under a public key: (b·u + t·e₀ + m, a·u + t·e₁).
    ///
    /// Noise: [`BgvNoise::fresh_public`].
    ///
    /// # Errors
    /// [`BgvError::OutOfModulus`] if the plaintext's level is too low for fresh noise,
    /// [`BgvError::OtherParameters`], [`BgvError::OtherKey`].
    pub fn encrypt(
        &self,
        key: &PublicKey,
        plaintext: &BgvPlaintext,
        sampler: &mut Sampler,
    ) -> Result<BgvCiphertext, BgvError> {
        same_params(&self.params, &plaintext.params)?;
        key.check(self.params.rlwe())?;
        let state = BgvNoise::new(&self.params).fresh_public(plaintext.level())?;
        Ok(BgvCiphertext::new(&self.params, key.encrypt(self.params.rlwe(), &plaintext.poly, sampler), state))
    }

    /// Encrypts under the secret key, with less noise: (−a·s + t·e + m, a).
    ///
    /// Noise: [`BgvNoise::fresh_secret`].
    ///
    /// # Errors
    /// [`BgvError::OutOfModulus`] if the plaintext's level is too low for fresh noise,
    /// [`BgvError::OtherParameters`], [`BgvError::OtherKey`].
    pub fn encrypt_secret(
        &self,
        key: &SecretKey,
        plaintext: &BgvPlaintext,
        sampler: &mut Sampler,
    ) -> Result<BgvCiphertext, BgvError> {
        same_params(&self.params, &plaintext.params)?;
        key.check(self.params.rlwe())?;
        let state = BgvNoise::new(&self.params).fresh_secret(plaintext.level())?;
        Ok(BgvCiphertext::new(&self.params, key.encrypt(self.params.rlwe(), &plaintext.poly, sampler), state))
    }
}
