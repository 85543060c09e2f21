//! Files whose words are read when they're asked for.

use std::{fs::File, io, path::Path};

use super::{
    FileError, FileProblem, Index,
    read::{Opened, open},
};

/// A file that was read once to check it, and whose words are read again where they're needed. They aren't mapped
/// into memory: whoever changed the file would change words under the program's hands.
#[derive(Debug)]
pub(crate) struct StoredFile {
    index: Index,
    file: Positioned,
    /// Where the body begins, in bytes.
    body: u64,
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
            Ok((body, opened.verify(kind, params, |_| ())?))
        };
        let checked = open(file).and_then(verify);
        let (body, (file, header, tensors)) =
            checked.map_err(|problem: FileProblem| FileError::new(path, problem))?;
        Ok(Self { index: Index { path: path.into(), header, tensors }, file: Positioned::new(file), body })
    }

    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    /// Reads the words from a position in the body on.
    ///
    /// # Errors
    /// The file's name and why it can't be read, after it could before.
    pub(crate) fn read(&self, position: usize, words: &mut [u64]) -> io::Result<()> {
        let read = self.file.read(self.body + 8 * position as u64, bytemuck::cast_slice_mut(words));
        read.map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("{}: changed while in use: {error}", self.index.path.display()),
            )
        })
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
