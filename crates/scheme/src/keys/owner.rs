//! The keys of a data owner, for encryption and decryption.

use std::{path::Path, sync::Arc};

use asanoha_lattice::{EvaluationKeys, FileError, ReencryptionKey, Source};
use asanoha_ring::{Sampler, Seed};
use zeroize::Zeroizing;

use super::EvaluationKeysBuilder;
use crate::{
    Ciphertext, EncodeFor, Encryptor, Evaluator, Holds, Numbers, Scheme, SchemeError, same_parameters,
};

/// The bound on the absolute values that CKKS encrypts, unless another is given.
const DEFAULT_BOUND: f64 = 1.0;

/// A secret key with its parameters: decrypts, and generates evaluation keys. Erased on drop; its debug output shows no secret.
#[derive(Debug)]
pub struct SecretKey<S: Scheme> {
    key: asanoha_lattice::SecretKey,
    scheme: S,
}

/// A public key with its parameters: encrypts.
#[derive(Clone, Debug)]
pub struct PublicKey<S: Scheme> {
    key: asanoha_lattice::PublicKey,
    scheme: S,
    bound: f64,
}

/// Key generation, encoding and evaluation for the parameters of every scheme.
pub trait GenerateKeys: Scheme {
    /// Generates a secret key and its public key from the operating system's randomness.
    fn generate_keys(&self) -> (SecretKey<Self>, PublicKey<Self>) {
        self.generate_keys_with(&mut Sampler::from_os())
    }

    /// Derives both keys from a seed. Everything made with them is marked as seeded: anyone who knows the seed knows the secret
    /// key.
    fn generate_keys_from(&self, seed: &Seed) -> (SecretKey<Self>, PublicKey<Self>) {
        self.generate_keys_with(&mut Sampler::new(seed))
    }

    /// Generates both keys from a sampler's randomness.
    fn generate_keys_with(&self, sampler: &mut Sampler) -> (SecretKey<Self>, PublicKey<Self>) {
        let key = asanoha_lattice::SecretKey::generate(self.rlwe(), sampler);
        self.keys_of(key, sampler).expect("the secret key was made for these parameters")
    }

    /// Returns the keys of a secret key that was read from a file, with a new public key from a sampler's randomness.
    ///
    /// # Errors
    /// [`SchemeError::OtherKey`].
    fn keys_of(
        &self,
        key: asanoha_lattice::SecretKey,
        sampler: &mut Sampler,
    ) -> Result<(SecretKey<Self>, PublicKey<Self>), SchemeError> {
        key.check(self.rlwe())?;
        let public = asanoha_lattice::PublicKey::generate(self.rlwe(), &key, sampler);
        Ok((SecretKey::of_key(self, key), PublicKey::of_key(self, public)))
    }

    /// Encodes public numbers as a plaintext for fresh ciphertexts, for [`Evaluator::add_plain`] and [`Evaluator::mul_plain`].
    ///
    /// # Errors
    /// [`SchemeError::Plaintext`], [`SchemeError::TooManyValues`] for numbers that don't fit.
    fn encode(&self, values: impl Numbers<Self>) -> Result<Self::Plaintext, SchemeError> {
        values.encode_for(self, EncodeFor::Fresh { level: self.max_level(), bound: None })
    }

    /// Creates an evaluator with these keys.
    fn evaluator(&self, keys: impl Into<Arc<EvaluationKeys>>) -> Evaluator<Self> {
        Evaluator::new(self, keys)
    }
}

impl<S: Scheme> GenerateKeys for S {}

impl<S: Scheme> SecretKey<S> {
    /// Decrypts a ciphertext to the scheme's numbers: `i64` or `f64`.
    ///
    /// In CKKS keep the result secret. Its low bits depend on the secret key, and anyone who sees them together with the
    /// ciphertext can find the key (Li, Micciancio 2021).
    ///
    /// # Errors
    /// [`SchemeError::NoiseAboveBound`] or [`SchemeError::WrongKey`] if it's not the ciphertext's key or the ciphertext is
    /// damaged; [`SchemeError::OtherParameters`]; [`SchemeError::WideModulus`] for integers that don't fit words.
    pub fn decrypt(&self, ciphertext: &Ciphertext<S>) -> Result<Vec<S::Value>, SchemeError>
    where
        S: Holds<<S as Scheme>::Value>,
    {
        self.decrypt_as(ciphertext)
    }

    /// Decrypts a ciphertext to numbers of another type: `BigInt` and `BigUint` in exact schemes, complex ones in CKKS.
    ///
    /// # Errors
    /// Those of [`SecretKey::decrypt`].
    pub fn decrypt_as<T>(&self, ciphertext: &Ciphertext<S>) -> Result<Vec<T>, SchemeError>
    where
        S: Holds<T>,
    {
        self.scheme.decrypt(&self.key, ciphertext)
    }

    /// Returns a builder of evaluation keys, which are requested by purpose.
    pub fn evaluation_keys(&self) -> EvaluationKeysBuilder<'_, S> {
        EvaluationKeysBuilder::new(&self.scheme, &self.key)
    }

    /// Generates the public key that re-encrypts ciphertexts under this secret key to ciphertexts under a new one of the same
    /// parameters ([`crate::Operations::reencrypt`]), from the operating system's randomness.
    ///
    /// Whoever has the new secret key can decrypt what is encrypted under this one, with it.
    ///
    /// # Errors
    /// [`SchemeError::OtherParameters`], [`SchemeError::NoKeySwitching`].
    pub fn reencryption_key(&self, new: &Self) -> Result<ReencryptionKey, SchemeError> {
        self.reencryption_key_with(new, &mut Sampler::from_os())
    }

    /// Generates the key of [`SecretKey::reencryption_key`] from a sampler's randomness.
    ///
    /// # Errors
    /// Those of [`SecretKey::reencryption_key`].
    pub fn reencryption_key_with(
        &self,
        new: &Self,
        sampler: &mut Sampler,
    ) -> Result<ReencryptionKey, SchemeError> {
        same_parameters(&self.scheme, &new.scheme)?;
        let rlwe = self.scheme.rlwe();
        if rlwe.literal().digits == 0 {
            return Err(SchemeError::NoKeySwitching);
        }
        Ok(ReencryptionKey::generate(rlwe, &self.key, &new.key, sampler))
    }

    pub(crate) fn of_key(scheme: &S, key: asanoha_lattice::SecretKey) -> Self {
        Self { key, scheme: scheme.clone() }
    }

    /// Returns the parameters that the key belongs to.
    pub fn scheme(&self) -> &S {
        &self.scheme
    }

    /// Returns the key without its parameters.
    pub fn key(&self) -> &asanoha_lattice::SecretKey {
        &self.key
    }

    /// Serialises the key to bytes, which are erased on drop.
    ///
    /// # Errors
    /// None but of the memory.
    pub fn to_bytes(&self) -> Result<Zeroizing<Vec<u8>>, FileError> {
        let mut bytes = Zeroizing::new(Vec::new());
        self.key().write(self.scheme().rlwe(), self.scheme().digest(), &mut *bytes)?;
        Ok(bytes)
    }

    /// Reads a secret key of the given parameters from bytes.
    ///
    /// # Errors
    /// Bytes that aren't one.
    pub fn from_bytes(params: &S, bytes: &[u8]) -> Result<Self, FileError> {
        Self::from_source(params, Source::Bytes { name: "secret key", bytes })
    }

    /// Writes the key to a file that only its owner may read, and returns its length in bytes.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<u64, FileError> {
        self.key().write(self.scheme().rlwe(), self.scheme().digest(), path.as_ref())
    }

    /// Reads a secret key from a file.
    ///
    /// # Errors
    /// A file that isn't one of these parameters, and those of the operating system.
    pub fn read(params: &S, path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::from_source(params, path.as_ref().into())
    }

    fn from_source(params: &S, source: Source<'_>) -> Result<Self, FileError> {
        let key = asanoha_lattice::SecretKey::read(params.rlwe(), params.digest(), source)?;
        Ok(Self::of_key(params, key))
    }
}

impl<S: Scheme> PublicKey<S> {
    /// Encrypts numbers at the highest level.
    ///
    /// Missing numbers of a vector are zero; a single number fills every slot. In CKKS absolute values may be at most 1, or the
    /// bound of [`PublicKey::with_bound`].
    ///
    /// # Errors
    /// [`SchemeError::Plaintext`], [`SchemeError::TooManyValues`], [`SchemeError::BeyondBound`] for what doesn't fit.
    pub fn encrypt(&self, values: impl Numbers<S>) -> Result<Ciphertext<S>, SchemeError> {
        self.encrypt_with(values, &mut Sampler::from_os())
    }

    /// Encrypts as [`PublicKey::encrypt`] does, with a sampler's randomness.
    ///
    /// # Errors
    /// Those of [`PublicKey::encrypt`].
    pub fn encrypt_with(
        &self,
        values: impl Numbers<S>,
        sampler: &mut Sampler,
    ) -> Result<Ciphertext<S>, SchemeError> {
        let purpose = EncodeFor::Fresh { level: self.scheme.max_level(), bound: Some(self.bound) };
        let plaintext = values.encode_for(&self.scheme, purpose)?;
        Encryptor::new(&self.scheme).encrypt(&self.key, &plaintext, sampler)
    }

    /// Returns the same key for numbers of absolute values up to a bound. Exact schemes need no bound.
    ///
    /// Every ciphertext makes the bound public: use a bound on the kind of data (2.5 metres), never the largest value in the
    /// data.
    pub fn with_bound(&self, bound: f64) -> Self {
        Self { bound, ..self.clone() }
    }

    pub(crate) fn of_key(scheme: &S, key: asanoha_lattice::PublicKey) -> Self {
        Self { key, scheme: scheme.clone(), bound: DEFAULT_BOUND }
    }

    /// Returns the parameters that the key belongs to.
    pub fn scheme(&self) -> &S {
        &self.scheme
    }

    /// Returns the key without its parameters.
    pub fn key(&self) -> &asanoha_lattice::PublicKey {
        &self.key
    }

    /// Serialises the key to bytes, without the bound of [`PublicKey::with_bound`].
    ///
    /// # Errors
    /// None but of the memory.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FileError> {
        let mut bytes = Vec::new();
        self.key().write(self.scheme().rlwe(), self.scheme().digest(), &mut bytes)?;
        Ok(bytes)
    }

    /// Reads a public key of the given parameters from bytes.
    ///
    /// # Errors
    /// Bytes that aren't one.
    pub fn from_bytes(params: &S, bytes: &[u8]) -> Result<Self, FileError> {
        Self::from_source(params, Source::Bytes { name: "public key", bytes })
    }

    /// Writes the key to a file and returns its length in bytes.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<u64, FileError> {
        self.key().write(self.scheme().rlwe(), self.scheme().digest(), path.as_ref())
    }

    /// Reads a public key from a file.
    ///
    /// # Errors
    /// A file that isn't one of these parameters, and those of the operating system.
    pub fn read(params: &S, path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::from_source(params, path.as_ref().into())
    }

    fn from_source(params: &S, source: Source<'_>) -> Result<Self, FileError> {
        let key = asanoha_lattice::PublicKey::read(params.rlwe(), params.digest(), source)?;
        Ok(Self::of_key(params, key))
    }
}
