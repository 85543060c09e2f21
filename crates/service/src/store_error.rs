//! What's wrong with a store.

use std::{
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use thiserror::Error;

/// The version of stores that this code makes, and the only one that it opens.
pub const STORE_VERSION: u32 = 2;

/// What's wrong with a store. Messages are for the operator: they name paths.
#[derive(Debug, Error)]
pub enum StoreError {
    /// A file or folder can't be read or written.
    #[error("{}: cannot be read or written: {error}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The disk is full.
    #[error("{}: the disk is full ({error}): make space, and nothing that was accepted is lost", path.display())]
    Full {
        /// What was being written.
        path: PathBuf,
        /// What the operating system says.
        error: io::Error,
    },
    /// A folder of other files.
    #[error("{}: there are other files than those of a store: choose an empty folder, or one that isn't there", path.display())]
    NotAStore {
        /// The folder.
        path: PathBuf,
    },
    /// A store that another version of this program made.
    #[error(
        "{}: is a store of version {found}, and this program opens version {STORE_VERSION}: open it with the program that made it, or choose another folder",
        path.display()
    )]
    OtherVersion {
        /// The folder.
        path: PathBuf,
        /// Its version.
        found: String,
    },
    /// A store that is open.
    #[error("{}: another process has this store open: stop it, or choose another folder", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// A folder that other users may read.
    #[error("{}: other users may read this folder: take their permissions away with chmod 700", path.display())]
    Readable {
        /// The folder.
        path: PathBuf,
    },
    /// The journal can't be read or written.
    #[error("{}: {error}", path.display())]
    Journal {
        /// Its file.
        path: PathBuf,
        /// Why.
        error: Box<redb::Error>,
    },
    /// A record of the journal isn't what was written.
    #[error("{}: its record {record} is damaged ({problem}): put back the store from a backup, or choose another folder", path.display())]
    Damaged {
        /// The journal's file.
        path: PathBuf,
        /// The record.
        record: String,
        /// What's wrong.
        problem: String,
    },
}

impl StoreError {
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::Full { path, error },
            _ => Self::Io { path, error },
        }
    }

    /// What's said of it to clients, without any path.
    pub(crate) fn for_clients(&self) -> &'static str {
        match self {
            Self::Full { .. } => "the server's disk is full",
            _ => "the server's disk or its journal fails",
        }
    }
}
