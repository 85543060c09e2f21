//! What's wrong with a folder of triples.

use std::{io, path::PathBuf};

use thiserror::Error;

use crate::MpcError;

/// What's wrong with a folder of triples, or with what is asked of it.
#[derive(Debug, Error)]
pub enum StoreError {
    /// A file or folder can't be read.
    #[error("{}: cannot be read: {error}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file or folder can't be written, as the disk is full for instance.
    #[error("{}: cannot be written: {error}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// There are other files in the folder.
    #[error("{}: isn't of triples: choose another folder", .0.display())]
    Foreign(PathBuf),
    /// What would be written is there.
    #[error("{}: is there already: choose another folder, or move it away", .0.display())]
    Exists(PathBuf),
    /// Another process works in the folder.
    #[error("{}: another call is at work there: wait for it", .0.display())]
    Busy(PathBuf),
    /// A file isn't what it should be.
    #[error("{}: {what}", path.display())]
    Malformed {
        /// Which.
        path: PathBuf,
        /// What it isn't.
        what: String,
    },
    /// The folder is for other triples.
    #[error("{}: there are triples of {what} {found}, and {asked} is asked for: choose another folder", path.display())]
    Other {
        /// The folder.
        path: PathBuf,
        /// What is different.
        what: &'static str,
        /// What the folder has.
        found: String,
        /// What is asked for.
        asked: String,
    },
    /// The folder's seed isn't the one that is given.
    #[error("{}: isn't the seed that is given: leave it out, or choose another folder", .0.display())]
    OtherSeed(PathBuf),
    /// A block isn't there.
    #[error("{}: isn't there: `triples generate` with the same settings makes what is missing", .0.display())]
    Unfinished(PathBuf),
    /// A block file has the wrong length.
    #[error("{}: has {found} bytes in place of {expected}: remove it, and `triples generate` makes it again", path.display())]
    Length {
        /// Which.
        path: PathBuf,
        /// The bytes that it should have.
        expected: u64,
        /// The bytes that it has.
        found: u64,
    },
    /// A block file of another run, another party or another place.
    #[error("{}: is of another run, party or block: remove it, and `triples generate` makes the right one", .0.display())]
    Mixed(PathBuf),
    /// A block file that was altered.
    #[error("{}: was altered, as its digest is another: remove it, and `triples generate` makes it again", .0.display())]
    Altered(PathBuf),
    /// The settings or the computation.
    #[error(transparent)]
    Mpc(#[from] MpcError),
}

impl StoreError {
    /// Whether a block is damaged or out of place.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Length { .. } | Self::Mixed(_) | Self::Altered(_))
    }

    /// Whether the computation is impossible, rather than the request or the folder wrong.
    pub fn is_impossible(&self) -> bool {
        matches!(self, Self::Mpc(error) if !error.is_usage())
    }
}
