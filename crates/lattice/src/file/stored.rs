//! Files whose words are read on demand.

use std::{fs::File, io, ops::Range, path::Path};

use super::{
    FileError, FileHeader, FileProblem, Index,
    digest::PartDigests,
    read::{Opened, open_file},
};

/// A file that was read once to check it, and whose words are read again when they're needed and compared with the
/// digests of the first reading. They aren't mapped into memory: a change of the file would change words while the
/// program uses them.
#[derive(Debug)]
pub struct StoredFile {
    index: Index,
    file: Positioned,
    /// The position of the body in the file, in bytes.
    body: u64,
    /// For each part of the body, the position of its end in words, and its digest.
    parts: Vec<(usize, blake3::Hash)>,
}

impl StoredFile {
    /// Opens a file of the given kind and parameters and checks all of it.
    pub fn open(path: &Path, kind: &str, params: &str) -> Result<Self, FileError> {
        let file = File::open(path).map_err(|error| FileError::new(path, error))?;
        Self::check(file, path, kind, params)
    }

    /// Checks an open file of the given kind and parameters; errors name it by `path`.
    pub(crate) fn check(file: File, path: &Path, kind: &str, params: &str) -> Result<Self, FileError> {
        let verify = |opened: Opened<File>| {
            let body = opened.summary.bytes - 8 * opened.body_words() as u64;
            let mut parts = PartDigests::new(&opened.summary.tensors);
            let digest = opened.summary.digest.clone();
            let verified = opened.verify(kind, params, |words| parts.update(words))?;
            Ok((body, parts.finish(), digest, verified))
        };
        let checked = open_file(file).and_then(verify);
        let (body, parts, digest, (file, header, tensors)) =
            checked.map_err(|problem: FileProblem| FileError::new(path, problem))?;
        let index = Index { path: path.into(), header, digest, tensors };
        Ok(Self { index, file: Positioned::new(file), body, parts })
    }

    /// The statements of the file's header.
    pub fn header(&self) -> &FileHeader {
        self.index.header()
    }

    /// The digest of the whole file, in hexadecimal digits.
    pub fn digest(&self) -> &str {
        self.index.digest()
    }

    /// The positions in the body of a tensor that must have the given dimensions.
    pub fn place(&self, name: &str, shape: &[usize]) -> Result<Range<usize>, FileError> {
        self.index.place(name, shape)
    }

    /// The words of a tensor that must have the given dimensions, read at once: for small ones.
    pub fn words(&self, name: &str, shape: &[usize]) -> Result<Vec<u64>, FileError> {
        let place = self.place(name, shape)?;
        let mut words = vec![0; place.len()];
        self.read(place.start, &mut words).map_err(|error| self.index.error(error.to_string()))?;
        Ok(words)
    }

    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    /// Reads words of one row or one tensor, from a position in the body on.
    ///
    /// # Errors
    /// If the file can't be read any more, or was changed since it was checked; the message names it.
    ///
    /// # Panics
    /// Unless the words are in one part of the body.
    pub fn read(&self, position: usize, words: &mut [u64]) -> io::Result<()> {
        let part = self.parts.partition_point(|&(end, _)| end <= position);
        let start = part.checked_sub(1).map_or(0, |before| self.parts[before].0);
        let (end, digest) = self.parts[part];
        if words.len() == end - start {
            return self.read_part(start, words, &digest);
        }
        let mut whole = vec![0; end - start];
        self.read_part(start, &mut whole, &digest)?;
        words.copy_from_slice(&whole[position - start..][..words.len()]);
        Ok(())
    }

    fn read_part(&self, start: usize, words: &mut [u64], digest: &blake3::Hash) -> io::Result<()> {
        let changed = |kind, why: &dyn std::fmt::Display| {
            io::Error::new(kind, format!("{}: changed while in use: {why}", self.index.path.display()))
        };
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(words);
        self.file.read(self.body + 8 * start as u64, bytes).map_err(|error| changed(error.kind(), &error))?;
        if blake3::hash(bytes) == *digest {
            Ok(())
        } else {
            Err(changed(io::ErrorKind::InvalidData, &"it doesn't hold what it held when it was opened"))
        }
    }

    /// Tells the system that rows will be read in any order: reading on behind each row would read most of the file several times
    /// where memory is short.
    pub(crate) fn reads_at_random(&self) {
        self.file.reads_at_random();
    }

    /// Tells the system that words will be read soon, so that it reads them while others are used.
    pub(crate) fn reads_soon(&self, position: usize, words: usize) {
        self.file.reads_soon(self.body + 8 * position as u64, 8 * words as u64);
    }

    /// An error about words that were read and aren't as they should be.
    pub(crate) fn unsound(&self, message: &str) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, self.index.error(message))
    }
}

/// A file that several threads can read from at once.
#[cfg(unix)]
#[derive(Debug)]
struct Positioned(File);

#[cfg(unix)]
impl Positioned {
    fn new(file: File) -> Self {
        Self(file)
    }

    fn read(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.0, bytes, offset)
    }
}

// Advice only: a system that doesn't take it reads as it did.
#[cfg(target_os = "linux")]
impl Positioned {
    fn reads_at_random(&self) {
        let _ = rustix::fs::fadvise(&self.0, 0, None, rustix::fs::Advice::Random);
    }

    fn reads_soon(&self, offset: u64, bytes: u64) {
        let _ = rustix::fs::fadvise(&self.0, offset, bytes.try_into().ok(), rustix::fs::Advice::WillNeed);
    }
}

#[cfg(not(target_os = "linux"))]
impl Positioned {
    fn reads_at_random(&self) {}

    fn reads_soon(&self, _: u64, _: u64) {}
}

/// A file that several threads can read from, one at a time, since they share its position.
#[cfg(not(unix))]
#[derive(Debug)]
struct Positioned(std::sync::Mutex<File>);

#[cfg(not(unix))]
impl Positioned {
    fn new(file: File) -> Self {
        Self(std::sync::Mutex::new(file))
    }

    fn read(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(bytes)
    }
}
