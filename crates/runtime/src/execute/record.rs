//! Records of the results that were shown under a secret key.

use std::{
    collections::BTreeMap,
    fmt,
    fs::File,
    io::{self, Read, Write},
    num::NonZeroU64,
    path::{Path, PathBuf},
};

use asanoha_backends::DecryptionKey;
use asanoha_ckks::PublicationId;
use asanoha_lattice::{KeyId, Unfinished, write_atomically};
use serde::{Deserialize, Serialize};
use zeroize::{Zeroize, Zeroizing};

use super::{
    files::secret_file,
    record_error::{MOST, RecordError, RecordProblem},
};

/// The record's name in a folder of keys.
pub(crate) const RECORD_FILE: &str = "published.json";

/// The version of records. Version 1 had no shown results, and other keys than those of RLWE had no record.
const VERSION: u32 = 2;
const LEAST_VERSION: u32 = 1;

/// The longest record: a publication takes 67 bytes, and shown results at most 130.
const MAX_BYTES: u64 = 200 * MOST as u64;

const DIGEST_CONTEXT: &str = "asanoha publication record: digest";

/// Results that were shown on the client's word that the server followed the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShownResults {
    /// The digest of their file.
    results: String,
    /// The bits of statistical security of their flooding, if they are approximate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    flooding: Option<u32>,
    /// The bits of all their numbers.
    bits: u64,
}

/// What stands in the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    version: u32,
    /// The key generation.
    key: String,
    /// The names of the publications, the first one's first.
    published: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shown: Vec<ShownResults>,
    /// Of all others, keyed by the secret: nobody else can count less.
    digest: String,
}

/// A record of the results that were shown under a secret key.
///
/// It counts two things. Approximate results are flooded with noise: the c-th publication stands at place c, from 1, and is flooded
/// accordingly. Results of a server that nobody checked may hold parts of the key: the bits of their numbers add up to a limit.
///
/// The record is a file beside the secret key that keygen makes. Each change is written beside it and renamed. While it's open no
/// other process has it: the secret key's file is locked. It can't notice that an older record of the same key was put back.
///
/// Clients without a file system have it in memory ([`PublicationRecord::new`], [`PublicationRecord::from_bytes`]) and keep its bytes.
pub struct PublicationRecord {
    path: PathBuf,
    key: String,
    mac: Zeroizing<[u8; 32]>,
    ordinals: BTreeMap<PublicationId, NonZeroU64>,
    shown: Vec<ShownResults>,
    changed: bool,
    /// Held until the record is dropped; `None` of a record in memory.
    _lock: Option<File>,
}

impl fmt::Debug for PublicationRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicationRecord({} published, {} bits shown)", self.count(), self.shown_bits())
    }
}

impl PublicationRecord {
    /// Opens the record in a folder of keys, waiting for other processes that have it.
    ///
    /// # Errors
    /// One that is missing, damaged, edited, or of another key.
    pub fn open(folder: &Path, secret: &DecryptionKey) -> Result<Self, RecordError> {
        let lock = lock(folder)?;
        let path = folder.join(RECORD_FILE);
        let read = || Self::of_fields(&path, fields(&path)?, secret);
        match read() {
            Ok(record) => Ok(Self { _lock: Some(lock), ..record }),
            Err(problem) => Err(RecordError { path, problem }),
        }
    }

    /// Returns the empty record of a new secret key, in memory.
    ///
    /// # Errors
    /// [`RecordProblem::Unkeyed`].
    pub fn new(secret: &DecryptionKey) -> Result<Self, RecordError> {
        let path = PathBuf::from(RECORD_FILE);
        Self::empty(&path, secret).map_err(|problem| RecordError { path, problem })
    }

    fn empty(path: &Path, secret: &DecryptionKey) -> Result<Self, RecordProblem> {
        let mac = secret.derive_key(DIGEST_CONTEXT).ok_or(RecordProblem::Unkeyed)?;
        let (path, key) = (path.to_owned(), secret.id().to_string());
        Ok(Self { path, key, mac, ordinals: BTreeMap::new(), shown: Vec::new(), changed: false, _lock: None })
    }

    /// Returns the record whose file has these bytes, in memory.
    ///
    /// # Errors
    /// One that is damaged, edited, or of another key.
    pub fn from_bytes(bytes: &[u8], secret: &DecryptionKey) -> Result<Self, RecordError> {
        let path = PathBuf::from(RECORD_FILE);
        let read = || Self::of_fields(&path, parse(bytes)?, secret);
        read().map_err(|problem| RecordError { path: path.clone(), problem })
    }

    /// The bytes of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut published: Vec<_> = self.ordinals.iter().map(|(id, ordinal)| (ordinal, id)).collect();
        published.sort_unstable();
        let published = published.into_iter().map(|(_, id)| hex(&id.0)).collect();
        let (version, digest) = (VERSION, String::new());
        let fields = Fields { version, key: self.key.clone(), published, shown: self.shown.clone(), digest };
        let digest = digest_of(&fields, &self.mac).to_hex().to_string();
        serde_json::to_vec(&Fields { digest, ..fields }).expect("plain data")
    }

    /// Reads the fields of a record, which must be of a key and as it was written.
    fn of_fields(path: &Path, fields: Fields, secret: &DecryptionKey) -> Result<Self, RecordProblem> {
        let empty = Self::empty(path, secret)?;
        if !(LEAST_VERSION..=VERSION).contains(&fields.version) {
            return Err(RecordProblem::Damaged("it's of another version"));
        }
        if fields.key != empty.key {
            return Err(RecordProblem::OtherKey { found: fields.key, expected: empty.key.clone() });
        }
        let found = blake3::Hash::from_hex(&fields.digest);
        // Digests are compared in constant time.
        if found.ok() != Some(digest_of(&fields, &empty.mac)) {
            return Err(RecordProblem::Damaged("its digest is another"));
        }
        let mut ordinals = BTreeMap::new();
        for (text, ordinal) in fields.published.iter().zip(1..) {
            let id =
                blake3::Hash::from_hex(text).map_err(|_| RecordProblem::Damaged("an entry is no name"))?;
            let ordinal = NonZeroU64::new(ordinal).expect("counted from 1");
            if ordinals.insert(PublicationId(*id.as_bytes()), ordinal).is_some() {
                return Err(RecordProblem::Damaged("an entry stands there twice"));
            }
        }
        if ordinals.len() > MOST || fields.shown.len() > MOST {
            return Err(RecordProblem::Damaged("it has more entries than there may be"));
        }
        Ok(Self { ordinals, shown: fields.shown, ..empty })
    }

    /// The ordinal of a publication: the one that it has, or the next.
    ///
    /// # Errors
    /// [`RecordProblem::Full`].
    pub fn ordinal(&mut self, id: PublicationId) -> Result<NonZeroU64, RecordError> {
        if let Some(&ordinal) = self.ordinals.get(&id) {
            return Ok(ordinal);
        }
        if self.ordinals.len() == MOST {
            return Err(self.error(RecordProblem::Full));
        }
        let ordinal = NonZeroU64::MIN.saturating_add(self.ordinals.len() as u64);
        self.ordinals.insert(id, ordinal);
        self.changed = true;
        Ok(ordinal)
    }

    /// Counts results, by the digest of their file and the bits of their flooding, whose numbers have so many bits and are shown
    /// unchecked. The same results count once.
    ///
    /// # Errors
    /// [`RecordProblem::TooMuchShown`] if all together exceed the limit. Nothing is counted then.
    pub fn show(
        &mut self,
        results: &str,
        flooding: Option<u32>,
        bits: u64,
        limit: u64,
    ) -> Result<(), RecordError> {
        if self.shown.iter().any(|shown| shown.results == results && shown.flooding == flooding) {
            return Ok(());
        }
        let shown = self.shown_bits();
        if self.shown.len() == MOST || shown.saturating_add(bits) > limit {
            return Err(self.error(RecordProblem::TooMuchShown { shown, more: bits, limit }));
        }
        self.shown.push(ShownResults { results: results.to_owned(), flooding, bits });
        self.changed = true;
        Ok(())
    }

    /// Counts what was shown under another key that the holder of this one's re-encryption key can bring under this one.
    pub fn inherit(&mut self, key: KeyId, bits: u64) {
        if bits > 0 {
            self.shown.push(ShownResults { results: format!("key generation {key}"), flooding: None, bits });
            self.changed = true;
        }
    }

    /// Copies the record of a key from one folder of keys to another, whose record of the same key counts less.
    ///
    /// # Errors
    /// Records that are missing or damaged, and what the operating system says.
    pub fn copy(from: &Path, to: &Path, secret: &DecryptionKey) -> Result<(), RecordError> {
        let record = Self::open(from, secret)?;
        let known = Self::open(to, secret)?;
        if (known.count(), known.shown_bits()) < (record.count(), record.shown_bits()) {
            write(&known.path, &record.to_bytes())?;
        }
        Ok(())
    }

    /// Returns the number of publications and the shown bits that a folder's record states, without a check of its digest.
    pub fn stated(folder: &Path) -> Option<(u64, u64)> {
        let fields = fields(&folder.join(RECORD_FILE)).ok()?;
        let shown = fields.shown.iter().fold(0u64, |all, shown| all.saturating_add(shown.bits));
        Some((fields.published.len() as u64, shown))
    }

    /// The number of publications.
    pub fn count(&self) -> u64 {
        self.ordinals.len() as u64
    }

    /// The bits of all numbers that were shown unchecked.
    pub fn shown_bits(&self) -> u64 {
        self.shown.iter().fold(0, |all, shown| all.saturating_add(shown.bits))
    }

    /// Writes what changed so that it outlasts a loss of power: results are given away after that.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn write(&mut self) -> Result<(), RecordError> {
        if self.changed {
            write(&self.path, &self.to_bytes())?;
            self.changed = false;
        }
        Ok(())
    }

    fn error(&self, problem: RecordProblem) -> RecordError {
        RecordError { path: self.path.clone(), problem }
    }
}

/// Locks the records of a folder of keys for this process, by its secret key's file.
pub(crate) fn lock(folder: &Path) -> Result<File, RecordError> {
    let path = secret_file(folder);
    let lock = || -> io::Result<File> {
        let file = File::open(&path)?;
        file.lock()?;
        Ok(file)
    };
    lock().map_err(|error| RecordError { path: path.clone(), problem: error.into() })
}

/// Makes the empty record of a new secret key in a folder; its length. One of the same key stays as it is: what was published
/// under it isn't forgotten. Keys that derive no key for it have no record.
pub(crate) fn create(folder: &Path, secret: &DecryptionKey) -> Result<Option<u64>, RecordError> {
    let path = folder.join(RECORD_FILE);
    if let Ok(fields) = fields(&path)
        && fields.key == secret.id().to_string()
    {
        let length = path.metadata().map(|metadata| metadata.len());
        return length.map(Some).map_err(|error| RecordError { path, problem: error.into() });
    }
    match PublicationRecord::new(secret) {
        Ok(record) => write(&path, &record.to_bytes()).map(Some),
        Err(_) => Ok(None),
    }
}

fn fields(path: &Path) -> Result<Fields, RecordProblem> {
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => RecordProblem::Missing,
        _ => error.into(),
    })?;
    let mut text = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut text)?;
    parse(&text)
}

fn parse(text: &[u8]) -> Result<Fields, RecordProblem> {
    if text.len() as u64 > MAX_BYTES {
        return Err(RecordProblem::Damaged("it's longer than any record"));
    }
    serde_json::from_slice(text).map_err(|_| RecordProblem::Damaged("it isn't the JSON of a record"))
}

/// Writes the bytes of a record, readable by its owner only, as a whole.
fn write(path: &Path, text: &[u8]) -> Result<u64, RecordError> {
    // Results come after their record.
    let _work = Unfinished::work();
    write_atomically(path, true, |file| file.write_all(text))
        .map_err(|error| RecordError { path: path.to_owned(), problem: error.into() })?;
    Ok(text.len() as u64)
}

/// The digest of all other fields. No name of a publication looks like shown results, so that the two lists can't be mistaken.
fn digest_of(fields: &Fields, mac: &[u8; 32]) -> blake3::Hash {
    let Fields { version, key, published, shown, .. } = fields;
    let shown = shown.iter().map(|ShownResults { results, flooding, bits }| {
        format!("shown: {results} {} {bits}", flooding.unwrap_or_default())
    });
    let mut hasher = blake3::Hasher::new_keyed(mac);
    hasher.update(&version.to_le_bytes());
    for text in [key].into_iter().chain(published).cloned().chain(shown) {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    let digest = hasher.finalize();
    hasher.zeroize();
    digest
}

fn hex(bytes: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*bytes).to_hex().to_string()
}
