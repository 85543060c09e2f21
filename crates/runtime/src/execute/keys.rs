//! The keys of a plan, in memory and in files.

use std::{
    io::{self, ErrorKind},
    ops::Deref,
    path::Path,
};

use asanoha_backends::{BackendError, DecryptionKey, EncryptionKey, Keeping, NewKeys, Progress, go_on};
use asanoha_lattice::{Destination, FileError, FileHeader, FileProblem, FileReader, Source};
use asanoha_ring::Sampler;
use zeroize::Zeroizing;

use super::{
    error::ExecuteError,
    files::{
        EVALUATION_FILE, PUBLIC_FILE, REENCRYPTION_FILE, SEALED_FILE, SECRET_FILE, read_whole, secret_file,
        write_sealed,
    },
    folder_error::FolderError,
    progress::unwatched,
    record, sealed,
};
use crate::plan::Plan;

/// The keys of a plan.
#[derive(Debug)]
pub struct Keys {
    /// The secret: absent where only the server's part was read.
    pub secret: Option<DecryptionKey>,
    /// For encryption.
    pub public: EncryptionKey,
    /// For evaluation.
    pub evaluation: EvaluationKey,
}

/// What evaluates. Clones share it.
#[derive(Clone, Debug)]
pub struct EvaluationKey(asanoha_backends::EvaluationKey);

impl From<asanoha_backends::EvaluationKey> for EvaluationKey {
    fn from(key: asanoha_backends::EvaluationKey) -> Self {
        Self(key)
    }
}

impl Deref for EvaluationKey {
    type Target = asanoha_backends::EvaluationKey;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl EvaluationKey {
    /// The back-end's key.
    pub(super) fn into_inner(self) -> asanoha_backends::EvaluationKey {
        self.0
    }

    /// Writes the keys of a plan to a file or to memory; the length.
    ///
    /// # Errors
    /// Keys that stay in the file that they were made in, keys of another scheme than the plan's, and what the operating system
    /// says.
    pub fn write<'d>(&self, plan: &Plan, to: impl Into<Destination<'d>>) -> Result<u64, FileError> {
        plan.params.server().write_evaluation(&plan.params, self, to.into())
    }

    /// Reads the keys of a plan into memory.
    ///
    /// # Errors
    /// What is damaged, or lacks a key that the plan needs or holds it for lower levels only.
    pub fn read<'s>(plan: &Plan, from: impl Into<Source<'s>>) -> Result<Self, FileError> {
        let backend = plan.params.server();
        backend.read_evaluation(&plan.params, &plan.key_levels(), from.into()).map(Self)
    }

    /// Opens the keys of a plan, which stay in their file and are read while they're used: that takes little memory, and more
    /// time.
    ///
    /// # Errors
    /// Those of [`EvaluationKey::read`].
    pub fn open(plan: &Plan, path: &Path) -> Result<Self, FileError> {
        plan.params.server().open_evaluation(&plan.params, &plan.key_levels(), path).map(Self)
    }
}

/// Generates the keys of a plan: exactly those that its schedule needs, up to the levels where it does.
pub fn generate_keys(plan: &Plan, sampler: &mut Sampler) -> Keys {
    generate_keys_with_progress(plan, sampler, &unwatched).expect("nothing stops it")
}

/// As [`generate_keys`], telling how many keys are made; in TFHE there is one.
///
/// # Errors
/// [`ExecuteError::Stopped`].
pub fn generate_keys_with_progress(
    plan: &Plan,
    sampler: &mut Sampler,
    progress: Progress,
) -> Result<Keys, ExecuteError> {
    go_on(progress(0, 1))?;
    Ok(generate(plan, Keeping::Memory(progress), sampler)?)
}

/// As [`generate_keys`], bit by bit, but with little memory: the evaluation keys are in a file of a folder, which
/// has no name, which nobody else can read, and which goes with them.
///
/// # Errors
/// What the operating system says, under the folder's name.
pub fn generate_stored_keys(plan: &Plan, folder: &Path, sampler: &mut Sampler) -> Result<Keys, FileError> {
    generate(plan, Keeping::Folder(folder), sampler).map_err(|error| match error {
        BackendError::File(error) => error,
        other => FileError::content(folder, other.to_string()),
    })
}

/// As [`generate_keys_with_progress`], bit for bit, but the evaluation keys are written to a file or to memory as soon as they are made,
/// in the form of [`EvaluationKey::write`]. Returns the secret key and the key that encrypts.
///
/// # Errors
/// What the operating system says, and [`ExecuteError::Stopped`].
pub fn generate_keys_to<'d>(
    plan: &Plan,
    evaluation: impl Into<Destination<'d>>,
    sampler: &mut Sampler,
    progress: Progress,
) -> Result<(DecryptionKey, EncryptionKey), ExecuteError> {
    go_on(progress(0, 1))?;
    let (mut sampler, levels) = (sampler_of(plan, sampler), plan.key_levels());
    let (of, to) = (plan.scheduled(), evaluation.into());
    Ok(plan.params.backend().generate_keys_to(of, &levels, to, progress, &mut sampler)?)
}

/// The stream that the keys of a plan are drawn from.
fn sampler_of(plan: &Plan, sampler: &mut Sampler) -> Sampler {
    let (params, digest) = (plan.params.digest(), plan.digest());
    sampler.branch("keys", &[params.as_bytes(), digest.as_bytes()])
}

/// The keys of a plan.
fn generate(plan: &Plan, keeping: Keeping<'_>, sampler: &mut Sampler) -> Result<Keys, BackendError> {
    let mut sampler = sampler_of(plan, sampler);
    let (backend, levels) = (plan.params.server(), plan.key_levels());
    let keys = backend.generate_keys(plan.scheduled(), &levels, keeping, &mut sampler)?;
    let NewKeys { secret, public, evaluation } = keys;
    Ok(Keys { secret: Some(secret), public, evaluation: evaluation.into() })
}

fn secret_from(plan: &Plan, from: Source<'_>) -> Result<DecryptionKey, FileError> {
    plan.params.backend().read_secret(&plan.params, from)
}

/// The public key of a folder, in schemes that have one.
fn public_from(plan: &Plan, folder: &Path) -> Result<Option<EncryptionKey>, FileError> {
    plan.params.backend().read_public(&plan.params, Source::File(&folder.join(PUBLIC_FILE)))
}

/// The secret key in the bytes of a sealed file.
fn unseal(plan: &Plan, path: &Path, sealed: &[u8], passphrase: &[u8]) -> Result<DecryptionKey, FileError> {
    let bytes =
        sealed::open(sealed, passphrase).map_err(|error| FileError::content(path, error.to_string()))?;
    secret_from(plan, Source::Bytes { name: SEALED_FILE, bytes: &bytes })
}

/// Whether a file isn't there or may not be read.
fn is_withheld(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied)
}

/// The fault of a folder of keys for encryption and evaluation only.
const NO_SECRET: &str =
    "there is no secret key: results are decrypted with the folder of keys in which `keygen` made one";

impl Keys {
    /// The name of the record of publications ([`super::PublicationRecord`]), which is written beside the secret key.
    pub const RECORD: &str = record::RECORD_FILE;

    /// The names of the files in a folder of keys, the secret's first.
    pub const FILES: [&str; 3] = [SECRET_FILE, PUBLIC_FILE, EVALUATION_FILE];

    /// The name of the key that re-encrypts ciphertexts under an earlier key generation ([`super::ReencryptionKey`]).
    pub const REENCRYPTION: &str = REENCRYPTION_FILE;

    /// The name of the file of a secret key that is encrypted under a passphrase.
    pub const SEALED: &str = SEALED_FILE;

    /// Whether the secret key of a folder is encrypted under a passphrase.
    pub fn is_sealed(folder: &Path) -> bool {
        secret_file(folder).ends_with(SEALED_FILE)
    }

    /// Writes the keys to a folder, the secret to a file that only its owner may read; the files' lengths.
    pub fn write(&self, plan: &Plan, folder: &Path) -> Result<Vec<(&'static str, u64)>, FileError> {
        self.write_secured(plan, folder, None)
    }

    /// As [`Keys::write`], with the secret key encrypted under a passphrase (Argon2id, XChaCha20-Poly1305): [`Keys::read_secret`]
    /// reads it with the passphrase. A secret key that isn't encrypted doesn't stay beside it.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn write_sealed(
        &self,
        plan: &Plan,
        folder: &Path,
        passphrase: &[u8],
    ) -> Result<Vec<(&'static str, u64)>, FileError> {
        self.write_secured(plan, folder, Some(passphrase))
    }

    fn write_secured(
        &self,
        plan: &Plan,
        folder: &Path,
        passphrase: Option<&[u8]>,
    ) -> Result<Vec<(&'static str, u64)>, FileError> {
        let (backend, params) = (plan.params.backend(), &plan.params);
        let at = |name: &str| folder.join(name);
        let mut files = Vec::new();
        if let Some(secret) = &self.secret {
            let (name, other) =
                if passphrase.is_some() { (SEALED_FILE, SECRET_FILE) } else { (SECRET_FILE, SEALED_FILE) };
            let place = at(name);
            let length = match passphrase {
                None => backend.write_secret(params, secret, Destination::File(&place))?,
                Some(_) => write_sealed(&place, &Self::secret_to_bytes(plan, secret, passphrase)?)?,
            };
            files.push((name, length));
            match std::fs::remove_file(at(other)) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(FileError { path: at(other), problem: FileProblem::Io(error) });
                }
                _ => {}
            }
            let recorded = record::create(folder, secret).map_err(|error| FileError {
                path: error.path,
                problem: FileProblem::Content(error.problem.to_string()),
            });
            files.extend(recorded?.map(|length| (record::RECORD_FILE, length)));
        }
        let path = at(PUBLIC_FILE);
        if let Some(length) = backend.write_public(params, &self.public, Destination::File(&path))? {
            files.push((PUBLIC_FILE, length));
        }
        files.push((EVALUATION_FILE, self.evaluation.write(plan, &at(EVALUATION_FILE))?));
        Ok(files)
    }

    /// The headers of those files of a folder of keys that are there and may be read.
    ///
    /// # Errors
    /// A file that isn't of the same key generation as the others: keys of two don't fit together.
    pub fn headers(folder: &Path) -> Result<Vec<FileHeader>, FolderError> {
        let mut headers: Vec<(&'static str, FileHeader)> = Vec::new();
        for name in Self::FILES.into_iter().chain([Self::REENCRYPTION]) {
            let header = match FileReader::summary(&folder.join(name)) {
                Ok(summary) => summary.header,
                Err(FileError { problem: FileProblem::Io(error), .. }) if is_withheld(&error) => {
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            if let Some((other, of)) = headers.first().filter(|(_, of)| of.key != header.key) {
                let path = folder.join(name);
                return Err(FolderError::Mixed { path, key: header.key, other, of: of.key });
            }
            headers.push((name, header));
        }
        Ok(headers.into_iter().map(|(_, header)| header).collect())
    }

    /// Reads all keys of a folder, the secret one with a passphrase if it was written with one.
    ///
    /// # Errors
    /// Those of [`Keys::read_secret`], [`Keys::read_public`] and [`Keys::read_evaluation`]; files of
    /// several key generations.
    pub fn read(plan: &Plan, folder: &Path, passphrase: Option<&[u8]>) -> Result<Self, FolderError> {
        Self::headers(folder)?;
        let secret = Self::read_secret(plan, folder, passphrase)?;
        let public = public_from(plan, folder)?.unwrap_or_else(|| EncryptionKey::from(&secret));
        let evaluation = Self::read_evaluation(plan, folder)?;
        let key = secret.id();
        let others = [(PUBLIC_FILE, public.id()), (EVALUATION_FILE, evaluation.id())];
        if let Some((other, of)) = others.into_iter().find(|(_, of)| *of != key) {
            return Err(FolderError::Mixed { path: secret_file(folder), key, other, of });
        }
        Ok(Self { secret: Some(secret), public, evaluation })
    }

    /// Reads what encrypts from a folder: the secret key, with a passphrase if it was written with one, or the public key of schemes
    /// with slots where the secret key isn't there, may not be read, or needs a passphrase that isn't given.
    ///
    /// # Errors
    /// A file that is damaged, or of other parameters; another passphrase.
    pub fn read_encryption(
        plan: &Plan,
        folder: &Path,
        passphrase: Option<&[u8]>,
    ) -> Result<EncryptionKey, FileError> {
        if passphrase.is_some() {
            return Self::read_secret(plan, folder, passphrase).map(|secret| EncryptionKey::from(&secret));
        }
        match secret_from(plan, Source::File(&folder.join(SECRET_FILE))) {
            Ok(secret) => Ok(EncryptionKey::from(&secret)),
            Err(FileError { problem: FileProblem::Io(error), .. }) if is_withheld(&error) => {
                Self::read_public(plan, folder)
            }
            Err(error) => Err(error),
        }
    }

    /// Reads the public key of a folder; in TFHE, where there is none, the secrets.
    ///
    /// # Errors
    /// A file that is damaged, or of other parameters.
    pub fn read_public(plan: &Plan, folder: &Path) -> Result<EncryptionKey, FileError> {
        match public_from(plan, folder)? {
            Some(public) => Ok(public),
            None => Self::read_secret(plan, folder, None).map(|secret| EncryptionKey::from(&secret)),
        }
    }

    /// Reads the evaluation keys of a folder into memory.
    ///
    /// # Errors
    /// A file that is damaged, or lacks a key that the plan needs or holds it for lower levels only.
    pub fn read_evaluation(plan: &Plan, folder: &Path) -> Result<EvaluationKey, FileError> {
        EvaluationKey::read(plan, &folder.join(EVALUATION_FILE))
    }

    /// The evaluation keys of a folder, which stay in their file and are read while they're used: that takes little
    /// memory, and more time.
    ///
    /// # Errors
    /// Those of [`Keys::read_evaluation`].
    pub fn open_evaluation(plan: &Plan, folder: &Path) -> Result<EvaluationKey, FileError> {
        EvaluationKey::open(plan, &folder.join(EVALUATION_FILE))
    }

    /// Reads the secret key of a folder, with a passphrase if it was written with one.
    ///
    /// # Errors
    /// A file that isn't there, is damaged, or is encrypted under a passphrase that isn't given, or is another.
    pub fn read_secret(
        plan: &Plan,
        folder: &Path,
        passphrase: Option<&[u8]>,
    ) -> Result<DecryptionKey, FileError> {
        if let Some(passphrase) = passphrase {
            return Self::open_secret(plan, folder, passphrase);
        }
        let path = folder.join(SECRET_FILE);
        match secret_from(plan, Source::File(&path)) {
            Err(FileError { problem: FileProblem::Io(error), .. })
                if error.kind() == ErrorKind::NotFound && folder.join(SEALED_FILE).exists() =>
            {
                Err(FileError::content(
                    &folder.join(SEALED_FILE),
                    "the secret key is encrypted under a passphrase, which is needed here",
                ))
            }
            Err(FileError { problem: FileProblem::Io(error), .. }) if error.kind() == ErrorKind::NotFound => {
                Err(FileError::content(folder, NO_SECRET))
            }
            read => read,
        }
    }

    /// Returns true for a folder with a secret key, sealed or not.
    pub fn has_secret(folder: &Path) -> bool {
        [SECRET_FILE, SEALED_FILE].iter().any(|file| folder.join(file).exists())
    }

    fn open_secret(plan: &Plan, folder: &Path, passphrase: &[u8]) -> Result<DecryptionKey, FileError> {
        if !Self::has_secret(folder) {
            return Err(FileError::content(folder, NO_SECRET));
        }
        let path = folder.join(SEALED_FILE);
        unseal(plan, &path, &read_whole(&path)?, passphrase)
    }

    /// The bytes of the file of a secret key: of [`Keys::SEALED`] under a passphrase, else of the first of [`Keys::FILES`].
    ///
    /// # Errors
    /// A key of another scheme than the plan's.
    pub fn secret_to_bytes(
        plan: &Plan,
        secret: &DecryptionKey,
        passphrase: Option<&[u8]>,
    ) -> Result<Zeroizing<Vec<u8>>, FileError> {
        let mut bytes = Zeroizing::new(Vec::new());
        plan.params.backend().write_secret(&plan.params, secret, Destination::Bytes(&mut bytes))?;
        let Some(passphrase) = passphrase else { return Ok(bytes) };
        Ok(Zeroizing::new(sealed::seal(&bytes, passphrase)))
    }

    /// Reads a secret key from the bytes of [`Keys::secret_to_bytes`].
    ///
    /// # Errors
    /// What is damaged or of other parameters, and another passphrase.
    pub fn secret_from_bytes(
        plan: &Plan,
        bytes: &[u8],
        passphrase: Option<&[u8]>,
    ) -> Result<DecryptionKey, FileError> {
        match passphrase {
            None => secret_from(plan, Source::Bytes { name: SECRET_FILE, bytes }),
            Some(passphrase) => unseal(plan, Path::new(SEALED_FILE), bytes, passphrase),
        }
    }

    /// The bytes of the file of a public key, in schemes that have one.
    ///
    /// # Errors
    /// A key of another scheme than the plan's.
    pub fn public_to_bytes(plan: &Plan, public: &EncryptionKey) -> Result<Option<Vec<u8>>, FileError> {
        let mut bytes = Vec::new();
        let written =
            plan.params.backend().write_public(&plan.params, public, Destination::Bytes(&mut bytes))?;
        Ok(written.map(|_| bytes))
    }

    /// Reads a public key from the bytes of [`Keys::public_to_bytes`]; `None` in schemes that have none.
    ///
    /// # Errors
    /// What is damaged or of other parameters.
    pub fn public_from_bytes(plan: &Plan, bytes: &[u8]) -> Result<Option<EncryptionKey>, FileError> {
        plan.params.backend().read_public(&plan.params, Source::Bytes { name: PUBLIC_FILE, bytes })
    }
}
