//! Decryption.

use asanoha_lattice::{NoiseAboveBound, SecretKey};
use asanoha_ring::RelativeSize;
use num_bigint::{BigInt, BigUint};

use crate::{BfvCiphertext, BfvError, BfvNoise, BfvParams, encoder::words, space::Plain};

/// Decrypts ciphertexts.
///
/// The message is round(t/Q·v) modulo t with v = c₀ + c₁·s + … modulo Q; see [`crate::Encoder`] for what its numbers are.
///
/// Decryption measures the noise that it rounds away and holds it against its bound: another secret key, altered evaluation
/// keys or a damaged ciphertext make it uniform modulo Q.
///
/// All fail with [`BfvError::NoiseAboveBound`], whose figures are those of t times the noise, if that is above its bound,
/// with [`BfvError::OutOfModulus`] if the bound doesn't fit (evaluators never make such ciphertexts), and with [`BfvError::OtherParameters`] or [`BfvError::OtherKey`].
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
        let (rounding, space) = (self.params.rounding(ciphertext.level()), self.params.space());
        let (m, size) = rounding.round(secret.decrypt(&ciphertext.rlwe), space);
        self.check_noise(ciphertext, size)?;
        Ok(space.reduce(m))
    }

    /// Refuses noise above its bound, by the size of t·e: the canonical norm that the bound speaks of is at least the
    /// Euclidean norm of the coefficients, and decryption counts on coefficients that are a part of it. Of uniform ones the
    /// largest is next to Q/2, and the Euclidean norm about √(N/12)·Q.
    fn check_noise(&self, ciphertext: &BfvCiphertext, size: RelativeSize) -> Result<(), NoiseAboveBound> {
        let rlwe = self.params.rlwe();
        let basis = rlwe.q(ciphertext.level());
        let bound = ciphertext.noise * self.params.modulus_norm();
        let error = (rlwe.ring_degree() as f64).sqrt() * RelativeSize::ERROR;
        NoiseAboveBound::check(basis, size.euclidean, error, bound)?;
        let coefficient = bound * rlwe.noise().coefficient();
        NoiseAboveBound::check(basis, size.largest, RelativeSize::ERROR, coefficient)
    }
}
