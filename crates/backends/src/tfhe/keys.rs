//! Keys of TFHE.

use std::path::Path;

use asanoha_lattice::{Destination, FileError, FileProblem, KeyId, Source, Unfinished};
use asanoha_ring::Sampler;
use asanoha_tfhe::{Bootstrapper, ClientKey, SeededServerKey, StoredServerKey, TfheParams};
use zeroize::Zeroizing;

use crate::backend_error::BackendError;
use crate::done::{Progress, go_on};
use crate::keys::{DecryptionKey, EncryptionKey, EvaluationKey, Keeping, Key, KeysOfEvaluation, NewKeys};

impl Key for ClientKey {
    fn id(&self) -> KeyId {
        self.id()
    }

    fn derive_key(&self, context: &str) -> Option<Zeroizing<[u8; 32]>> {
        Some(self.derive_key(context))
    }
}

/// All words of TFHE are on the torus. An evaluation expands them.
impl KeysOfEvaluation for SeededServerKey {
    fn id(&self) -> KeyId {
        self.id()
    }

    fn digest(&self) -> Option<&str> {
        self.digest()
    }

    fn bytes(&self) -> usize {
        self.params().server_key_bytes()
    }

    fn memory_bytes(&self) -> usize {
        self.params().expanded_key_bytes()
    }
}

impl KeysOfEvaluation for StoredServerKey {
    fn id(&self) -> KeyId {
        Bootstrapper::id(self)
    }

    fn digest(&self) -> Option<&str> {
        Some(self.digest())
    }

    fn bytes(&self) -> usize {
        Bootstrapper::params(self).server_key_bytes()
    }

    fn memory_bytes(&self) -> usize {
        Bootstrapper::params(self).expanded_key_bytes()
    }
}

/// Generates the secrets, which encrypt too, and the keys of bootstrapping and key switching.
pub(crate) fn generate(
    params: &TfheParams,
    keeping: Keeping<'_>,
    sampler: &mut Sampler,
) -> Result<NewKeys, BackendError> {
    let client = ClientKey::generate(params, sampler);
    let server = client.seeded_server_key(sampler);
    let evaluation = match keeping {
        Keeping::Memory(progress) => {
            go_on(progress(1, 1))?;
            EvaluationKey::new(server)
        }
        Keeping::Folder(folder) => EvaluationKey::new(stored(params, &server, folder)?),
    };
    let secret = DecryptionKey::new(client);
    Ok(NewKeys { public: EncryptionKey::from(&secret), secret, evaluation })
}

/// The same secrets, of which the keys are written.
pub(crate) fn generate_to(
    params: &TfheParams,
    to: Destination<'_>,
    progress: Progress<'_>,
    sampler: &mut Sampler,
) -> Result<(DecryptionKey, EncryptionKey), BackendError> {
    let client = ClientKey::generate(params, sampler);
    let server = client.seeded_server_key(sampler);
    go_on(progress(1, 1))?;
    server.write(to)?;
    let secret = DecryptionKey::new(client);
    let public = EncryptionKey::from(&secret);
    Ok((secret, public))
}

/// The same keys in a file that has no name.
fn stored(params: &TfheParams, key: &SeededServerKey, folder: &Path) -> Result<StoredServerKey, FileError> {
    let made = Unfinished::begin(|| {
        let (_, path) = tempfile::NamedTempFile::new_in(folder)?.keep()?;
        let removed = path.clone();
        Ok((path, move || drop(std::fs::remove_file(removed))))
    });
    let (path, _unfinished) =
        made.map_err(|error| FileError { path: folder.into(), problem: FileProblem::Io(error) })?;
    key.write(&path)?;
    // The key holds the file open, so that it stays when it loses its name here.
    StoredServerKey::open(params, &path)
}

/// Writes the secrets.
pub(crate) fn write_secret(key: &DecryptionKey, to: Destination<'_>) -> Result<u64, FileError> {
    let client = key.get::<ClientKey>().ok_or_else(|| {
        FileError::content(Path::new("the keys"), "they are of another scheme than the plan")
    })?;
    client.write(to)
}

/// Reads the secrets.
pub(crate) fn read_secret(params: &TfheParams, from: Source<'_>) -> Result<DecryptionKey, FileError> {
    ClientKey::read(params, from).map(DecryptionKey::new)
}

/// Writes evaluation keys that are in memory.
pub(crate) fn write_evaluation(key: &EvaluationKey, to: Destination<'_>) -> Result<u64, FileError> {
    if let Some(key) = key.get::<SeededServerKey>() {
        return key.write(to);
    }
    let why = match key.get::<StoredServerKey>() {
        Some(_) => "they stay in the file that they were made in: make keys without low memory",
        None => "they are of another scheme than the plan",
    };
    Err(FileError::content(Path::new("evaluation keys"), why))
}

/// Reads evaluation keys into memory.
pub(crate) fn read_evaluation(params: &TfheParams, from: Source<'_>) -> Result<EvaluationKey, FileError> {
    SeededServerKey::read(params, from).map(EvaluationKey::new)
}

/// Opens evaluation keys.
pub(crate) fn open_evaluation(params: &TfheParams, path: &Path) -> Result<EvaluationKey, FileError> {
    StoredServerKey::open(params, path).map(EvaluationKey::new)
}
