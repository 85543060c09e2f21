//! Keys of schemes with slots.

use std::{io, path::Path};

use asanoha_lattice::{
    Destination, EvaluationKeys, FileError, KeyId, KeyLevels, PublicKey, RlweParams, SecretKey, Source,
};
use asanoha_ring::Sampler;
use zeroize::Zeroizing;

use crate::backend_error::BackendError;
use crate::done::Progress;
use crate::keys::{DecryptionKey, EncryptionKey, EvaluationKey, Keeping, Key, KeysOfEvaluation, NewKeys};
use crate::params::Parameters;

impl Key for SecretKey {
    fn id(&self) -> KeyId {
        self.id()
    }

    fn derive_key(&self, context: &str) -> Option<Zeroizing<[u8; 32]>> {
        Some(self.derive_key(context))
    }
}

impl Key for PublicKey {
    fn id(&self) -> KeyId {
        self.id()
    }
}

impl KeysOfEvaluation for EvaluationKeys {
    fn id(&self) -> KeyId {
        self.id
    }

    fn digest(&self) -> Option<&str> {
        self.digest()
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }

    fn check_rows(&self) -> io::Result<()> {
        self.check_rows()
    }
}

/// The ring of a scheme with slots.
fn ring(params: &dyn Parameters) -> &RlweParams {
    params.rlwe().expect("schemes with slots have one")
}

/// Generates the secret key, the public key, and the evaluation keys of these levels.
pub(crate) fn generate(
    params: &dyn Parameters,
    levels: &KeyLevels,
    keeping: Keeping<'_>,
    sampler: &mut Sampler,
) -> Result<NewKeys, BackendError> {
    let rlwe = ring(params);
    let secret = SecretKey::generate(rlwe, sampler);
    let public = EncryptionKey::new(PublicKey::generate(rlwe, &secret, sampler));
    let evaluation = match keeping {
        Keeping::Memory(progress) => {
            EvaluationKeys::generate_levels_with_progress(rlwe, &secret, levels, sampler, progress)
                .ok_or(BackendError::Stopped)?
        }
        Keeping::Folder(folder) => {
            EvaluationKeys::generate_stored(rlwe, &secret, levels, sampler, (params.digest(), folder))?
        }
    };
    Ok(NewKeys { secret: DecryptionKey::new(secret), public, evaluation: EvaluationKey::new(evaluation) })
}

/// As [`generate`], with the evaluation keys written to a file or to memory.
pub(crate) fn generate_to(
    params: &dyn Parameters,
    levels: &KeyLevels,
    to: Destination<'_>,
    progress: Progress<'_>,
    sampler: &mut Sampler,
) -> Result<(DecryptionKey, EncryptionKey), BackendError> {
    let rlwe = ring(params);
    let secret = SecretKey::generate(rlwe, sampler);
    let public = EncryptionKey::new(PublicKey::generate(rlwe, &secret, sampler));
    EvaluationKeys::generate_to(rlwe, &secret, levels, sampler, (params.digest(), to), progress)?
        .ok_or(BackendError::Stopped)?;
    Ok((DecryptionKey::new(secret), public))
}

/// What's said of keys of another scheme.
fn foreign(what: &str) -> FileError {
    FileError::content(Path::new(what), "they are of another scheme than the plan")
}

/// Writes a secret key.
pub(crate) fn write_secret(
    params: &dyn Parameters,
    key: &DecryptionKey,
    to: Destination<'_>,
) -> Result<u64, FileError> {
    let secret = key.get::<SecretKey>().ok_or_else(|| foreign("the keys"))?;
    secret.write(ring(params), params.digest(), to)
}

/// Reads a secret key.
pub(crate) fn read_secret(params: &dyn Parameters, from: Source<'_>) -> Result<DecryptionKey, FileError> {
    SecretKey::read(ring(params), params.digest(), from).map(DecryptionKey::new)
}

/// Writes a public key, if it is one.
pub(crate) fn write_public(
    params: &dyn Parameters,
    key: &EncryptionKey,
    to: Destination<'_>,
) -> Result<Option<u64>, FileError> {
    let public = key.get::<PublicKey>();
    public.map(|public| public.write(ring(params), params.digest(), to)).transpose()
}

/// Reads a public key.
pub(crate) fn read_public(params: &dyn Parameters, from: Source<'_>) -> Result<EncryptionKey, FileError> {
    PublicKey::read(ring(params), params.digest(), from).map(EncryptionKey::new)
}

/// Writes evaluation keys.
pub(crate) fn write_evaluation(
    params: &dyn Parameters,
    key: &EvaluationKey,
    to: Destination<'_>,
) -> Result<u64, FileError> {
    let keys = key.get::<EvaluationKeys>().ok_or_else(|| foreign("evaluation keys"))?;
    keys.write_for(ring(params), params.digest(), to)
}

/// Reads evaluation keys of these levels into memory.
pub(crate) fn read_evaluation(
    params: &dyn Parameters,
    levels: &KeyLevels,
    from: Source<'_>,
) -> Result<EvaluationKey, FileError> {
    let keys = EvaluationKeys::read_for(ring(params), params.digest(), from)?;
    checked(params, levels, keys, &from.name())
}

/// Opens evaluation keys of these levels.
pub(crate) fn open_evaluation(
    params: &dyn Parameters,
    levels: &KeyLevels,
    path: &Path,
) -> Result<EvaluationKey, FileError> {
    checked(params, levels, EvaluationKeys::open_for(ring(params), params.digest(), path)?, path)
}

/// Keys that were found somewhere, if they're all that is needed.
fn checked(
    params: &dyn Parameters,
    levels: &KeyLevels,
    keys: EvaluationKeys,
    place: &Path,
) -> Result<EvaluationKey, FileError> {
    match keys.require(ring(params), levels) {
        Ok(()) => Ok(EvaluationKey::new(keys)),
        Err(missing) => {
            Err(FileError::content(place, format!("{missing}: use the keys that were made for this plan")))
        }
    }
}
