//! A server key in memory, or in a file if a memory limit asks for it.

use asanoha_ring::Sampler;
use asanoha_tfhe::{Bootstrapper, Ciphertext, ClientKey, ServerKey, StoredServerKey, Table, TfheParams};
use tempfile::NamedTempFile;

use super::TfheBenchError;

/// What a process takes beside its keys, in bytes.
const BESIDE_KEYS: u64 = 64 << 20;

/// A server key.
pub(crate) enum Server {
    /// Whole in memory.
    Whole(ServerKey),
    /// In a file without a name.
    Stored(StoredServerKey),
}

impl Server {
    /// Whether a limit holds a key in memory twice: it's made in its stored form first.
    pub(crate) fn fits(params: &TfheParams, memory_limit: Option<u64>) -> bool {
        let needed = 2 * params.expanded_key_bytes() as u64 + BESIDE_KEYS;
        memory_limit.is_none_or(|limit| limit >= needed)
    }

    /// A fresh key, in a file if the limit says so.
    pub(crate) fn new(
        params: &TfheParams,
        client: &ClientKey,
        memory_limit: Option<u64>,
    ) -> Result<Self, TfheBenchError> {
        let seeded = client.seeded_server_key(&mut Sampler::from_os());
        if Self::fits(params, memory_limit) {
            return Ok(Self::Whole(seeded.expand()));
        }
        let file = NamedTempFile::new()?;
        seeded.write(file.path())?;
        drop(seeded);
        // The key holds the file open, so that it stays when it loses its name here.
        Ok(Self::Stored(StoredServerKey::open(params, file.path())?))
    }

    /// Where the key is, for a row.
    pub(crate) fn place(&self) -> &'static str {
        match self {
            Self::Whole(_) => "memory",
            Self::Stored(_) => "file",
        }
    }

    /// The table's value at each number.
    pub(crate) fn apply_many(
        &self,
        jobs: &[(&Table, &Ciphertext)],
    ) -> Result<Vec<Ciphertext>, TfheBenchError> {
        match self {
            Self::Whole(key) => Ok(key.apply_many(jobs)?),
            Self::Stored(key) => Ok(key.apply_many(jobs)?),
        }
    }
}
