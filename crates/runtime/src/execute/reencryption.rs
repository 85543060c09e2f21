//! From one key generation to the next: ciphertexts under old keys become ciphertexts under new ones, without a secret key.

use std::path::Path;

use asanoha_backends::{Contents, DecryptionKey, Progress};
use asanoha_lattice::{Destination, FileError, KeyId, RlweParams, SecretKey, Source};
use asanoha_ring::Sampler;
use asanoha_scheme::SchemeError;

use super::{
    encrypted::Encrypted,
    error::ExecuteError,
    progress::Parts,
    reencryption_counts::{check_room, ring},
    reencryption_error::ReencryptionError,
};
use crate::plan::Plan;

/// A public key that re-encrypts the inputs and results of plans of some parameters.
#[derive(Clone, Debug)]
pub struct ReencryptionKey(asanoha_lattice::ReencryptionKey);

impl ReencryptionKey {
    /// Refuses a plan whose ciphertexts can't be re-encrypted.
    ///
    /// # Errors
    /// [`ReencryptionError::Unsupported`].
    pub fn check(plan: &Plan) -> Result<(), ReencryptionError> {
        ring(plan).map(|_| ())
    }

    /// Generates the key from one secret key to another, both made for the parameters of a plan.
    ///
    /// # Errors
    /// [`ReencryptionError::Unsupported`], [`ReencryptionError::SameKeys`], and keys of other parameters.
    pub fn generate(
        plan: &Plan,
        from: &DecryptionKey,
        to: &DecryptionKey,
        sampler: &mut Sampler,
    ) -> Result<Self, ExecuteError> {
        let rlwe = ring(plan)?;
        let (Some(from), Some(to)) = (from.get::<SecretKey>(), to.get::<SecretKey>()) else {
            return Err(ExecuteError::OtherScheme);
        };
        [from, to].iter().try_for_each(|key| key.check(rlwe)).map_err(SchemeError::from)?;
        if from.id() == to.id() {
            return Err(ReencryptionError::SameKeys(to.id()).into());
        }
        let mut sampler = sampler.branch("re-encryption", &[plan.params.digest().as_bytes()]);
        Ok(Self(asanoha_lattice::ReencryptionKey::generate(rlwe, from, to, &mut sampler)))
    }

    /// The key generation of the ciphertexts that it takes.
    pub fn from(&self) -> KeyId {
        self.0.from()
    }

    /// The key generation of the ciphertexts that it gives.
    pub fn to(&self) -> KeyId {
        self.0.to()
    }

    /// Writes the key to a file or to memory; the length.
    ///
    /// # Errors
    /// What the operating system says, and a key of other parameters than the plan's.
    pub fn write<'d>(&self, plan: &Plan, to: impl Into<Destination<'d>>) -> Result<u64, FileError> {
        self.0.write_for(ring_of_file(plan)?, plan.params.digest(), to)
    }

    /// Reads a key of a plan's parameters.
    ///
    /// # Errors
    /// What is damaged, or of other parameters.
    pub fn read<'s>(plan: &Plan, from: impl Into<Source<'s>>) -> Result<Self, FileError> {
        let rlwe = ring_of_file(plan)?;
        asanoha_lattice::ReencryptionKey::read_for(rlwe, plan.params.digest(), from).map(Self)
    }
}

fn ring_of_file(plan: &Plan) -> Result<&RlweParams, FileError> {
    ring(plan).map_err(|error| FileError::content(Path::new("re-encryption key"), error.to_string()))
}

/// Re-encrypts the inputs or the results of a plan, ciphertext by ciphertext, and reports how many values are done. It needs no
/// secret key. The numbers in them stay the same; noise and error bounds grow by one key switch.
///
/// # Errors
/// Ciphertexts of another key generation than the key takes, too many re-encryptions, noise that doesn't fit, and
/// [`ExecuteError::Stopped`].
pub fn reencrypt(
    plan: &Plan,
    key: &ReencryptionKey,
    contents: Contents,
    encrypted: Encrypted,
    progress: Progress,
) -> Result<Encrypted, ExecuteError> {
    ring(plan)?;
    let parts = &Parts::begin(encrypted.values.len(), progress)?;
    if encrypted.key == key.to() {
        return Err(ReencryptionError::Already(key.to()).into());
    }
    if encrypted.key != key.from() {
        let error = ReencryptionError::OtherKeys { from: key.from(), ciphertexts: encrypted.key };
        return Err(error.into());
    }
    let reencryptions = encrypted.reencryptions.once_more(contents);
    check_room(plan, reencryptions)?;
    let (backend, done) = (plan.params.server(), || parts.finish_one());
    let values = backend.reencrypt(plan.scheduled(), &key.0, encrypted.values, &done)?;
    let seeded = encrypted.seeded || key.0.is_seeded();
    Ok(Encrypted {
        key: key.to(),
        seeded,
        reencryptions,
        values,
        digest: None,
        seeds: Vec::new(),
        ..encrypted
    })
}
