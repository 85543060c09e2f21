//! What files are read from and written to: the file system, or memory.

use std::path::{Path, PathBuf};

use super::pieces::FilePieces;

/// What contents are read from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// A file.
    File(&'a Path),
    /// The bytes of a file in memory.
    Bytes {
        /// What messages call them.
        name: &'a str,
        /// The bytes.
        bytes: &'a [u8],
    },
}

impl Source<'_> {
    /// What messages call it: the path of a file.
    pub fn name(&self) -> PathBuf {
        match self {
            Self::File(path) => path.into(),
            Self::Bytes { name, .. } => name.into(),
        }
    }
}

impl<'a, P: AsRef<Path> + ?Sized> From<&'a P> for Source<'a> {
    fn from(path: &'a P) -> Self {
        Self::File(path.as_ref())
    }
}

/// What contents are written to.
#[derive(Debug)]
pub enum Destination<'a> {
    /// A file, as a whole: it's written beside its place and renamed.
    File(&'a Path),
    /// Memory: the bytes of a file take the place of what is there. Their capacity is reserved before, so that secret ones aren't
    /// left behind by moving.
    Bytes(&'a mut Vec<u8>),
    /// Memory in pieces, for long files without secrets: they take the place of what is there.
    Pieces(&'a mut FilePieces),
}

impl<'a, P: AsRef<Path> + ?Sized> From<&'a P> for Destination<'a> {
    fn from(path: &'a P) -> Self {
        Self::File(path.as_ref())
    }
}

impl<'a> From<&'a mut Vec<u8>> for Destination<'a> {
    fn from(bytes: &'a mut Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'a> From<&'a mut FilePieces> for Destination<'a> {
    fn from(pieces: &'a mut FilePieces) -> Self {
        Self::Pieces(pieces)
    }
}
