//! The file format: safetensors with a checked header.
//!
//! The header's metadata hold the format, its version, the kind of file, the digest of the parameters, their security,
//! whether they are marked insecure, whether anything in the file was made from a given seed, the fields of the kind
//! (JSON), and the BLAKE3 digest of the whole file. That digest is computed with zeros in its own place, which is the
//! same in every file: the header's text begins with `{"__metadata__":{"digest":"`. The body is little-endian 64-bit
//! words. Nothing is allocated before the header was checked against the file's length, and nothing that was made of the body is
//! returned before the digest was checked.

mod atomic_write;
mod digest;
mod pause;
mod pieces;
mod place;
mod read;
mod stored;
mod unfinished;
mod write;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use atomic_write::{UNFINISHED_PREFIX, sync_folder, write_atomically};
#[doc(hidden)]
pub use pause::{pause, pause_at_file};
pub use pieces::FilePieces;
pub use place::{Destination, Source};
pub use read::FileReader;
pub(crate) use read::Index;
pub use stored::StoredFile;
pub use unfinished::{Unfinished, complete, remove_unfinished};
pub use write::FileWriter;
pub(crate) use write::{FileStream, write};

use crate::KeyId;

/// The version that this code writes, and the highest that it reads.
pub const FILE_VERSION: u32 = 4;

/// The lowest version that this code reads: later versions read those of the three before them, from this one on.
pub const LEAST_FILE_VERSION: u32 = 3;

/// The largest header that is read, in bytes.
pub const MAX_HEADER_BYTES: u64 = 1 << 24;

const FORMAT: &str = "asanoha";
const NO_DIGEST: &str = "0000000000000000000000000000000000000000000000000000000000000000";
const METADATA: &str = "__metadata__";
/// The beginning of the header's text; the digest's digits follow.
const START: &str = r#"{"__metadata__":{"digest":""#;
/// The range of the digest's digits in the header's text.
const DIGEST: std::ops::Range<usize> = START.len()..START.len() + NO_DIGEST.len();
const COPY_WORDS: usize = 1 << 16;

#[cfg(target_endian = "big")]
compile_error!(
    "files are read and written as little-endian words; big-endian processors need a conversion here"
);

/// The error of a file that can't be read or written; the message names the file.
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

    /// An error about what a file holds or should hold.
    pub fn content(path: &Path, message: impl Into<String>) -> Self {
        Self::new(path, FileProblem::Content(message.into()))
    }
}

/// The reason why a file can't be read or written.
#[derive(Debug, Error)]
pub enum FileProblem {
    /// An error of the operating system.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The file isn't in this format.
    #[error("not an asanoha file ({0})")]
    Foreign(String),
    /// The file has another version of the format.
    #[error(
        "written in version {found} of the format; this program reads versions {LEAST_FILE_VERSION} to {FILE_VERSION}"
    )]
    Version {
        /// The file's version.
        found: String,
    },
    /// The file is shorter or longer than its header says.
    #[error("{found} bytes long, but its header describes {expected}: it's truncated or damaged")]
    Length {
        /// The file's length in bytes.
        found: u64,
        /// The length that the header describes, in bytes.
        expected: u64,
    },
    /// The digest doesn't match the file's bytes.
    #[error("its digest doesn't match its contents: it's damaged")]
    Digest,
    /// The file is of another kind.
    #[error("holds {found}; {expected} was expected here")]
    Kind {
        /// The kind that the file states.
        found: String,
        /// The kind that was expected.
        expected: String,
    },
    /// The file belongs to other parameters.
    #[error(
        "belongs to other parameters ({found}…) than expected here ({expected}…): use files of one key generation"
    )]
    Params {
        /// The start of the file's parameter digest.
        found: String,
        /// The start of the expected digest.
        expected: String,
    },
    /// A part of the contents is missing or doesn't have the expected form.
    #[error("{0}")]
    Content(String),
}

/// The statements of a file's header.
#[derive(Clone, Debug, PartialEq)]
pub struct FileHeader {
    /// The kind: "secret key", "ciphertexts", …
    pub kind: String,
    /// The digest of the parameters, in hexadecimal digits.
    pub params: String,
    /// The identifier of the key generation that the contents belong to.
    pub key: KeyId,
    /// The classical security of the parameters in bits.
    pub security_bits: u32,
    /// Whether that security is extrapolated from the table ([`crate::security_is_extrapolated`]).
    pub security_extrapolated: bool,
    /// Whether the parameters are marked insecure.
    pub insecure: bool,
    /// Whether the contents were made from a given seed, or from something that was: whoever knows the seed knows their
    /// secrets.
    pub seeded: bool,
    /// The fields that the kind adds.
    pub fields: serde_json::Value,
}

impl FileHeader {
    /// Checks that the file is of a kind and belongs to parameters, given by their digest.
    ///
    /// # Errors
    /// [`FileProblem::Kind`] and [`FileProblem::Params`].
    pub fn check(&self, kind: &str, params: &str) -> Result<(), FileProblem> {
        if self.kind != kind {
            return Err(FileProblem::Kind { found: self.kind.clone(), expected: kind.into() });
        }
        self.check_params(params)
    }

    fn check_params(&self, params: &str) -> Result<(), FileProblem> {
        if self.params == params {
            return Ok(());
        }
        let start = |digest: &str| digest.chars().take(8).collect::<String>();
        Err(FileProblem::Params { found: start(&self.params), expected: start(params) })
    }
}

/// The type, dimensions and position of one tensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorInfo {
    /// The type of the words: `U64` or `I64`.
    pub dtype: String,
    /// The dimensions.
    pub shape: Vec<usize>,
    /// The first byte in the body, and the byte after the last.
    pub data_offsets: [u64; 2],
}

/// The metadata in the order of the text. The digest comes first: see [`START`].
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

/// The header of a file, read without its body.
#[derive(Debug)]
pub struct FileSummary {
    /// The statements of the header.
    pub header: FileHeader,
    /// The tensors, by name.
    pub tensors: BTreeMap<String, TensorInfo>,
    /// The digest that the header states, in hexadecimal digits.
    pub digest: String,
    /// The file's length in bytes.
    pub bytes: u64,
}
