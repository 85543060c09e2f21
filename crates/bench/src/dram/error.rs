//! The errors of the bench.

use thiserror::Error;

use crate::{BootstrapBenchError, TfheBenchError};

/// The error of a run under a limit of memory.
#[derive(Debug, Error)]
pub enum DramError {
    /// The system doesn't confine the process.
    #[error("this process can't be confined: {0}")]
    Confine(std::io::Error),
    /// A run of TFHE.
    #[error(transparent)]
    Tfhe(#[from] TfheBenchError),
    /// A run of CKKS.
    #[error(transparent)]
    Ckks(#[from] BootstrapBenchError),
}
