//! Encryption.

use asanoha_lattice::{PublicKey, SecretKey};
use asanoha_ring::Sampler;

use crate::{BfvCiphertext, BfvError, BfvNoise, BfvParams, BfvPlaintext, ciphertext::same_params};

/// Encrypts plaintexts at their level.
///
/// A ciphertext says its noise bound to everyone, so the bound of a fresh one must not depend on the message: the
/// rounding of Q/t·m is taken as the worst message's. That is nothing beside the noise of public-key encryption.
#[derive(Clone, Debug)]
pub struct Encryptor {
    params: BfvParams,
    noise: BfvNoise,
}

impl Encryptor {
    /// The encryptor of these parameters.
    pub fn new(params: &BfvParams) -> Self {
        Self::with_noise(params, BfvNoise::new(params))
    }

    /// An encryptor whose ciphertexts carry the bounds of a given noise model of these parameters.
    pub fn with_noise(params: &BfvParams, noise: BfvNoise) -> Self {
        Self { params: params.clone(), noise }
    }

    /// Encrypts under a public key: (b·u + e₀ + round(Q/t·m), a·u + e₁).
    ///
    /// Noise: [`BfvNoise::fresh_public`].
    ///
    /// # Errors
    /// [`BfvError::OutOfModulus`] if the plaintext's level is too low for fresh noise,
    /// [`BfvError::OtherParameters`], [`BfvError::OtherKey`].
    pub fn encrypt(
        &self,
        key: &PublicKey,
        plaintext: &BfvPlaintext,
        sampler: &mut Sampler,
    ) -> Result<BfvCiphertext, BfvError> {
        same_params(&self.params, plaintext.params())?;
        key.check(self.params.rlwe())?;
        let state = self.noise.fresh_public(plaintext.level())?;
        Ok(BfvCiphertext::new(
            &self.params,
            key.encrypt(self.params.rlwe(), plaintext.scaled(), sampler),
            state,
        ))
    }

    /// Encrypts under the secret key, with less noise: (−a·s + e + round(Q/t·m), a).
    ///
    /// Noise: [`BfvNoise::fresh_secret`].
    ///
    /// # Errors
    /// [`BfvError::OutOfModulus`] if the plaintext's level is too low for fresh noise,
    /// [`BfvError::OtherParameters`], [`BfvError::OtherKey`].
    pub fn encrypt_secret(
        &self,
        key: &SecretKey,
        plaintext: &BfvPlaintext,
        sampler: &mut Sampler,
    ) -> Result<BfvCiphertext, BfvError> {
        same_params(&self.params, plaintext.params())?;
        key.check(self.params.rlwe())?;
        let state = self.noise.fresh_secret(plaintext.level())?;
        Ok(BfvCiphertext::new(
            &self.params,
            key.encrypt(self.params.rlwe(), plaintext.scaled(), sampler),
            state,
        ))
    }
}
