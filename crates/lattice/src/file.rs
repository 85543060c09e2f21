//! Files: safetensors with a checked header.
//!
//! The header's metadata hold the format, its version, the kind of file, the digest of the parameters, their
//! security, what the kind adds (JSON), and the BLAKE3 digest of the whole file, computed with zeros in its own
//! place. The body is little-endian 64-bit words. Nothing is allocated before the header was checked against the
//! file's length, and nothing is used before the digest was checked.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{Read, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use zeroize::Zeroize;

use crate::KeyId;

/// The version that this code writes, and the only one that it reads.
pub const FILE_VERSION: u32 = 2;

/// The longest header that is read.
pub const MAX_HEADER_BYTES: u64 = 1 << 24;

const FORMAT: &str = "asanoha";
const NO_DIGEST: &str = "0000000000000000000000000000000000000000000000000000000000000000";
const METADATA: &str = "__metadata__";
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
    /// Made with parameters that say that they're insecure.
    pub insecure: bool,
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

#[derive(Serialize, Deserialize)]
struct Metadata {
    digest: String,
    fields: String,
    format: String,
    insecure: String,
    key: String,
    kind: String,
    params: String,
    security_bits: String,
    version: String,
}

/// A file being put together: written at once, beside its place, then renamed.
#[derive(Debug)]
pub struct FileWriter<'a> {
    header: FileHeader,
    tensors: BTreeMap<String, (TensorInfo, Vec<&'a [u64]>)>,
    private: bool,
}

impl<'a> FileWriter<'a> {
    /// A file without tensors yet.
    pub fn new(header: FileHeader) -> Self {
        Self { header, tensors: BTreeMap::new(), private: false }
    }

    /// Only the owner may read the file.
    pub fn private(mut self) -> Self {
        self.private = true;
        self
    }

    /// Adds a tensor made of the given pieces.
    ///
    /// # Panics
    /// If the pieces don't have as many words as the shape says, or the name is taken.
    pub fn tensor(&mut self, name: impl Into<String>, shape: &[usize], pieces: Vec<&'a [u64]>) {
        let words: usize = pieces.iter().map(|piece| piece.len()).sum();
        assert_eq!(words, shape.iter().product::<usize>());
        let info = TensorInfo { dtype: "U64".into(), shape: shape.to_vec(), data_offsets: [0; 2] };
        assert!(self.tensors.insert(name.into(), (info, pieces)).is_none());
    }

    /// Writes the file; its length in bytes.
    pub fn write(mut self, path: &Path) -> Result<u64, FileError> {
        let at = |problem: std::io::Error| FileError { path: path.into(), problem: problem.into() };
        let mut offset = 0;
        for (info, pieces) in self.tensors.values_mut() {
            let bytes: usize = pieces.iter().map(|piece| size_of_val(*piece)).sum();
            info.data_offsets = [offset, offset + bytes as u64];
            offset += bytes as u64;
        }
        let mut header = self.header_bytes();
        let mut hash = blake3::Hasher::new();
        hash.update(&(header.len() as u64).to_le_bytes());
        hash.update(&header);
        let pieces = || self.tensors.values().flat_map(|(_, pieces)| pieces.iter());
        pieces().for_each(|piece| {
            hash.update(bytemuck::cast_slice(piece));
        });
        let digest = hash.finalize().to_hex();
        let place = find(&header, NO_DIGEST.as_bytes()).expect("the placeholder was just written");
        header[place..place + digest.len()].copy_from_slice(digest.as_bytes());

        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        if !self.private {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o644));
        }
        let mut file = builder.tempfile_in(folder).map_err(at)?;
        file.write_all(&(header.len() as u64).to_le_bytes()).map_err(at)?;
        file.write_all(&header).map_err(at)?;
        for piece in pieces() {
            file.write_all(bytemuck::cast_slice(piece)).map_err(at)?;
        }
        file.as_file().sync_all().map_err(at)?;
        file.persist(path).map_err(|error| at(error.error))?;
        Ok(8 + header.len() as u64 + offset)
    }

    /// The JSON header, padded so that the body is aligned to words.
    fn header_bytes(&self) -> Vec<u8> {
        let metadata = Metadata {
            digest: NO_DIGEST.into(),
            fields: self.header.fields.to_string(),
            format: FORMAT.into(),
            insecure: self.header.insecure.to_string(),
            key: self.header.key.to_string(),
            kind: self.header.kind.clone(),
            params: self.header.params.clone(),
            security_bits: self.header.security_bits.to_string(),
            version: FILE_VERSION.to_string(),
        };
        let mut entries = serde_json::Map::new();
        entries.insert(METADATA.into(), serde_json::to_value(metadata).expect("plain data"));
        for (name, (info, _)) in &self.tensors {
            entries.insert(name.clone(), serde_json::to_value(info).expect("plain data"));
        }
        let mut bytes = serde_json::to_vec(&entries).expect("plain data");
        bytes.resize(bytes.len().next_multiple_of(8), b' ');
        bytes
    }
}

/// A file that was read and checked.
#[derive(Debug)]
pub struct FileReader {
    path: PathBuf,
    header: FileHeader,
    tensors: BTreeMap<String, TensorInfo>,
    body: Vec<u64>,
}

/// The header of a file, read alone.
#[derive(Debug)]
pub struct FileSummary {
    /// What the file says of itself.
    pub header: FileHeader,
    /// Its tensors.
    pub tensors: BTreeMap<String, TensorInfo>,
    /// Its length.
    pub bytes: u64,
}

impl FileReader {
    /// Reads the header only, and checks it against the file's length; the body isn't looked at.
    pub fn summary(path: &Path) -> Result<FileSummary, FileError> {
        open(path).map(|opened| opened.summary).map_err(|problem| FileError { path: path.into(), problem })
    }

    /// Reads a file of a kind and checks everything.
    pub fn read(path: &Path, kind: &str, params: &str) -> Result<Self, FileError> {
        read_checked(path, kind, params).map_err(|problem| FileError { path: path.into(), problem })
    }

    /// Erases the body: for files of secrets.
    pub fn erase(&mut self) {
        self.body.zeroize();
    }

    /// What the file says of itself.
    pub fn header(&self) -> &FileHeader {
        &self.header
    }

    /// The names of its tensors.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    /// The dimensions and the words of a tensor.
    pub fn tensor(&self, name: &str) -> Result<(&[usize], &[u64]), FileError> {
        let info =
            self.tensors.get(name).ok_or_else(|| self.error(format!("the tensor {name} is missing")))?;
        let [from, to] = info.data_offsets.map(|offset| offset as usize / 8);
        Ok((&info.shape, &self.body[from..to]))
    }

    /// The words of a tensor that must have the given dimensions.
    pub fn words(&self, name: &str, shape: &[usize]) -> Result<&[u64], FileError> {
        let (found, words) = self.tensor(name)?;
        if found != shape {
            return Err(self.error(format!("the tensor {name} has dimensions {found:?} and not {shape:?}")));
        }
        Ok(words)
    }

    /// An error about this file's contents.
    pub fn error(&self, message: impl Into<String>) -> FileError {
        FileError { path: self.path.clone(), problem: FileProblem::Content(message.into()) }
    }
}

struct Opened {
    file: File,
    header_bytes: Vec<u8>,
    digest: String,
    summary: FileSummary,
}

fn open(path: &Path) -> Result<Opened, FileProblem> {
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let mut length = [0; 8];
    if bytes < 8 {
        return Err(FileProblem::Foreign(format!("it has only {bytes} bytes")));
    }
    file.read_exact(&mut length)?;
    let header_length = u64::from_le_bytes(length);
    if header_length > MAX_HEADER_BYTES {
        return Err(FileProblem::Foreign("it doesn't begin with a header's length".into()));
    }
    if header_length + 8 > bytes {
        return Err(FileProblem::Length { found: bytes, expected: header_length + 8 });
    }
    let mut header_bytes = vec![0; header_length as usize];
    file.read_exact(&mut header_bytes)?;
    let foreign = |error: serde_json::Error| FileProblem::Foreign(format!("its header isn't ours: {error}"));
    let mut entries: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(&header_bytes).map_err(foreign)?;
    let metadata = entries.remove(METADATA).unwrap_or_default();
    if metadata.get("format").and_then(|format| format.as_str()) != Some(FORMAT) {
        return Err(FileProblem::Foreign("its header names another format".into()));
    }
    let version = metadata.get("version").and_then(|version| version.as_str()).unwrap_or("?");
    if version != FILE_VERSION.to_string() {
        return Err(FileProblem::Version { found: version.into() });
    }
    let metadata: Metadata = serde_json::from_value(metadata).map_err(foreign)?;
    let tensors: BTreeMap<String, TensorInfo> = entries
        .into_iter()
        .map(|(name, value)| Ok((name, serde_json::from_value(value).map_err(foreign)?)))
        .collect::<Result<_, FileProblem>>()?;
    let body = body_length(&tensors)?;
    let expected = 8 + header_length + body;
    if expected != bytes {
        return Err(FileProblem::Length { found: bytes, expected });
    }
    let number = |text: &str| text.parse().map_err(|_| FileProblem::Foreign("its header is damaged".into()));
    let header = FileHeader {
        security_bits: number(&metadata.security_bits)?,
        key: KeyId::parse(&metadata.key)
            .ok_or_else(|| FileProblem::Foreign("its header names no key generation".into()))?,
        insecure: metadata.insecure != "false",
        fields: serde_json::from_str(&metadata.fields).map_err(foreign)?,
        kind: metadata.kind,
        params: metadata.params,
    };
    let summary = FileSummary { header, tensors, bytes };
    Ok(Opened { file, header_bytes, digest: metadata.digest, summary })
}

/// The length of the body: the tensors lie one after another, as long as their dimensions say.
fn body_length(tensors: &BTreeMap<String, TensorInfo>) -> Result<u64, FileProblem> {
    let mut places: Vec<&TensorInfo> = tensors.values().collect();
    places.sort_by_key(|info| info.data_offsets);
    places.iter().try_fold(0u64, |end, info| {
        let words = info.shape.iter().try_fold(1u64, |words, &d| words.checked_mul(d as u64));
        let bytes = words.and_then(|words| words.checked_mul(8));
        let past = bytes.and_then(|bytes| end.checked_add(bytes));
        match past {
            Some(past) if info.dtype == "U64" && info.data_offsets == [end, past] => Ok(past),
            _ => Err(FileProblem::Foreign("its tensors don't fit together".into())),
        }
    })
}

fn read_checked(path: &Path, kind: &str, params: &str) -> Result<FileReader, FileProblem> {
    let Opened { mut file, mut header_bytes, digest, summary } = open(path)?;
    let FileSummary { header, tensors, bytes } = summary;
    if header.kind != kind {
        return Err(FileProblem::Kind { found: header.kind, expected: kind.into() });
    }
    let mut hash = blake3::Hasher::new();
    hash.update(&(header_bytes.len() as u64).to_le_bytes());
    let place = find(&header_bytes, digest.as_bytes()).filter(|_| digest.len() == NO_DIGEST.len());
    let place = place.ok_or(FileProblem::Digest)?;
    header_bytes[place..place + NO_DIGEST.len()].copy_from_slice(NO_DIGEST.as_bytes());
    hash.update(&header_bytes);
    let mut body = vec![0u64; (bytes - 8) as usize / 8 - header_bytes.len() / 8];
    for piece in body.chunks_mut(COPY_WORDS) {
        file.read_exact(bytemuck::cast_slice_mut(piece))?;
        hash.update(bytemuck::cast_slice(piece));
    }
    if hash.finalize().to_hex().as_str() != digest {
        return Err(FileProblem::Digest);
    }
    if header.params != params {
        let start = |digest: &str| digest.chars().take(8).collect::<String>();
        return Err(FileProblem::Params { found: start(&header.params), expected: start(params) });
    }
    Ok(FileReader { path: path.into(), header, tensors, body })
}

fn find(text: &[u8], pattern: &[u8]) -> Option<usize> {
    text.windows(pattern.len().max(1)).position(|window| window == pattern)
}
