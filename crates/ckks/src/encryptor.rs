//! Encryption.

use asanoha_lattice::{PublicKey, SecretKey};
use asanoha_ring::Sampler;

use crate::{CkksCiphertext, CkksError, CkksNoise, CkksParams, CkksPlaintext};

/// Encrypts plaintexts at their level.
///
/// A ciphertext says its bound and noise to everyone; both depend on the plaintext only through its bound
/// (see [`crate::Encoder::encode`]).
#[derive(Clone, Debug)]
pub struct Encryptor {
    params: CkksParams,
}

impl Encryptor {
    /// The encryptor of these parameters.
    pub fn new(params: &CkksParams) -> Self {
        Self { params: params.clone() }
    }

    /// Encrypts under a public key: (b·u + e₀ + m, a·u + e₁).
    ///
    /// Noise: [`CkksNoise::fresh_public`].
    ///
    /// # Errors
    /// [`CkksError::OutOfModulus`] if the plaintext's level is too low for it and fresh noise;
    /// [`CkksError::OtherParameters`], [`CkksError::OtherKey`].
    pub fn encrypt(
        &self,
        key: &PublicKey,
        plaintext: &CkksPlaintext,
        sampler: &mut Sampler,
    ) -> Result<CkksCiphertext, CkksError> {
        plaintext.of(&self.params)?;
        key.check(self.params.rlwe())?;
        let state = CkksNoise::new(&self.params).fresh_public(plaintext.level(), plaintext.state())?;
        Ok(CkksCiphertext::new(
            &self.params,
            key.encrypt(self.params.rlwe(), &plaintext.poly, sampler),
            state,
        ))
    }

    /// Encrypts under the secret key, with less noise: (−a·s + e + m, a).
    ///
    /// Noise: [`CkksNoise::fresh_secret`].
    ///
    /// # Errors
    /// [`CkksError::OutOfModulus`] if the plaintext's level is too low for it and fresh noise;
    /// [`CkksError::OtherParameters`], [`CkksError::OtherKey`].
    pub fn encrypt_secret(
        &self,
        key: &SecretKey,
        plaintext: &CkksPlaintext,
        sampler: &mut Sampler,
    ) -> Result<CkksCiphertext, CkksError> {
        plaintext.of(&self.params)?;
        key.check(self.params.rlwe())?;
        let state = CkksNoise::new(&self.params).fresh_secret(plaintext.level(), plaintext.state())?;
        Ok(CkksCiphertext::new(
            &self.params,
            key.encrypt(self.params.rlwe(), &plaintext.poly, sampler),
            state,
        ))
    }
}
