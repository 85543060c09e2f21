//! The keys of a plan, in memory and in files.

use std::{io::ErrorKind, path::Path, sync::Arc};

use asanoha_lattice::{
    Destination, EvaluationKeys, FileError, FileHeader, FileProblem, FileReader, KeyId, PublicKey,
    RlweParams, SecretKey, Source, Unfinished,
};
use asanoha_ring::Sampler;
use asanoha_tfhe::{Bootstrapper, ClientKey, SeededServerKey, StoredServerKey};

use super::{
    ExecuteError,
    progress::{Progress, go_on, unwatched},
    record,
};
use crate::plan::{Plan, SchemeParams};

/// Names of the files of a key directory.
pub(super) const SECRET_FILE: &str = "secret.safetensors";
const PUBLIC_FILE: &str = "public.safetensors";
const EVALUATION_FILE: &str = "evaluation.safetensors";

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
    Slots(SecretKey),
    /// TFHE's secrets.
    Tfhe(Arc<ClientKey>),
}

/// What encrypts.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there's one in a run")]
pub enum EncryptionKey {
    /// The public key of schemes with slots.
    Slots(PublicKey),
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

impl EncryptionKey {
    /// The identifier of its key generation.
    pub fn id(&self) -> KeyId {
        match self {
            Self::Slots(key) => key.id(),
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
            (Self::Slots(keys), Some(rlwe)) => keys.write(rlwe, plan.params.digest(), to),
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
                let keys = EvaluationKeys::read(rlwe, params.digest(), from)?;
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
                Self::checked(plan, EvaluationKeys::open(rlwe, params.digest(), path)?, path)
            }
        }
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
    let secret = SecretKey::generate(rlwe, &mut sampler);
    let public = EncryptionKey::Slots(PublicKey::generate(rlwe, &secret, &mut sampler));
    let evaluation = EvaluationKey::Slots(Arc::new(evaluation(rlwe, &secret, &mut sampler)?));
    Ok(Keys { secret: Some(DecryptionKey::Slots(secret)), public, evaluation })
}

impl Keys {
    /// The name of the record of publications ([`super::PublicationRecord`]), which is written beside the secret key.
    pub const RECORD: &str = record::RECORD_FILE;

    /// The names of the files in a folder of keys, the secret's first.
    pub const FILES: [&str; 3] = [SECRET_FILE, PUBLIC_FILE, EVALUATION_FILE];

    /// Writes the keys to a folder, the secret to a file that only its owner may read; the files' lengths.
    pub fn write(&self, plan: &Plan, folder: &Path) -> Result<Vec<(&'static str, u64)>, FileError> {
        let digest = plan.params.digest();
        let at = |name: &str| folder.join(name);
        let mut files = Vec::new();
        match (&self.secret, plan.params.rlwe()) {
            (Some(DecryptionKey::Slots(secret)), Some(rlwe)) => {
                files.push((SECRET_FILE, secret.write(rlwe, digest, &at(SECRET_FILE))?));
                let recorded = record::create(folder, secret).map_err(|error| FileError {
                    path: error.path,
                    problem: FileProblem::Content(error.problem.to_string()),
                });
                files.push((record::RECORD_FILE, recorded?));
            }
            (Some(DecryptionKey::Tfhe(client)), _) => {
                files.push((SECRET_FILE, client.write(&at(SECRET_FILE))?));
            }
            _ => {}
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
    pub fn headers(folder: &Path) -> Result<Vec<FileHeader>, FileError> {
        let mut headers: Vec<(&str, FileHeader)> = Vec::new();
        for name in Self::FILES {
            let header = match FileReader::summary(&folder.join(name)) {
                Ok(summary) => summary.header,
                Err(FileError { problem: FileProblem::Io(error), .. })
                    if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) =>
                {
                    continue;
                }
                Err(error) => return Err(error),
            };
            if let Some((other, of)) = headers.first().filter(|(_, of)| of.key != header.key) {
                let problem = format!(
                    "is of key generation {}, and {other} beside it is of {}: put files of one keygen there, or make all anew with keygen --force",
                    header.key, of.key
                );
                return Err(FileError { path: folder.join(name), problem: FileProblem::Content(problem) });
            }
            headers.push((name, header));
        }
        Ok(headers.into_iter().map(|(_, header)| header).collect())
    }

    /// Reads what encrypts from a folder: the public key, or TFHE's secrets.
    pub fn read_public(plan: &Plan, folder: &Path) -> Result<EncryptionKey, FileError> {
        match &plan.params {
            SchemeParams::Tfhe(params) => ClientKey::read(params, &folder.join(SECRET_FILE))
                .map(|key| EncryptionKey::Tfhe(Arc::new(key))),
            params => {
                let rlwe = params.rlwe().expect("schemes with slots have one");
                PublicKey::read(rlwe, params.digest(), &folder.join(PUBLIC_FILE)).map(EncryptionKey::Slots)
            }
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

    /// Reads the secret key of a folder.
    pub fn read_secret(plan: &Plan, folder: &Path) -> Result<DecryptionKey, FileError> {
        let path = folder.join(SECRET_FILE);
        match &plan.params {
            SchemeParams::Tfhe(params) => {
                ClientKey::read(params, &path).map(|key| DecryptionKey::Tfhe(Arc::new(key)))
            }
            params => {
                let rlwe = params.rlwe().expect("schemes with slots have one");
                SecretKey::read(rlwe, params.digest(), &path).map(DecryptionKey::Slots)
            }
        }
    }
}
