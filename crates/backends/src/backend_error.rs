//! What can go wrong while a back-end runs.

use std::error::Error as StdError;

use asanoha_lattice::FileError;
use asanoha_scheme::SchemeError;
use asanoha_tfhe::TfheError;
use thiserror::Error;

use crate::altered::{AlteredResult, ResultPlace, ShowsAlteration};

/// What can go wrong while a back-end runs.
#[derive(Debug, Error)]
pub enum BackendError {
    /// An operation of a scheme on RLWE.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// An operation of TFHE.
    #[error(transparent)]
    Tfhe(#[from] TfheError),
    /// A result that an honest evaluation can't have given.
    #[error(transparent)]
    Altered(#[from] AlteredResult),
    /// A file of keys.
    #[error(transparent)]
    File(#[from] FileError),
    /// Keys or ciphertexts of another scheme.
    #[error("the keys or the ciphertexts are of another scheme than the plan")]
    OtherScheme,
    /// A column that exact arithmetic can't take.
    #[error("column `{column}` isn't one of whole numbers")]
    NotWhole {
        /// The column.
        column: String,
        /// The first row, from 1, that isn't a whole number, and its value.
        first: Option<(usize, f64)>,
    },
    /// The caller stopped the work.
    #[error("the work was stopped")]
    Stopped,
    /// Another back-end's own error, or one of the caller's that passes through.
    #[error(transparent)]
    Other(#[from] Box<dyn StdError + Send + Sync>),
}

impl BackendError {
    /// Returns the error of a decryption at a place of the results.
    pub(crate) fn at<E: ShowsAlteration + Into<Self>>(error: E, place: impl FnOnce() -> ResultPlace) -> Self {
        match error.finding() {
            Some(finding) => AlteredResult { place: place(), finding }.into(),
            None => error.into(),
        }
    }
}
