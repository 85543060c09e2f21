//! Files whose words are read when they're asked for.

use std::{fs::File, io, path::Path};

use super::{
    FileError, FileProblem, Index,
    digest::PartDigests,
    read::{Opened, open},
};

/// A file that was read once to check it, and whose words are read again where they're needed, and held against the
/// digests of then. They aren't mapped into memory: whoever changed the file would change words under the program's
/// hands.
#[derive(Debug)]
pub(crate) struct StoredFile {
    index: Index,
    file: Positioned,
    /// Where the body begins, in bytes.
    body: u64,
    /// The positions behind the body's parts, in words, and their digests.
    parts: Vec<(usize, blake3::Hash)>,
}

impl StoredFile {
    /// Opens a file of a kind and checks everything.
    pub(crate) fn open(path: &Path, kind: &str, params: &str) -> Result<Self, FileError> {
        let file = File::open(path).map_err(|error| FileError::new(path, error))?;
        Self::check(file, path, kind, params)
    }

    /// Checks an open file of a kind, which errors call by the given path.
    pub(crate) fn check(file: File, path: &Path, kind: &str, params: &str) -> Result<Self, FileError> {
        let verify = |opened: Opened| {
            let body = opened.summary.bytes - 8 * opened.body_words() as u64;
            let mut parts = PartDigests::new(&opened.summary.tensors);
            let verified = opened.verify(kind, params, |words| parts.update(words))?;
            Ok((body, parts.finish(), verified))
        };
        let checked = open(file).and_then(verify);
        let (body, parts, (file, header, tensors)) =
            checked.map_err(|problem: FileProblem| FileError::new(path, problem))?;
        let index = Index { path: path.into(), header, tensors };
        Ok(Self { index, file: Positioned::new(file), body, parts })
    }

    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    /// Reads the words from a position in the body on, of one row or one tensor.
    ///
    /// # Errors
    /// The file's name and why it can't be read, after it could before, or that it was changed since.
    ///
    /// # Panics
    /// If they aren't in one part of the body.
    pub(crate) fn read(&self, position: usize, words: &mut [u64]) -> io::Result<()> {
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

    /// An error about words that were read.
    pub(crate) fn unsound(&self, message: &str) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, self.index.error(message))
    }
}

/// A file that several threads read from.
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

/// A file that several threads read from, one after another: its position is shared.
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
