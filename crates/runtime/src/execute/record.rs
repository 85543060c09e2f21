//! The record of what was published under a secret key.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read, Write},
    num::NonZeroU64,
    path::{Path, PathBuf},
};

use asanoha_ckks::PublicationId;
use asanoha_lattice::{SecretKey, Unfinished, write_atomically};
use serde::{Deserialize, Serialize};
use zeroize::Zeroize;

use super::{
    files::secret_file,
    record_error::{MOST, RecordError, RecordProblem},
};

/// The record's name in a folder of keys.
pub(super) const RECORD_FILE: &str = "published.json";

/// The version of records.
const VERSION: u32 = 1;

/// The longest record: an entry takes 67 bytes.
const MAX_BYTES: u64 = 100 * MOST as u64;

const DIGEST_CONTEXT: &str = "asanoha publication record: digest";

/// What stands in the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    version: u32,
    /// The key generation.
    key: String,
    /// The names of the publications, the first one's first.
    published: Vec<String>,
    /// Of all others, keyed by the secret: nobody else can count less.
    digest: String,
}

/// The record of what was published under a secret key: the c-th publication stands at place c, from 1, and is flooded
/// accordingly. It's a file beside the secret key that keygen makes; each change is written beside it and renamed.
///
/// While it's open no other process has it: the secret key's file is locked. What it can't notice is an older record of the
/// same key that was put back.
///
/// Clients without a file system have it in memory ([`PublicationRecord::new`], [`PublicationRecord::from_bytes`]) and keep its bytes.
#[derive(Debug)]
pub struct PublicationRecord {
    path: PathBuf,
    key: String,
    ordinals: BTreeMap<PublicationId, NonZeroU64>,
    changed: bool,
    /// Held until the record is dropped; `None` of a record in memory.
    _lock: Option<File>,
}

impl PublicationRecord {
    /// Opens the record in a folder of keys, waiting for other processes that have it.
    ///
    /// # Errors
    /// One that is missing, damaged, edited, or of another key.
    pub fn open(folder: &Path, secret: &SecretKey) -> Result<Self, RecordError> {
        let (path, locked) = (folder.join(RECORD_FILE), secret_file(folder));
        let lock = || -> io::Result<File> {
            let file = File::open(&locked)?;
            file.lock()?;
            Ok(file)
        };
        let lock = lock().map_err(|error| RecordError { path: locked.clone(), problem: error.into() })?;
        let key = secret.id().to_string();
        match fields(&path).and_then(|fields| ordinals(&fields, &key, secret)) {
            Ok(ordinals) => Ok(Self { path, key, ordinals, changed: false, _lock: Some(lock) }),
            Err(problem) => Err(RecordError { path, problem }),
        }
    }

    /// The empty record of a new secret key, in memory.
    pub fn new(secret: &SecretKey) -> Self {
        let (path, key) = (PathBuf::from(RECORD_FILE), secret.id().to_string());
        Self { path, key, ordinals: BTreeMap::new(), changed: false, _lock: None }
    }

    /// The record whose file has these bytes, in memory.
    ///
    /// # Errors
    /// One that is damaged, edited, or of another key.
    pub fn from_bytes(bytes: &[u8], secret: &SecretKey) -> Result<Self, RecordError> {
        let empty = Self::new(secret);
        match parse(bytes).and_then(|fields| ordinals(&fields, &empty.key, secret)) {
            Ok(ordinals) => Ok(Self { ordinals, ..empty }),
            Err(problem) => Err(RecordError { path: empty.path.clone(), problem }),
        }
    }

    /// The bytes of its file.
    pub fn to_bytes(&self, secret: &SecretKey) -> Vec<u8> {
        text(&self.key, self.names(), secret)
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
            return Err(RecordError { path: self.path.clone(), problem: RecordProblem::Full });
        }
        let ordinal = NonZeroU64::MIN.saturating_add(self.ordinals.len() as u64);
        self.ordinals.insert(id, ordinal);
        self.changed = true;
        Ok(ordinal)
    }

    /// How many publications there are.
    pub fn count(&self) -> u64 {
        self.ordinals.len() as u64
    }

    /// Writes what changed so that it outlasts a loss of power: results are given away after that.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn write(&mut self, secret: &SecretKey) -> Result<(), RecordError> {
        if self.changed {
            write(&self.path, &text(&self.key, self.names(), secret))?;
            self.changed = false;
        }
        Ok(())
    }

    /// The names of the publications, the first one's first.
    fn names(&self) -> Vec<String> {
        let mut published: Vec<_> = self.ordinals.iter().map(|(id, ordinal)| (ordinal, id)).collect();
        published.sort_unstable();
        published.into_iter().map(|(_, id)| hex(&id.0)).collect()
    }
}

/// Makes the empty record of a new secret key in a folder; its length. One of the same key stays as it is: what was published
/// under it isn't forgotten.
pub(super) fn create(folder: &Path, secret: &SecretKey) -> Result<u64, RecordError> {
    let (path, key) = (folder.join(RECORD_FILE), secret.id().to_string());
    if let Ok(fields) = fields(&path)
        && fields.key == key
    {
        let length = path.metadata().map(|metadata| metadata.len());
        return length.map_err(|error| RecordError { path, problem: error.into() });
    }
    write(&path, &text(&key, Vec::new(), secret))
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

/// The publications of a record, which must be of a key and as it was written.
fn ordinals(
    fields: &Fields,
    key: &str,
    secret: &SecretKey,
) -> Result<BTreeMap<PublicationId, NonZeroU64>, RecordProblem> {
    if fields.version != VERSION {
        return Err(RecordProblem::Damaged("it's of another version"));
    }
    if fields.key != key {
        return Err(RecordProblem::OtherKey { found: fields.key.clone(), expected: key.to_owned() });
    }
    let found = blake3::Hash::from_hex(&fields.digest);
    // Digests are compared in constant time.
    if found.ok() != Some(digest(key, &fields.published, secret)) {
        return Err(RecordProblem::Damaged("its digest is another"));
    }
    let mut ordinals = BTreeMap::new();
    for (text, ordinal) in fields.published.iter().zip(1..) {
        let id = blake3::Hash::from_hex(text).map_err(|_| RecordProblem::Damaged("an entry is no name"))?;
        let ordinal = NonZeroU64::new(ordinal).expect("counted from 1");
        if ordinals.insert(PublicationId(*id.as_bytes()), ordinal).is_some() {
            return Err(RecordProblem::Damaged("an entry stands there twice"));
        }
    }
    if ordinals.len() > MOST {
        return Err(RecordProblem::Damaged("it has more entries than there may be"));
    }
    Ok(ordinals)
}

/// The bytes of a record.
fn text(key: &str, published: Vec<String>, secret: &SecretKey) -> Vec<u8> {
    let digest = digest(key, &published, secret).to_hex().to_string();
    let fields = Fields { version: VERSION, key: key.to_owned(), published, digest };
    serde_json::to_vec(&fields).expect("plain data")
}

/// Writes the bytes of a record, readable by its owner only, as a whole.
fn write(path: &Path, text: &[u8]) -> Result<u64, RecordError> {
    // Results come after their record.
    let _work = Unfinished::work();
    write_atomically(path, true, |file| file.write_all(text))
        .map_err(|error| RecordError { path: path.to_owned(), problem: error.into() })?;
    Ok(text.len() as u64)
}

fn digest(key: &str, published: &[String], secret: &SecretKey) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_keyed(&secret.derive_key(DIGEST_CONTEXT));
    hasher.update(&VERSION.to_le_bytes());
    for text in std::iter::once(key).chain(published.iter().map(String::as_str)) {
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
