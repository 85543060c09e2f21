//! Writing files, from front to back and the digest last.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Cursor, Seek, SeekFrom, Write},
    path::Path,
};

use zeroize::Zeroizing;

use super::{
    DIGEST, Destination, FILE_VERSION, FORMAT, FileError, FileHeader, FilePieces, METADATA, Metadata,
    NO_DIGEST, TensorInfo, write_atomically,
};

/// A file that is being put together. It's written at once, beside its place, and then renamed.
pub struct FileWriter<'a> {
    header: FileHeader,
    tensors: BTreeMap<String, (Vec<usize>, Vec<&'a [u64]>)>,
    private: bool,
}

impl std::fmt::Debug for FileWriter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Only the header: the contents may be secret.
        f.debug_struct("FileWriter").field("header", &self.header).finish_non_exhaustive()
    }
}

impl<'a> FileWriter<'a> {
    /// A file without tensors.
    pub fn new(header: FileHeader) -> Self {
        Self { header, tensors: BTreeMap::new(), private: false }
    }

    /// Makes the file readable by its owner only.
    pub fn private(mut self) -> Self {
        self.private = true;
        self
    }

    /// Adds a tensor made of the given pieces.
    ///
    /// # Panics
    /// If the pieces don't have as many words as the shape says, or the name is taken or reserved by safetensors.
    pub fn tensor(&mut self, name: impl Into<String>, shape: &[usize], pieces: Vec<&'a [u64]>) {
        let words: usize = pieces.iter().map(|piece| piece.len()).sum();
        assert_eq!(words, shape.iter().product::<usize>());
        let name = name.into();
        assert!(name != METADATA && self.tensors.insert(name, (shape.to_vec(), pieces)).is_none());
    }

    /// Writes the file, or its bytes to memory, and returns its length in bytes.
    pub fn write<'d>(self, to: impl Into<Destination<'d>>) -> Result<u64, FileError> {
        self.write_digested(to).map(|(bytes, _)| bytes)
    }

    /// Writes the file, or its bytes to memory, and returns its length in bytes and its digest.
    ///
    /// # Errors
    /// Those of [`Self::write`].
    pub fn write_digested<'d>(self, to: impl Into<Destination<'d>>) -> Result<(u64, String), FileError> {
        let shapes = self.tensors.iter().map(|(name, (shape, _))| (name.clone(), shape.clone()));
        let pieces: Vec<&[u64]> = self.tensors.values().flat_map(|(_, pieces)| pieces).copied().collect();
        write_digested(to.into(), self.private, (&self.header, &shapes.collect()), |stream| {
            pieces.iter().try_for_each(|piece| stream.words(piece))
        })
    }
}

/// Writes a file of some tensors, whose words `put` writes in the order of their names, and returns its length in bytes.
pub(crate) fn write(
    to: Destination<'_>,
    private: bool,
    of: (&FileHeader, &BTreeMap<String, Vec<usize>>),
    put: impl FnOnce(&mut FileStream<'_>) -> io::Result<()>,
) -> Result<u64, FileError> {
    write_digested(to, private, of, put).map(|(bytes, _)| bytes)
}

/// Does the same as [`write`], and returns the digest too.
fn write_digested(
    to: Destination<'_>,
    private: bool,
    (header, shapes): (&FileHeader, &BTreeMap<String, Vec<usize>>),
    put: impl FnOnce(&mut FileStream<'_>) -> io::Result<()>,
) -> Result<(u64, String), FileError> {
    match to {
        Destination::File(path) => {
            let write = |file: &mut File| FileStream::write(file, header, shapes, put);
            write_atomically(path, private, write).map_err(|error| FileError::new(path, error))
        }
        Destination::Bytes(bytes) => {
            bytes.clear();
            let words: usize = shapes.values().map(|shape| shape.iter().product::<usize>()).sum();
            let mut memory = Cursor::new(bytes);
            memory.get_mut().reserve_exact(8 + header_bytes(header, &tensors(shapes)).len() + 8 * words);
            let written = FileStream::write(&mut memory, header, shapes, put);
            written.map_err(|error| FileError::new(Path::new(&header.kind), error))
        }
        Destination::Pieces(pieces) => {
            *pieces = FilePieces::default();
            FileStream::write(pieces, header, shapes, put)
                .map_err(|error| FileError::new(Path::new(&header.kind), error))
        }
    }
}

/// What a file is written to.
pub(crate) trait WriteSeek: Write + Seek {}

impl<W: Write + Seek> WriteSeek for W {}

/// A file whose tensors are written one after another, in the order of their names, so that it's never in memory as a
/// whole.
pub(crate) struct FileStream<'f> {
    file: &'f mut dyn WriteSeek,
    hash: Zeroizing<blake3::Hasher>,
    /// The number of words that are still to come.
    missing: usize,
}

impl<'f> FileStream<'f> {
    /// Writes a whole file: its header with zeros in place of the digest, the words that `put` writes, and the digest; returns its
    /// length in bytes and its digest.
    ///
    /// # Panics
    /// Unless `put` writes as many words as the shapes say.
    pub(crate) fn write(
        file: &'f mut dyn WriteSeek,
        header: &FileHeader,
        shapes: &BTreeMap<String, Vec<usize>>,
        put: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<(u64, String)> {
        let missing = shapes.values().map(|shape| shape.iter().product::<usize>()).sum();
        let header = header_bytes(header, &tensors(shapes));
        let mut stream = Self { file, hash: Zeroizing::new(blake3::Hasher::new()), missing };
        stream.bytes(&(header.len() as u64).to_le_bytes())?;
        stream.bytes(&header)?;
        put(&mut stream)?;
        stream.finish()
    }

    /// Writes the next words.
    pub(crate) fn words(&mut self, words: &[u64]) -> io::Result<()> {
        self.missing -= words.len();
        self.bytes(bytemuck::cast_slice(words))
    }

    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.file.write_all(bytes)
    }

    /// Writes the digest into its place and returns the file's length in bytes and the digest.
    fn finish(self) -> io::Result<(u64, String)> {
        assert_eq!(self.missing, 0);
        let end = self.file.stream_position()?;
        self.file.seek(SeekFrom::Start(8 + DIGEST.start as u64))?;
        let digest = self.hash.finalize().to_hex();
        self.file.write_all(digest.as_bytes())?;
        Ok((end, digest.to_string()))
    }
}

/// Where tensors of some shapes lie, one after another in the order of their names.
fn tensors(shapes: &BTreeMap<String, Vec<usize>>) -> BTreeMap<String, TensorInfo> {
    let mut end = 0;
    let info = |(name, shape): (&String, &Vec<usize>)| {
        let from = end;
        end += shape.iter().product::<usize>();
        let data_offsets = [from, end].map(|words| 8 * words as u64);
        (name.clone(), TensorInfo { dtype: "U64".into(), shape: shape.clone(), data_offsets })
    };
    shapes.iter().map(info).collect()
}

/// The JSON header, padded so that the body is aligned to words.
fn header_bytes(header: &FileHeader, tensors: &BTreeMap<String, TensorInfo>) -> Vec<u8> {
    let metadata = Metadata {
        digest: NO_DIGEST.into(),
        fields: header.fields.to_string(),
        format: FORMAT.into(),
        insecure: header.insecure.to_string(),
        key: header.key.to_string(),
        kind: header.kind.clone(),
        params: header.params.clone(),
        security_bits: header.security_bits.to_string(),
        security_extrapolated: header.security_extrapolated.then(|| true.to_string()),
        seeded: header.seeded.to_string(),
        version: FILE_VERSION.to_string(),
    };
    let tensors = tensors.iter().map(|(name, info)| format!(",{}:{}", json(name), json(info)));
    let text = format!("{{{}:{}{}}}", json(&METADATA), json(&metadata), tensors.collect::<String>());
    let mut bytes = text.into_bytes();
    bytes.resize(bytes.len().next_multiple_of(8), b' ');
    bytes
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("plain data")
}
