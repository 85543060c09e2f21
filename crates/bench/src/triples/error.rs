//! Why the bench fails.

use asanoha_circuits::matrix::SquareError;
use asanoha_mpc::{GenerateError, MpcError, TripleParamsError};
use asanoha_scheme::{SchemeError, candidates::CandidateError};
use thiserror::Error;

/// What went wrong.
#[derive(Debug, Error)]
pub enum TripleError {
    /// A dimension that isn't measured.
    #[error("--dim {dimension}: what's measured has {all} rows and columns")]
    Dimension {
        /// The dimension asked for.
        dimension: usize,
        /// Those that there are.
        all: String,
    },
    /// No parameters for batch products.
    #[error(transparent)]
    Params(#[from] TripleParamsError),
    /// A generation that failed.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// Triples that can't be generated.
    #[error(transparent)]
    Mpc(#[from] MpcError),
    /// No parameters by the published algorithm.
    #[error(transparent)]
    Candidates(#[from] CandidateError),
    /// A product of squares that can't be planned or computed.
    #[error(transparent)]
    Square(#[from] SquareError),
    /// An operation that failed.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// No threads.
    #[error("no threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A product that isn't one: a bug.
    #[error("{0} gave a wrong product: please report this")]
    Wrong(String),
}
