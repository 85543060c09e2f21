//! Decryption.

use asanoha_lattice::SecretKey;
use num_bigint::{BigInt, BigUint};

use super::{Exact, encoder::words};
use crate::{Ciphertext, Holds, Model, Plain, SchemeError};

/// Decrypts ciphertexts of an exact scheme; see [`super::Encoder`] for what a plaintext's numbers are.
///
/// Decryption measures the noise and holds it against its bound: another secret key, altered evaluation keys or a damaged
/// ciphertext make it uniform modulo Q.
///
/// All fail with [`SchemeError::NoiseAboveBound`] if it is larger, with [`SchemeError::OutOfModulus`] if the bound doesn't fit
/// (evaluators never make such ciphertexts), and with [`SchemeError::OtherParameters`] or [`SchemeError::OtherKey`].
#[derive(Clone, Debug)]
pub struct Decryptor<S: Exact> {
    scheme: S,
}

impl<S: Exact> Decryptor<S> {
    /// The decryptor of these parameters.
    pub fn new(scheme: &S) -> Self {
        Self { scheme: scheme.clone() }
    }

    /// The numbers of a ciphertext in (−t/2, t/2].
    ///
    /// # Errors
    /// [`SchemeError::WideModulus`] if they don't fit words.
    pub fn decrypt(&self, secret: &SecretKey, ciphertext: &Ciphertext<S>) -> Result<Vec<i64>, SchemeError> {
        words(self.scheme.space(), self.plain(secret, ciphertext)?)
    }

    /// The numbers of a ciphertext in (−t/2, t/2], whatever their size.
    pub fn decrypt_integers(
        &self,
        secret: &SecretKey,
        ciphertext: &Ciphertext<S>,
    ) -> Result<Vec<BigInt>, SchemeError> {
        Ok(self.scheme.space().decode(self.plain(secret, ciphertext)?))
    }

    /// The numbers of a ciphertext in [0, t).
    pub fn decrypt_unsigned(
        &self,
        secret: &SecretKey,
        ciphertext: &Ciphertext<S>,
    ) -> Result<Vec<BigUint>, SchemeError> {
        Ok(self.scheme.space().decode_unsigned(self.plain(secret, ciphertext)?))
    }

    fn plain(&self, secret: &SecretKey, ciphertext: &Ciphertext<S>) -> Result<Plain, SchemeError> {
        ciphertext.of(&self.scheme)?;
        secret.check(self.scheme.rlwe())?;
        Model::new(&self.scheme).check(ciphertext.state().clone())?;
        self.scheme.decrypted(secret, ciphertext)
    }
}

impl<S: Exact> Holds<i64> for S {
    fn decrypt(&self, secret: &SecretKey, ciphertext: &Ciphertext<S>) -> Result<Vec<i64>, SchemeError> {
        Decryptor::new(self).decrypt(secret, ciphertext)
    }
}

impl<S: Exact> Holds<BigInt> for S {
    fn decrypt(&self, secret: &SecretKey, ciphertext: &Ciphertext<S>) -> Result<Vec<BigInt>, SchemeError> {
        Decryptor::new(self).decrypt_integers(secret, ciphertext)
    }
}

impl<S: Exact> Holds<BigUint> for S {
    fn decrypt(&self, secret: &SecretKey, ciphertext: &Ciphertext<S>) -> Result<Vec<BigUint>, SchemeError> {
        Decryptor::new(self).decrypt_unsigned(secret, ciphertext)
    }
}
