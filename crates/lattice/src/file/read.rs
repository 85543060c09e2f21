//! Reading files, with all the checks that come before a word is used.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{Read, Seek},
    ops::Range,
    path::PathBuf,
    str::FromStr,
};

use asanoha_ring::{Basis, Evaluation, Poly};
use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor},
};
use zeroize::Zeroizing;

use super::{
    COPY_WORDS, DIGEST, FILE_VERSION, FORMAT, FileError, FileHeader, FileProblem, FileSummary,
    LEAST_FILE_VERSION, MAX_HEADER_BYTES, METADATA, Metadata, NO_DIGEST, START, Source, TensorInfo,
};
use crate::KeyId;

/// A file that was read and checked. What it holds of its words is erased on drop: they may be secret.
pub struct FileReader<'a> {
    index: Index,
    body: Body<'a>,
}

/// The words after the header.
enum Body<'a> {
    /// Of bytes in memory that can be taken for words.
    Borrowed(&'a [u64]),
    Owned(Zeroizing<Vec<u64>>),
}

impl std::ops::Deref for Body<'_> {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        match self {
            Self::Borrowed(words) => words,
            Self::Owned(words) => words,
        }
    }
}

impl std::fmt::Debug for FileReader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileReader").field("index", &self.index).finish_non_exhaustive()
    }
}

impl<'a> FileReader<'a> {
    /// Reads the header only, and checks it against the file's length; the body isn't read.
    pub fn summary(source: impl Into<Source<'a>>) -> Result<FileSummary, FileError> {
        let source = source.into();
        let summary = match source {
            Source::File(path) => {
                File::open(path).map_err(FileProblem::Io).and_then(open_file).map(|opened| opened.summary)
            }
            Source::Bytes { bytes, .. } => open(bytes, bytes.len() as u64).map(|opened| opened.summary),
        };
        summary.map_err(|problem| FileError { path: source.name(), problem })
    }

    /// Reads a file of the given kind and parameters and checks all of it: header, length and digest.
    pub fn read(source: impl Into<Source<'a>>, kind: &str, params: &str) -> Result<Self, FileError> {
        let (file, ()) = Self::read_beside(source, kind, params, |_| Ok(()))?;
        Ok(file)
    }

    /// As [`FileReader::read`], with work on the file that is done beside the computation of its digest. The work sees words
    /// that may be damaged in ways that only the digest shows; then nothing of it is returned.
    ///
    /// # Errors
    /// Those of the reading before those of the work.
    pub fn read_beside<T: Send>(
        source: impl Into<Source<'a>>,
        kind: &str,
        params: &str,
        work: impl FnOnce(&Self) -> Result<T, FileError> + Send,
    ) -> Result<(Self, T), FileError> {
        let source = source.into();
        let at_source = |problem| FileError { path: source.name(), problem };
        let opened = match source {
            Source::File(path) => {
                let opened = File::open(path).map_err(FileProblem::Io).and_then(open_file);
                opened.and_then(|opened| Self::of(opened, kind))
            }
            Source::Bytes { bytes, .. } => {
                let opened = open(bytes, bytes.len() as u64);
                opened.and_then(|opened| Self::of_bytes(opened, bytes, kind))
            }
        };
        let (mut file, hash) = opened.map_err(at_source)?;
        file.index.path = source.name();
        let verify = || file.verify(hash, params).map_err(at_source);
        let (verified, done) = rayon::join(verify, || work(&file));
        verified?;
        let done = done?;
        Ok((file, done))
    }

    /// The file with a digest of its header.
    fn of(
        mut opened: Opened<impl Read>,
        kind: &str,
    ) -> Result<(Self, Zeroizing<blake3::Hasher>), FileProblem> {
        let hash = opened.begin(kind)?;
        let mut words = Zeroizing::new(vec![0u64; opened.body_words()]);
        opened.file.read_exact(bytemuck::cast_slice_mut(&mut words))?;
        Ok((Self::with_body(opened.summary, Body::Owned(words)), hash))
    }

    /// As [`FileReader::of`], of bytes in memory.
    fn of_bytes(
        mut opened: Opened<&'a [u8]>,
        bytes: &'a [u8],
        kind: &str,
    ) -> Result<(Self, Zeroizing<blake3::Hasher>), FileProblem> {
        let body = &bytes[bytes.len() - 8 * opened.body_words()..];
        match bytemuck::try_cast_slice(body) {
            Ok(words) => {
                let hash = opened.begin(kind)?;
                Ok((Self::with_body(opened.summary, Body::Borrowed(words)), hash))
            }
            Err(_) => Self::of(opened, kind),
        }
    }

    fn with_body(summary: FileSummary, body: Body<'a>) -> Self {
        let FileSummary { header, tensors, digest, .. } = summary;
        Self { index: Index { path: PathBuf::new(), header, digest, tensors }, body }
    }

    /// Refuses other contents than the digest's, given that of the header, and other parameters.
    fn verify(&self, mut hash: Zeroizing<blake3::Hasher>, params: &str) -> Result<(), FileProblem> {
        hash.update_rayon(bytemuck::cast_slice(&self.body));
        check(&hash, &self.index.digest, &self.index.header, params)
    }

    /// The statements of the file's header.
    pub fn header(&self) -> &FileHeader {
        &self.index.header
    }

    /// The digest of the whole file, in hexadecimal digits.
    pub fn digest(&self) -> &str {
        self.index.digest()
    }

    /// The names of its tensors.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.index.names()
    }

    /// The dimensions and the words of a tensor.
    pub fn tensor(&self, name: &str) -> Result<(&[usize], &[u64]), FileError> {
        let (shape, place) = self.index.tensor(name)?;
        Ok((shape, &self.body[place]))
    }

    /// The words of a tensor that must have the given dimensions.
    pub fn words(&self, name: &str, shape: &[usize]) -> Result<&[u64], FileError> {
        Ok(&self.body[self.index.place(name, shape)?])
    }

    /// An error about the contents of this file.
    pub fn error(&self, message: impl Into<String>) -> FileError {
        self.index.error(message)
    }

    /// Reads `count` polynomials from one tensor and checks every word against its prime.
    pub(crate) fn polys(
        &self,
        name: &str,
        basis: &Basis,
        count: usize,
    ) -> Result<Vec<Poly<Evaluation>>, FileError> {
        let words = match self.tensor(name)?.0 {
            [_, _] if count == 1 => self.words(name, &[basis.len(), basis.ring_degree()])?,
            _ => self.words(name, &[count, basis.len(), basis.ring_degree()])?,
        };
        let size = basis.len() * basis.ring_degree();
        let poly = |words: &[u64]| Poly::from_checked_words(basis, words);
        words
            .chunks_exact(size)
            .map(|words| poly(words).ok_or_else(|| self.error(format!("{name} has words above their prime"))))
            .collect()
    }

    pub(crate) fn index(&self) -> &Index {
        &self.index
    }
}

/// What is known of a checked file, apart from its words.
#[derive(Debug)]
pub(crate) struct Index {
    pub(super) path: PathBuf,
    pub(super) header: FileHeader,
    pub(super) digest: String,
    pub(super) tensors: BTreeMap<String, TensorInfo>,
}

impl Index {
    /// The statements of the file's header.
    pub(crate) fn header(&self) -> &FileHeader {
        &self.header
    }

    /// The digest of the whole file, in hexadecimal digits.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// The names of the tensors.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    /// The dimensions of a tensor, and the positions of its words in the body.
    pub(crate) fn tensor(&self, name: &str) -> Result<(&[usize], Range<usize>), FileError> {
        let info =
            self.tensors.get(name).ok_or_else(|| self.error(format!("the tensor {name} is missing")))?;
        let [from, to] = info.data_offsets.map(|offset| offset as usize / 8);
        Ok((&info.shape, from..to))
    }

    /// The positions of the words of a tensor that must have the given dimensions.
    pub(crate) fn place(&self, name: &str, shape: &[usize]) -> Result<Range<usize>, FileError> {
        let (found, place) = self.tensor(name)?;
        if found != shape {
            return Err(self.error(format!("the tensor {name} has dimensions {found:?} and not {shape:?}")));
        }
        Ok(place)
    }

    /// An error about the contents of this file.
    pub(crate) fn error(&self, message: impl Into<String>) -> FileError {
        FileError::new(&self.path, FileProblem::Content(message.into()))
    }
}

/// An open file whose header has been read.
pub(super) struct Opened<R> {
    file: R,
    header_bytes: Vec<u8>,
    pub(super) summary: FileSummary,
}

/// The entries of a header. A name that occurs twice is refused: other readers might take the other entry.
struct Entries(BTreeMap<String, serde_json::Value>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;

        impl<'de> Visitor<'de> for Names {
            type Value = Entries;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object of tensors")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Entries, M::Error> {
                let mut entries = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, serde_json::Value>()? {
                    if entries.contains_key(&name) {
                        return Err(M::Error::custom(format!("{name:?} stands there twice")));
                    }
                    entries.insert(name, value);
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(Names)
    }
}

/// A number or truth value of the metadata, whose values are texts.
fn parsed<T: FromStr>(name: &str, text: &str) -> Result<T, FileProblem> {
    text.parse().map_err(|_| FileProblem::Foreign(format!("its header's {name} is {text:?}")))
}

/// Reads the header of a file from its beginning, and checks it against the file's length.
pub(super) fn open_file(mut file: File) -> Result<Opened<File>, FileProblem> {
    file.rewind()?;
    let bytes = file.metadata()?.len();
    open(file, bytes)
}

/// Reads the header of what is so many bytes long.
fn open<R: Read>(mut file: R, bytes: u64) -> Result<Opened<R>, FileProblem> {
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
    let Entries(mut entries) = serde_json::from_slice(&header_bytes).map_err(foreign)?;
    let metadata = entries.remove(METADATA).unwrap_or_default();
    if metadata.get("format").and_then(|format| format.as_str()) != Some(FORMAT) {
        return Err(FileProblem::Foreign("its header names another format".into()));
    }
    let version = metadata.get("version").and_then(|version| version.as_str()).unwrap_or("?");
    // A version has one text.
    if !(LEAST_FILE_VERSION..=FILE_VERSION).any(|read| version == read.to_string()) {
        return Err(FileProblem::Version { found: version.into() });
    }
    let metadata: Metadata = serde_json::from_value(metadata).map_err(foreign)?;
    let at_its_place = header_bytes.starts_with(START.as_bytes())
        && header_bytes.get(DIGEST) == Some(metadata.digest.as_bytes());
    if !at_its_place {
        return Err(FileProblem::Foreign(format!("its header doesn't begin with {START} and 64 digits")));
    }
    let tensors: BTreeMap<String, TensorInfo> = entries
        .into_iter()
        .map(|(name, value)| Ok((name, serde_json::from_value(value).map_err(foreign)?)))
        .collect::<Result<_, FileProblem>>()?;
    let expected = length_with(8 + header_length, &tensors)?;
    if expected != bytes {
        return Err(FileProblem::Length { found: bytes, expected });
    }
    let header = FileHeader {
        security_bits: parsed("security_bits", &metadata.security_bits)?,
        security_extrapolated: match &metadata.security_extrapolated {
            Some(text) => parsed("security_extrapolated", text)?,
            None => false,
        },
        key: KeyId::parse(&metadata.key)
            .ok_or_else(|| FileProblem::Foreign("its header names no key generation".into()))?,
        insecure: parsed("insecure", &metadata.insecure)?,
        seeded: parsed("seeded", &metadata.seeded)?,
        fields: serde_json::from_str(&metadata.fields).map_err(foreign)?,
        kind: metadata.kind,
        params: metadata.params,
    };
    if header.key.is_seeded() && !header.seeded {
        return Err(FileProblem::Foreign(
            "its header hides that its keys were made from a given seed".into(),
        ));
    }
    let summary = FileSummary { header, tensors, digest: metadata.digest, bytes };
    Ok(Opened { file, header_bytes, summary })
}

/// Refuses a file whose contents have another digest than it states, or that is of other parameters.
fn check(hash: &blake3::Hasher, digest: &str, header: &FileHeader, params: &str) -> Result<(), FileProblem> {
    if hash.finalize().to_hex().as_str() != digest {
        return Err(FileProblem::Digest);
    }
    header.check_params(params)
}

impl<R: Read> Opened<R> {
    /// The number of words after the header.
    pub(super) fn body_words(&self) -> usize {
        (self.summary.bytes - 8) as usize / 8 - self.header_bytes.len() / 8
    }

    /// Checks the rest of the file; `sink` receives all its words on the way.
    pub(super) fn verify(
        mut self,
        kind: &str,
        params: &str,
        mut sink: impl FnMut(&[u64]),
    ) -> Result<(R, FileHeader, BTreeMap<String, TensorInfo>), FileProblem> {
        let mut left = self.body_words();
        let mut hash = self.begin(kind)?;
        let FileSummary { header, tensors, digest, .. } = self.summary;
        let mut buffer = Zeroizing::new(vec![0u64; COPY_WORDS.min(left)]);
        while left > 0 {
            let piece = &mut buffer[..COPY_WORDS.min(left)];
            self.file.read_exact(bytemuck::cast_slice_mut(piece))?;
            hash.update(bytemuck::cast_slice(piece));
            sink(piece);
            left -= piece.len();
        }
        check(&hash, &digest, &header, params)?;
        Ok((self.file, header, tensors))
    }

    /// Begins the digest with the header, of a file of the given kind.
    fn begin(&mut self, kind: &str) -> Result<Zeroizing<blake3::Hasher>, FileProblem> {
        let found = &self.summary.header.kind;
        if found != kind {
            return Err(FileProblem::Kind { found: found.clone(), expected: kind.into() });
        }
        let mut hash = Zeroizing::new(blake3::Hasher::new());
        hash.update(&(self.header_bytes.len() as u64).to_le_bytes());
        self.header_bytes[DIGEST].copy_from_slice(NO_DIGEST.as_bytes());
        hash.update(&self.header_bytes);
        Ok(hash)
    }
}

/// The length in bytes of a file with some bytes before its tensors. The tensors must lie one after another and be as long as their
/// dimensions say.
fn length_with(before: u64, tensors: &BTreeMap<String, TensorInfo>) -> Result<u64, FileProblem> {
    let mut places: Vec<&TensorInfo> = tensors.values().collect();
    places.sort_by_key(|info| info.data_offsets);
    let place_after = |end: u64, info: &&TensorInfo| {
        let words = info.shape.iter().try_fold(1u64, |words, &d| words.checked_mul(d as u64));
        let past = end.checked_add(words?.checked_mul(8)?)?;
        (info.dtype == "U64" && info.data_offsets == [end, past]).then_some(past)
    };
    let body = places.iter().try_fold(0, place_after);
    body.and_then(|body| body.checked_add(before))
        .ok_or_else(|| FileProblem::Foreign("its tensors don't fit together".into()))
}
