//! The clients' keys that a server holds.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    fs,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use asanoha_http::ClientAddress;
use asanoha_lattice::{EvaluationKeys, PublicKey};
use asanoha_scheme::Scheme;
use tempfile::TempDir;

use super::{SearchError, SentKeys};
use crate::protocol::{Search, Server};

/// What names keys: the BLAKE3 digest of [`SentKeys`]' bytes.
pub(super) type Digest = [u8; 32];

/// The most searches that are remembered.
const MAX_SEARCHES: usize = 16;

/// A client's keys in files, which are what's read; so they needn't be in memory too.
pub(super) struct KeyFiles(TempDir);

impl KeyFiles {
    /// # Errors
    /// [`HttpError::System`](asanoha_http::HttpError::System).
    pub(super) fn write(sent: &SentKeys<'_>) -> Result<Self, SearchError> {
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
    /// [`SearchError::File`], [`SearchError::Protocol`], [`SearchError::Malformed`].
    pub(super) fn read(search: Search, files: &KeyFiles) -> Result<Self, SearchError> {
        let (params, digest) = (search.params().rlwe(), search.params().digest());
        let public = PublicKey::read(params, digest, &files.public())?;
        let evaluation = EvaluationKeys::read_for(params, digest, &files.evaluation())?;
        if public.id() != evaluation.id {
            return Err(SearchError::Malformed("its keys are of two key generations"));
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

/// A client's keys, and when they were used last.
#[derive(Debug)]
struct Entry {
    client: ClientAddress,
    used: u64,
    held: Arc<Held>,
}

/// All keys, and the searches that they're for.
#[derive(Debug, Default)]
pub(super) struct KeyRing {
    held: HashMap<Digest, Entry>,
    searches: HashMap<(usize, usize), Search>,
    uses: u64,
}

impl KeyRing {
    /// The keys of a digest, which count as used now.
    pub(super) fn get(&mut self, digest: &Digest) -> Option<Arc<Held>> {
        self.uses += 1;
        let entry = self.held.get_mut(digest)?;
        entry.used = self.uses;
        Some(Arc::clone(&entry.held))
    }

    /// Adds a client's keys. While all keys take more than so many bytes, the client whose keys take most of them loses those that it
    /// has not used for the longest time.
    pub(super) fn insert(&mut self, digest: Digest, client: ClientAddress, held: Held, most_bytes: usize) {
        self.uses += 1;
        self.held.insert(digest, Entry { client, used: self.uses, held: Arc::new(held) });
        loop {
            let mut bytes: HashMap<ClientAddress, usize> = HashMap::new();
            self.held.values().for_each(|entry| *bytes.entry(entry.client).or_default() += entry.held.bytes);
            if bytes.values().sum::<usize>() <= most_bytes {
                return;
            }
            let others = self.held.iter().filter(|(other, _)| **other != digest);
            let last = others.max_by_key(|(_, entry)| (bytes[&entry.client], Reverse(entry.used)));
            let Some(last) = last.map(|(&digest, _)| digest) else { return };
            self.held.remove(&last);
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

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use crate::protocol::{Client, SearchShape};

    fn held(bytes: usize) -> Held {
        let shape = SearchShape { letters: 1, haplotypes: 3, candidates: 1, counts: true };
        let search = Search::insecure(shape, 64).unwrap();
        let (keys, public) = Client::new(&search).server_keys();
        let server = Server::new(&search, keys, public).unwrap();
        Held { search, server, bytes, answered: Mutex::default() }
    }

    #[test]
    fn the_client_with_most_bytes_of_keys_loses_some() {
        let [greedy, honest] = [1, 2].map(|last| IpAddr::from([192, 0, 2, last]).into());
        let mut ring = KeyRing::default();
        ring.insert([0; 32], honest, held(2), 10);
        (1..=5).for_each(|digest| ring.insert([digest; 32], greedy, held(3), 10));
        // The oldest ones stay, as they're another client's.
        let there = [0, 1, 2, 3, 4, 5].map(|digest| ring.get(&[digest; 32]).is_some());
        assert_eq!(there, [true, false, false, false, true, true]);
        ring.insert([6; 32], honest, held(11), 10);
        assert_eq!([0, 5, 6].map(|digest| ring.get(&[digest; 32]).is_some()), [false, false, true]);
    }
}
