//! Why the bench fails.

use std::path::PathBuf;

use asanoha_lattice::FileError;
use asanoha_tfhe::{TfheError, TfheParamsError};
use thiserror::Error;

/// The error of a bench of TFHE.
#[derive(Debug, Error)]
pub enum TfheBenchError {
    /// The parameters can't be made.
    #[error(transparent)]
    Params(#[from] TfheParamsError),
    /// An operation was refused.
    #[error(transparent)]
    Tfhe(#[from] TfheError),
    /// A file of keys can't be written or read.
    #[error(transparent)]
    File(#[from] FileError),
    /// No file can be made in the folder for temporary ones.
    #[error("no file can be made for the server key: {0}; TMPDIR names the folder for it")]
    Temporary(#[from] std::io::Error),
    /// A result is wrong: a bug, or the failure that has the stated probability.
    #[error("{operation} at {parameters} gave a wrong result")]
    Wrong {
        /// The operation.
        operation: &'static str,
        /// The name of the parameters.
        parameters: &'static str,
    },
    /// There is no program at the peer's path.
    #[error(
        "--peer {0}: there's no such program; build it with `cargo build --release` in bench/peers, or tell where it is"
    )]
    NoPeer(PathBuf),
    /// The peer failed.
    #[error("--peer {path}: {why}")]
    Peer {
        /// The program.
        path: PathBuf,
        /// The cause.
        why: String,
    },
}
