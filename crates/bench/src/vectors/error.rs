//! Why the bench fails.

use asanoha_circuits::bootstrap::BootstrapError;
use asanoha_ckks::CkksParamsError;
use asanoha_scheme::{NoPrimes, SchemeError};
use rayon::ThreadPoolBuildError;
use thiserror::Error;

use super::VectorCase;
use crate::TfheBenchError;

/// The error of the bench.
#[derive(Debug, Error)]
pub enum VectorError {
    /// One of TFHE.
    #[error(transparent)]
    Tfhe(#[from] TfheBenchError),
    /// A set without primes.
    #[error(transparent)]
    Primes(#[from] NoPrimes),
    /// A set of CKKS that is refused.
    #[error(transparent)]
    Params(#[from] CkksParamsError),
    /// A bootstrapping that can't be prepared.
    #[error(transparent)]
    Prepare(#[from] BootstrapError),
    /// An operation that is refused.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// No threads.
    #[error("no threads: {0}")]
    Threads(#[from] ThreadPoolBuildError),
    /// A result that is off by more than was predicted.
    #[error("{case} is off by 2^{found:.1}, and 2^{predicted:.1} was predicted")]
    Wrong {
        /// What was computed.
        case: VectorCase,
        /// log2 of the error.
        found: f64,
        /// log2 of the bound on it.
        predicted: f64,
    },
}
