//! The clients' keys that a server holds.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use asanoha_lattice::{EvaluationKeys, PublicKey};
use asanoha_scheme::Scheme;
use tempfile::TempDir;

use super::{HttpError, SentKeys};
use crate::protocol::{Search, Server};

/// What names keys: the BLAKE3 digest of [`SentKeys`]' bytes.
pub(super) type Digest = [u8; 32];

/// The most searches that are remembered.
const MAX_SEARCHES: usize = 16;

/// A client's keys in files, which are what's read; so they needn't be in memory too.
pub(super) struct KeyFiles(TempDir);

impl KeyFiles {
    /// # Errors
    /// [`HttpError::System`].
    pub(super) fn write(sent: &SentKeys<'_>) -> Result<Self, HttpError> {
        let files = Self(tempfile::tempdir()?);
        fs::write(files.public(), sent.public)?;
        fs::write(files.evaluation(), sent.evaluation)?;
        Ok(files)
    }

    fn public(&self) -> PathBuf {
        self.0.path().join("public-key")
    }

    fn evaluation(&self) -> PathBuf {
        self.0.path().join("evaluation-keys")
    }
}

/// A client's keys, ready for use.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) search: Search,
    pub(super) server: Server,
    bytes: usize,
    answered: Mutex<HashSet<Digest>>,
}

/// A lock, whether or not another thread panicked: what is under these is whole between statements.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a query may be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum First {
    Yes,
    Replayed,
    TooMany,
}

impl Held {
    /// Reads keys for a search.
    ///
    /// # Errors
    /// [`HttpError::File`], [`HttpError::Protocol`], [`HttpError::Malformed`].
    pub(super) fn read(search: Search, files: &KeyFiles) -> Result<Self, HttpError> {
        let (params, digest) = (search.params().rlwe(), search.params().digest());
        let public = PublicKey::read(params, digest, &files.public())?;
        let evaluation = EvaluationKeys::read_for(params, digest, &files.evaluation())?;
        if public.id() != evaluation.id {
            return Err(HttpError::Malformed("its keys are of two key generations"));
        }
        let bytes = evaluation.bytes();
        let server = Server::new(&search, evaluation, public)?;
        Ok(Self { search, server, bytes, answered: Mutex::default() })
    }

    /// Whether a query comes for the first time, of at most so many; from then on it doesn't.
    pub(super) fn first(&self, query: &[u8], most: usize) -> First {
        let mut answered = locked(&self.answered);
        if answered.len() >= most {
            return First::TooMany;
        }
        if answered.insert(*blake3::hash(query).as_bytes()) { First::Yes } else { First::Replayed }
    }
}

/// All keys, and the searches that they're for.
#[derive(Debug, Default)]
pub(super) struct KeyRing {
    held: HashMap<Digest, (u64, Arc<Held>)>,
    searches: HashMap<(usize, usize), Search>,
    uses: u64,
}

impl KeyRing {
    /// The keys of a digest, which count as used now.
    pub(super) fn get(&mut self, digest: &Digest) -> Option<Arc<Held>> {
        self.uses += 1;
        let (last, held) = self.held.get_mut(digest)?;
        *last = self.uses;
        Some(Arc::clone(held))
    }

    /// Adds keys, and drops those that weren't used for the longest time while all take more than so many bytes.
    pub(super) fn insert(&mut self, digest: Digest, held: Held, most_bytes: usize) {
        self.uses += 1;
        self.held.insert(digest, (self.uses, Arc::new(held)));
        while self.held.len() > 1
            && self.held.values().map(|(_, held)| held.bytes).sum::<usize>() > most_bytes
        {
            let oldest = self.held.iter().min_by_key(|(_, (last, _))| *last).map(|(&digest, _)| digest);
            oldest.and_then(|digest| self.held.remove(&digest));
        }
    }

    /// Drops the keys of a digest.
    pub(super) fn remove(&mut self, digest: &Digest) {
        self.held.remove(digest);
    }

    /// The search for so many letters and starts, if it's remembered.
    pub(super) fn search(&self, sizes: (usize, usize)) -> Option<Search> {
        self.searches.get(&sizes).cloned()
    }

    /// Remembers a search.
    pub(super) fn remember(&mut self, sizes: (usize, usize), search: &Search) {
        if self.searches.len() >= MAX_SEARCHES {
            self.searches.clear();
        }
        self.searches.insert(sizes, search.clone());
    }
}
