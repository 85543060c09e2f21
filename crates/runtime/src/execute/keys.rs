//! The keys of a plan, in memory and in files.

use std::{
    fs::File,
    io::{self, ErrorKind, Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use asanoha_lattice::{
    Destination, EvaluationKeys, FileError, FileHeader, FileProblem, FileReader, KeyId, PublicKey,
    RlweParams, SecretKey, Source, Unfinished,
};
use asanoha_ring::Sampler;
use asanoha_tfhe::{Bootstrapper, ClientKey, SeededServerKey, StoredServerKey};
use zeroize::Zeroizing;

use super::{
    ExecuteError, FolderError,
    progress::{Progress, go_on, unwatched},
    record, sealed,
};
use crate::plan::{Plan, SchemeParams};

/// Names of the files of a key directory.
pub(super) const SECRET_FILE: &str = "secret.safetensors";
/// The secret file, encrypted under a passphrase.
pub(super) const SEALED_FILE: &str = "secret.sealed";
pub(super) const PUBLIC_FILE: &str = "public.safetensors";
const EVALUATION_FILE: &str = "evaluation.safetensors";
/// The key that re-encrypts what is under the keys before these.
const REENCRYPTION_FILE: &str = "reencryption.safetensors";

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

/// What decrypts.
#[derive(Debug)]
pub enum DecryptionKey {
    /// The secret polynomial of schemes with slots.
    Slots(Arc<SecretKey>),
    /// TFHE's secrets.
    Tfhe(Arc<ClientKey>),
}

/// What encrypts.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there's one in a run")]
pub enum EncryptionKey {
    /// The public key of schemes with slots.
    Slots(PublicKey),
    /// Their secret key, whose ciphertexts take half the bytes: seeds stand for the uniform halves.
    Secret(Arc<SecretKey>),
    /// TFHE's secrets: its encryption isn't public.
    Tfhe(Arc<ClientKey>),
}

/// What evaluates. Clones share it.
#[derive(Clone, Debug)]
pub enum EvaluationKey {
    /// The relinearisation and rotation keys of schemes with slots.
    Slots(Arc<EvaluationKeys>),
    /// TFHE's keys of bootstrapping and key switching, with seeds for their masks: an evaluation expands them.
    Tfhe(Arc<SeededServerKey>),
    /// The same in a file, where an evaluation reads them.
    StoredTfhe(Arc<StoredServerKey>),
}

impl DecryptionKey {
    /// The identifier of its key generation.
    pub fn id(&self) -> KeyId {
        match self {
            Self::Slots(key) => key.id(),
            Self::Tfhe(key) => key.id(),
        }
    }
}

impl From<&DecryptionKey> for EncryptionKey {
    fn from(key: &DecryptionKey) -> Self {
        match key {
            DecryptionKey::Slots(key) => Self::Secret(key.clone()),
            DecryptionKey::Tfhe(key) => Self::Tfhe(key.clone()),
        }
    }
}

impl EncryptionKey {
    /// The identifier of its key generation.
    pub fn id(&self) -> KeyId {
        match self {
            Self::Slots(key) => key.id(),
            Self::Secret(key) => key.id(),
            Self::Tfhe(key) => key.id(),
        }
    }
}

impl EvaluationKey {
    /// The identifier of its key generation.
    pub fn id(&self) -> KeyId {
        match self {
            Self::Slots(keys) => keys.id,
            Self::Tfhe(key) => key.id(),
            Self::StoredTfhe(key) => key.id(),
        }
    }

    /// The digest of the file that they were read from, if they were, in hexadecimal digits.
    pub fn digest(&self) -> Option<&str> {
        match self {
            Self::Slots(keys) => keys.digest(),
            Self::Tfhe(key) => key.digest(),
            Self::StoredTfhe(key) => Some(key.digest()),
        }
    }

    /// Bytes in a file.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Slots(keys) => keys.bytes(),
            Self::Tfhe(key) => key.params().server_key_bytes(),
            Self::StoredTfhe(key) => key.params().server_key_bytes(),
        }
    }

    /// Writes the keys of a plan to a file or to memory; the length.
    ///
    /// # Errors
    /// Keys that stay in the file that they were made in, keys of another scheme than the plan's, and what the operating system
    /// says.
    pub fn write<'d>(&self, plan: &Plan, to: impl Into<Destination<'d>>) -> Result<u64, FileError> {
        let refused = |problem: &str| FileError::content(Path::new("evaluation keys"), problem);
        match (self, plan.params.rlwe()) {
            (Self::Slots(keys), Some(rlwe)) => keys.write_for(rlwe, plan.params.digest(), to),
            (Self::Tfhe(key), _) => key.write(to),
            (Self::Slots(_), None) => Err(refused("they are of another scheme than the plan")),
            (Self::StoredTfhe(_), _) => {
                Err(refused("they stay in the file that they were made in: make keys without low memory"))
            }
        }
    }

    /// Reads the keys of a plan into memory.
    ///
    /// # Errors
    /// What is damaged, or lacks a key that the plan needs or holds it for lower levels only.
    pub fn read<'s>(plan: &Plan, from: impl Into<Source<'s>>) -> Result<Self, FileError> {
        let from = from.into();
        match &plan.params {
            SchemeParams::Tfhe(params) => {
                SeededServerKey::read(params, from).map(|key| Self::Tfhe(Arc::new(key)))
            }
            params => {
                let rlwe = params.rlwe().expect("schemes with slots have one");
                let keys = EvaluationKeys::read_for(rlwe, params.digest(), from)?;
                Self::checked(plan, keys, &from.name())
            }
        }
    }

    /// Opens the keys of a plan, which stay in their file and are read while they're used: that takes little memory, and more
    /// time.
    ///
    /// # Errors
    /// Those of [`EvaluationKey::read`].
    pub fn open(plan: &Plan, path: &Path) -> Result<Self, FileError> {
        match &plan.params {
            SchemeParams::Tfhe(params) => {
                StoredServerKey::open(params, path).map(|key| Self::StoredTfhe(Arc::new(key)))
            }
            params => {
                let rlwe = params.rlwe().expect("schemes with slots have one");
                Self::checked(plan, EvaluationKeys::open_for(rlwe, params.digest(), path)?, path)
            }
        }
    }

    /// Reads keys that stay in their file row by row and checks their words, which an evaluation would else do.
    ///
    /// # Errors
    /// Words above their prime, and a file that was changed since it was opened.
    pub fn check_rows(&self) -> io::Result<()> {
        // All words of TFHE are on the torus.
        if let Self::Slots(keys) = self { keys.check_rows() } else { Ok(()) }
    }

    /// Keys that were found somewhere, if they're all that the plan needs.
    fn checked(plan: &Plan, keys: EvaluationKeys, place: &Path) -> Result<Self, FileError> {
        let rlwe = plan.params.rlwe().expect("these keys are of schemes with slots");
        match keys.require(rlwe, &plan.key_levels()) {
            Ok(()) => Ok(Self::Slots(Arc::new(keys))),
            Err(missing) => Err(FileError::content(
                place,
                format!("{missing}: use the keys that were made for this plan"),
            )),
        }
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
    let keys = generate(plan, sampler, |rlwe, secret, sampler| {
        let levels = plan.key_levels();
        let keys = EvaluationKeys::generate_levels_with_progress(rlwe, secret, &levels, sampler, progress);
        keys.ok_or(ExecuteError::Stopped)
    })?;
    if let SchemeParams::Tfhe(_) = plan.params {
        go_on(progress(1, 1))?;
    }
    Ok(keys)
}

/// As [`generate_keys`], bit by bit, but with little memory: the evaluation keys are in a file of a folder, which
/// has no name, which nobody else can read, and which goes with them.
///
/// # Errors
/// What the operating system says, under the folder's name.
pub fn generate_stored_keys(plan: &Plan, folder: &Path, sampler: &mut Sampler) -> Result<Keys, FileError> {
    let place = (plan.params.digest(), folder);
    let mut keys = generate(plan, sampler, |rlwe, secret, sampler| {
        EvaluationKeys::generate_stored(rlwe, secret, &plan.key_levels(), sampler, place)
    })?;
    if let (EvaluationKey::Tfhe(key), SchemeParams::Tfhe(params)) = (&keys.evaluation, &plan.params) {
        let made = Unfinished::begin(|| {
            let (_, path) = tempfile::NamedTempFile::new_in(folder)?.keep()?;
            let removed = path.clone();
            Ok((path, move || drop(std::fs::remove_file(removed))))
        });
        let (path, _unfinished) =
            made.map_err(|error| FileError { path: folder.into(), problem: FileProblem::Io(error) })?;
        key.write(&path)?;
        // The key holds the file open, so that it stays when it loses its name here.
        let stored = StoredServerKey::open(params, &path)?;
        keys.evaluation = EvaluationKey::StoredTfhe(Arc::new(stored));
    }
    Ok(keys)
}

/// The keys of a plan; how the evaluation keys of schemes with slots are made is given.
fn generate<E>(
    plan: &Plan,
    sampler: &mut Sampler,
    evaluation: impl FnOnce(&RlweParams, &SecretKey, &mut Sampler) -> Result<EvaluationKeys, E>,
) -> Result<Keys, E> {
    let (params, digest) = (plan.params.digest(), plan.digest());
    let mut sampler = sampler.branch("keys", &[params.as_bytes(), digest.as_bytes()]);
    if let SchemeParams::Tfhe(params) = &plan.params {
        let client = Arc::new(ClientKey::generate(params, &mut sampler));
        let evaluation = EvaluationKey::Tfhe(Arc::new(client.seeded_server_key(&mut sampler)));
        let public = EncryptionKey::Tfhe(client.clone());
        return Ok(Keys { secret: Some(DecryptionKey::Tfhe(client)), public, evaluation });
    }
    let rlwe = plan.params.rlwe().expect("schemes with slots have one");
    let secret = Arc::new(SecretKey::generate(rlwe, &mut sampler));
    let public = EncryptionKey::Slots(PublicKey::generate(rlwe, &secret, &mut sampler));
    let evaluation = EvaluationKey::Slots(Arc::new(evaluation(rlwe, &secret, &mut sampler)?));
    Ok(Keys { secret: Some(DecryptionKey::Slots(secret)), public, evaluation })
}

/// The file of a folder's secret key.
pub(super) fn secret_file(folder: &Path) -> PathBuf {
    let [plain, sealed] = [SECRET_FILE, SEALED_FILE].map(|name| folder.join(name));
    if sealed.exists() && !plain.exists() { sealed } else { plain }
}

/// Writes the bytes of a sealed file, which only their owner may read; the length.
pub(super) fn write_sealed(path: &Path, sealed: &[u8]) -> Result<u64, FileError> {
    asanoha_lattice::deliver(path, true, |file| file.write_all(sealed))
        .map_err(|error| FileError { path: path.into(), problem: FileProblem::Io(error) })?;
    Ok(sealed.len() as u64)
}

/// Reads a file whole, if it isn't longer than any of these should be.
pub(super) fn read_whole(path: &Path) -> Result<Zeroizing<Vec<u8>>, FileError> {
    let at = |error| FileError { path: path.into(), problem: FileProblem::Io(error) };
    let file = File::open(path).map_err(at)?;
    let bytes = file.metadata().map_err(at)?.len();
    if bytes > sealed::MAX_SEALED_BYTES {
        return Err(FileError::content(
            path,
            format!("it has {bytes} bytes, more than such a file can have"),
        ));
    }
    let mut contents = Zeroizing::new(Vec::with_capacity(bytes as usize));
    file.take(sealed::MAX_SEALED_BYTES).read_to_end(&mut contents).map_err(at)?;
    Ok(contents)
}

fn secret_from(plan: &Plan, from: Source<'_>) -> Result<DecryptionKey, FileError> {
    match &plan.params {
        SchemeParams::Tfhe(params) => {
            ClientKey::read(params, from).map(|key| DecryptionKey::Tfhe(Arc::new(key)))
        }
        params => {
            let rlwe = params.rlwe().expect("schemes with slots have one");
            SecretKey::read(rlwe, params.digest(), from).map(|key| DecryptionKey::Slots(Arc::new(key)))
        }
    }
}

/// Whether a file isn't there or may not be read.
fn is_withheld(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied)
}

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
        let digest = plan.params.digest();
        let at = |name: &str| folder.join(name);
        let mut files = Vec::new();
        if let Some(secret) = &self.secret {
            let write = |to: Destination<'_>| match (secret, plan.params.rlwe()) {
                (DecryptionKey::Slots(secret), Some(rlwe)) => secret.write(rlwe, digest, to),
                (DecryptionKey::Tfhe(client), _) => client.write(to),
                (DecryptionKey::Slots(_), None) => {
                    Err(FileError::content(folder, "the keys are of another scheme than the plan"))
                }
            };
            let (name, other) =
                if passphrase.is_some() { (SEALED_FILE, SECRET_FILE) } else { (SECRET_FILE, SEALED_FILE) };
            let place = at(name);
            let length = match passphrase {
                None => write(Destination::File(&place))?,
                Some(passphrase) => {
                    let mut bytes = Zeroizing::new(Vec::new());
                    write(Destination::Bytes(&mut bytes))?;
                    write_sealed(&place, &sealed::seal(&bytes, passphrase))?
                }
            };
            files.push((name, length));
            match std::fs::remove_file(at(other)) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(FileError { path: at(other), problem: FileProblem::Io(error) });
                }
                _ => {}
            }
            if let DecryptionKey::Slots(secret) = secret {
                let recorded = record::create(folder, secret).map_err(|error| FileError {
                    path: error.path,
                    problem: FileProblem::Content(error.problem.to_string()),
                });
                files.push((record::RECORD_FILE, recorded?));
            }
        }
        if let (EncryptionKey::Slots(public), Some(rlwe)) = (&self.public, plan.params.rlwe()) {
            files.push((PUBLIC_FILE, public.write(rlwe, digest, &at(PUBLIC_FILE))?));
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
        let public = match &secret {
            DecryptionKey::Slots(_) => Self::read_public(plan, folder)?,
            DecryptionKey::Tfhe(_) => EncryptionKey::from(&secret),
        };
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
        match plan.params.rlwe() {
            Some(rlwe) => {
                let path = folder.join(PUBLIC_FILE);
                PublicKey::read(rlwe, plan.params.digest(), &path).map(EncryptionKey::Slots)
            }
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
            read => read,
        }
    }

    fn open_secret(plan: &Plan, folder: &Path, passphrase: &[u8]) -> Result<DecryptionKey, FileError> {
        let path = folder.join(SEALED_FILE);
        let sealed = read_whole(&path)?;
        let bytes = sealed::open(&sealed, passphrase)
            .map_err(|error| FileError::content(&path, error.to_string()))?;
        secret_from(plan, Source::Bytes { name: SEALED_FILE, bytes: &bytes })
    }
}
