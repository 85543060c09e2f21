//! Files: safetensors with a checked header.
//!
//! The header's metadata hold the format, its version, the kind of file, the digest of the parameters, their
//! security, whether they say that they're insecure, whether anything in the file was made from a given seed, what the
//! kind adds (JSON), and the BLAKE3 digest of the whole file, computed with zeros in its own place, which is the same in
//! every file: the header's text begins with `{"__metadata__":{"digest":"`. The body is little-endian 64-bit words. Nothing is allocated before the header was checked against the
//! file's length, and nothing is used before the digest was checked.

mod deliver;
mod digest;
mod read;
mod stored;
mod write;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use deliver::{deliver, sync_folder};
pub use read::FileReader;
pub(crate) use read::Index;
pub(crate) use stored::StoredFile;
pub(crate) use write::FileStream;
pub use write::FileWriter;

use crate::KeyId;

/// The version that this code writes, and the only one that it reads.
pub const FILE_VERSION: u32 = 3;

/// The longest header that is read.
pub const MAX_HEADER_BYTES: u64 = 1 << 24;

const FORMAT: &str = "asanoha";
const NO_DIGEST: &str = "0000000000000000000000000000000000000000000000000000000000000000";
const METADATA: &str = "__metadata__";
/// What the header's text begins with: the digest's digits follow.
const START: &str = r#"{"__metadata__":{"digest":""#;
/// Where the digest's digits stand in the header's text.
const DIGEST: std::ops::Range<usize> = START.len()..START.len() + NO_DIGEST.len();
const COPY_WORDS: usize = 1 << 16;

#[cfg(target_endian = "big")]
compile_error!(
    "files are read and written as little-endian words; big-endian processors need a conversion here"
);

/// A file that can't be read or written; the message names it.
#[derive(Debug, Error)]
#[error("{}: {problem}", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// What's wrong.
    pub problem: FileProblem,
}

impl FileError {
    pub(crate) fn new(path: &Path, problem: impl Into<FileProblem>) -> Self {
        Self { path: path.into(), problem: problem.into() }
    }
}

/// What's wrong with a file.
#[derive(Debug, Error)]
pub enum FileProblem {
    /// The operating system says no.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Not one of our files.
    #[error("not an asanoha file ({0})")]
    Foreign(String),
    /// Another version.
    #[error("written in version {found} of the format; this program reads version {FILE_VERSION}")]
    Version {
        /// The file's version.
        found: String,
    },
    /// Shorter or longer than its header says.
    #[error("{found} bytes long, but its header describes {expected}: it's truncated or damaged")]
    Length {
        /// The file's length.
        found: u64,
        /// The length that the header describes.
        expected: u64,
    },
    /// The digest doesn't match.
    #[error("its digest doesn't match its contents: it's damaged")]
    Digest,
    /// Another kind of file.
    #[error("holds {found}; {expected} was expected here")]
    Kind {
        /// What it holds.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// Made for other parameters.
    #[error(
        "belongs to other parameters ({found}…) than the plan's ({expected}…): use files of one key generation"
    )]
    Params {
        /// Start of the file's digest.
        found: String,
        /// Start of the expected digest.
        expected: String,
    },
    /// A part is missing or doesn't have the expected form.
    #[error("{0}")]
    Content(String),
}

/// What a file says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct FileHeader {
    /// What the file holds: "secret key", "ciphertexts", …
    pub kind: String,
    /// The digest of the parameters.
    pub params: String,
    /// The name of the key generation that the contents belong to.
    pub key: KeyId,
    /// The security of the parameters in bits.
    pub security_bits: u32,
    /// Whether that is extrapolated from the table ([`crate::security_is_extrapolated`]).
    pub security_extrapolated: bool,
    /// Made with parameters that say that they're insecure.
    pub insecure: bool,
    /// Made from a given seed, or from what was: whoever knows the seed knows its secrets.
    pub seeded: bool,
    /// What the kind adds.
    pub fields: serde_json::Value,
}

/// One tensor's place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorInfo {
    /// `U64` or `I64`.
    pub dtype: String,
    /// Its dimensions.
    pub shape: Vec<usize>,
    /// First and past-the-last byte in the body.
    pub data_offsets: [u64; 2],
}

/// The digest comes first: see [`START`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    digest: String,
    fields: String,
    format: String,
    insecure: String,
    key: String,
    kind: String,
    params: String,
    security_bits: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    security_extrapolated: Option<String>,
    seeded: String,
    version: String,
}

/// The header of a file, read alone.
#[derive(Debug)]
pub struct FileSummary {
    /// What the file says of itself.
    pub header: FileHeader,
    /// Its tensors.
    pub tensors: BTreeMap<String, TensorInfo>,
    /// The digest that it states, in hexadecimal digits.
    pub digest: String,
    /// Its length.
    pub bytes: u64,
}
