//! Reasons for which a client can't decrypt results.

use asanoha_lattice::FileError;
use thiserror::Error;

use crate::{
    advice::{Advice, Advised},
    execute::{ClientRecordError, ExecuteError},
    text::without_steering,
};

/// The reason for which a client can't decrypt results.
#[derive(Debug, Error)]
pub enum ClientError {
    /// Results that can't be read, or aren't those of the plan.
    #[error(transparent)]
    File(#[from] FileError),
    /// Results that state other inputs than the caller names.
    #[error(
        "these results state that they were computed from other inputs ({}…) than those given ({}…)",
        shortened(stated),
        shortened(named)
    )]
    OtherInputs {
        /// The digest of inputs that the results state, or what they state in its place.
        stated: String,
        /// The digest of the inputs that the caller names.
        named: String,
    },
    /// Results of inputs of which the client has no record.
    #[error("{error}")]
    NoRecord {
        /// The digest of inputs that the results state, or what they state in its place.
        stated: String,
        /// The error of the store of records.
        error: ClientRecordError,
    },
    /// Anything else.
    #[error(transparent)]
    Execute(#[from] ExecuteError),
}

impl Advised for ClientError {
    fn advice(&self) -> Vec<Advice> {
        match self {
            Self::NoRecord { error, .. } => error.advice(),
            Self::Execute(error) => error.advice(),
            Self::File(_) | Self::OtherInputs { .. } => Vec::new(),
        }
    }
}

/// Returns the beginning of a digest, or of what results state in its place, for messages.
pub fn shortened(digest: &str) -> String {
    without_steering(digest, 16)
}
