//! Encryption.

use asanoha_lattice::{PublicKey, SecretKey};
use asanoha_ring::{Sampler, Seed};

use crate::{Ciphertext, Model, Plaintext, Scheme, SchemeError, State, same_parameters};

/// An encryptor: encrypts plaintexts at their level.
///
/// A ciphertext's noise bound is public, so that of a fresh one doesn't depend on the message. Exact schemes take the bound of
/// the worst message. This is negligible beside the noise of public-key encryption, and costs BGV at most about two bits under
/// the secret key. CKKS takes the bound that the plaintext was encoded with.
#[derive(Clone, Debug)]
pub struct Encryptor<S: Scheme> {
    model: Model<S>,
}

impl<S: Scheme> Encryptor<S> {
    /// Creates an encryptor for these parameters.
    pub fn new(scheme: &S) -> Self {
        Self::with_model(Model::new(scheme))
    }

    /// Creates an encryptor whose ciphertexts carry the bounds of a given noise model.
    pub fn with_model(model: Model<S>) -> Self {
        Self { model }
    }

    /// Encrypts under a public key: (b·u + f·e₀ + m, a·u + f·e₁), f the noise factor.
    ///
    /// Noise: [`Model::fresh_public`].
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`] if the plaintext's level is too low for it and fresh noise;
    /// [`SchemeError::OtherParameters`], [`SchemeError::OtherKey`].
    pub fn encrypt(
        &self,
        key: &PublicKey,
        plaintext: &S::Plaintext,
        sampler: &mut Sampler,
    ) -> Result<Ciphertext<S>, SchemeError> {
        let scheme = self.model.scheme();
        same_parameters(scheme, plaintext.scheme())?;
        key.check(scheme.rlwe())?;
        let state = self.model.fresh_public(plaintext.level(), &scheme.public(plaintext))?;
        Ok(Ciphertext::new(scheme, key.encrypt(scheme.rlwe(), plaintext.addend(), sampler), state))
    }

    /// Encrypts under the secret key, with less noise: (−a·s + f·e + m, a).
    ///
    /// Noise: [`Model::fresh_secret`].
    ///
    /// # Errors
    /// Those of [`Encryptor::encrypt`].
    pub fn encrypt_secret(
        &self,
        key: &SecretKey,
        plaintext: &S::Plaintext,
        sampler: &mut Sampler,
    ) -> Result<Ciphertext<S>, SchemeError> {
        let state = self.model.fresh_secret(plaintext.level(), &self.model.scheme().public(plaintext))?;
        Ok(self.encrypt_in_state(key, plaintext, state, sampler)?.0)
    }

    /// Encrypts under the secret key and returns the public seed of the uniform component, which can be sent in its place.
    ///
    /// Noise: the larger one of [`Model::fresh_public`] and [`Model::fresh_secret`], so that a circuit that was planned for one
    /// key accepts ciphertexts under the other.
    ///
    /// # Errors
    /// Those of [`Encryptor::encrypt`].
    pub fn encrypt_seeded(
        &self,
        key: &SecretKey,
        plaintext: &S::Plaintext,
        sampler: &mut Sampler,
    ) -> Result<(Ciphertext<S>, Seed), SchemeError> {
        let (level, public) = (plaintext.level(), self.model.scheme().public(plaintext));
        let states = [self.model.fresh_secret(level, &public)?, self.model.fresh_public(level, &public)?];
        let state = states.into_iter().max_by_key(|state| state.noise).expect("two");
        self.encrypt_in_state(key, plaintext, state, sampler)
    }

    fn encrypt_in_state(
        &self,
        key: &SecretKey,
        plaintext: &S::Plaintext,
        state: State<S>,
        sampler: &mut Sampler,
    ) -> Result<(Ciphertext<S>, Seed), SchemeError> {
        let scheme = self.model.scheme();
        same_parameters(scheme, plaintext.scheme())?;
        key.check(scheme.rlwe())?;
        let (rlwe, seed) = key.encrypt_seeded(scheme.rlwe(), plaintext.addend(), sampler);
        Ok((Ciphertext::new(scheme, rlwe, state), seed))
    }
}
