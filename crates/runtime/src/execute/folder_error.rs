//! Why a folder of keys can't be used.

use std::path::PathBuf;

use asanoha_lattice::{FileError, KeyId};
use thiserror::Error;

use crate::advice::{Advice, Advised};

/// Why a folder of keys can't be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// One of its files can't be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Keys of two generations, which don't fit together.
    #[error("{}: is of key generation {key}, and {other} beside it is of {of}", path.display())]
    Mixed {
        /// A file.
        path: PathBuf,
        /// Its key generation.
        key: KeyId,
        /// Another file's name.
        other: &'static str,
        /// The other's key generation.
        of: KeyId,
    },
}

impl Advised for FolderError {
    fn advice(&self) -> Vec<Advice> {
        match self {
            Self::File(_) => Vec::new(),
            Self::Mixed { .. } => vec![Advice::OneKeyGeneration, Advice::NewKeys],
        }
    }
}
