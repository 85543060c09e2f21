//! What can go wrong while a plan runs.

use std::error::Error as StdError;

use asanoha_backends::{AlteredResult, BackendError};
use asanoha_lattice::KeyId;
use asanoha_scheme::SchemeError;
use asanoha_tfhe::TfheError;
use thiserror::Error;

use super::{
    canary_error::CanaryError, client_record_error::ClientRecordError, record_error::RecordError,
    reencryption_error::ReencryptionError, showing_error::ShowingError,
};
use crate::{
    advice::{Advice, Advised},
    data::TextError,
    plan::{CentreError, RowsError},
    program::{EvaluationError, RangeError},
};

/// What can go wrong while a plan runs.
#[derive(Debug, Error)]
pub enum ExecuteError {
    /// An operation of a scheme.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// A column that the plan needs.
    #[error("the data have no column `{0}`, which the plan needs")]
    MissingColumn(String),
    /// Data of another length than planned.
    #[error(transparent)]
    Rows(#[from] RowsError),
    /// Texts that the plan doesn't know.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A value outside of the planned range.
    #[error("row {row} of column `{column}` is outside of {range}, the range that the plan was made for")]
    OutsideRange {
        /// The column.
        column: String,
        /// The row, from 1.
        row: usize,
        /// The range.
        range: String,
    },
    /// A divisor of zero.
    #[error("row {row} of {operand} is zero, and `{function}` divides by it")]
    DivisorZero {
        /// The row, from 1.
        row: usize,
        /// The column, or what else divides.
        operand: String,
        /// The function.
        function: &'static str,
    },
    /// A place that a table hasn't.
    #[error(
        "row {row} of {operand} is {value}, and `{function}` has no such entry: leave the row out, or add the entry"
    )]
    OutsideTable {
        /// The row, from 1.
        row: usize,
        /// The column, or what else is looked up.
        operand: String,
        /// Its value.
        value: String,
        /// The function.
        function: &'static str,
    },
    /// A value that isn't what the program assumes of it.
    #[error(
        "row {row}: a value is {value}, and the program assumes it in {assumed}: leave the row out, or widen what is assumed"
    )]
    OutsideAssumed {
        /// The row, from 1.
        row: usize,
        /// The value.
        value: String,
        /// The range that's assumed.
        assumed: String,
    },
    /// Numbers too near to each other for an approximate comparison.
    #[error(
        "row {row}: `{function}` compares numbers that are {difference:.3e} apart, and encrypted ones are told apart from {gap:.3e} on"
    )]
    Undecided {
        /// The row, from 1.
        row: usize,
        /// The comparison.
        function: &'static str,
        /// How far the numbers are apart.
        difference: f64,
        /// How far they have to be.
        gap: f64,
    },
    /// Values that can't be computed on less a constant.
    #[error(
        "the values of column `{column}` differ too much for a plan of values near each other, which are encrypted less a constant: plan for these data"
    )]
    TooWide {
        /// The column.
        column: String,
    },
    /// Results of columns that are less an unknown constant.
    #[error(
        "column `{column}` was encrypted less a constant that only the client knows, and the client's record of these inputs doesn't have it"
    )]
    NoCentre {
        /// The column.
        column: String,
    },
    /// A plan whose ranges can't be found.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// The plain computation of the divisors.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// A column that exact arithmetic can't take.
    #[error("{}, and the plan is for whole numbers", fraction_in(column, *first))]
    NotWhole {
        /// The column.
        column: String,
        /// The first row, from 1, that isn't a whole number, and its value.
        first: Option<(usize, f64)>,
    },
    /// Keys and ciphertexts of different key generations.
    #[error(
        "the {which} of key generation {} can't be used on ciphertexts of {}: use keys and ciphertexts of one key generation",
        beginning(key),
        beginning(ciphertexts)
    )]
    OtherKeys {
        /// Which keys.
        which: &'static str,
        /// Their key generation.
        key: KeyId,
        /// The ciphertexts' key generation.
        ciphertexts: KeyId,
    },
    /// A record of publications that there's no counting on.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Ciphertexts that can't be re-encrypted, or can't be used after it.
    #[error(transparent)]
    Reencryption(#[from] ReencryptionError),
    /// No usable record of the inputs that the results are of.
    #[error(transparent)]
    ClientRecord(#[from] ClientRecordError),
    /// Canaries that can't be used, or have wrong results.
    #[error(transparent)]
    Canaries(#[from] CanaryError),
    /// Keys or ciphertexts of another scheme.
    #[error(
        "the keys or the ciphertexts are of another scheme than the plan: take those that were made for it"
    )]
    OtherScheme,
    /// A result that an honest evaluation can't have given.
    #[error(transparent)]
    Altered(#[from] AlteredResult),
    /// Results that may not be shown.
    #[error(transparent)]
    Showing(#[from] ShowingError),
    /// An operation of TFHE.
    #[error(transparent)]
    Tfhe(#[from] TfheError),
    /// The progress callback stopped the work.
    #[error("the work was stopped")]
    Stopped,
    /// A file that a back-end writes, and what other back-ends than those of RLWE and TFHE say.
    #[error(transparent)]
    Backend(Box<dyn StdError + Send + Sync>),
}

impl From<BackendError> for ExecuteError {
    fn from(error: BackendError) -> Self {
        match error {
            BackendError::Scheme(error) => error.into(),
            BackendError::Tfhe(error) => error.into(),
            BackendError::Altered(error) => Self::Altered(error),
            BackendError::File(error) => Self::Backend(error.into()),
            BackendError::OtherScheme => Self::OtherScheme,
            BackendError::NotWhole { column, first } => Self::NotWhole { column, first },
            BackendError::Stopped => Self::Stopped,
            BackendError::Other(error) => match error.downcast::<RecordError>() {
                Ok(error) => Self::Record(*error),
                Err(error) => Self::Backend(error),
            },
        }
    }
}

impl From<CentreError> for ExecuteError {
    fn from(error: CentreError) -> Self {
        match error {
            CentreError::MissingColumn(column) => Self::MissingColumn(column),
            CentreError::TooWide { column } => Self::TooWide { column },
            CentreError::NoCentre { column } => Self::NoCentre { column },
            CentreError::Text(error) => error.into(),
            CentreError::Evaluation(error) => error.into(),
        }
    }
}

impl Advised for ExecuteError {
    fn advice(&self) -> Vec<Advice> {
        match self {
            Self::Rows(error) => error.advice(),
            Self::Range(error) => error.advice(),
            Self::ClientRecord(error) => error.advice(),
            Self::Canaries(error) => error.advice(),
            Self::Reencryption(error) => error.advice(),
            Self::Record(error) => error.advice(),
            Self::Showing(error) => error.advice(),
            Self::Altered(_) => vec![Advice::NewKeys],
            Self::OutsideRange { column, .. } => {
                vec![Advice::LeaveRowOut, Advice::WiderRange { column: column.clone() }]
            }
            Self::DivisorZero { .. } => vec![Advice::LeaveRowOut, Advice::ValueOnZero],
            Self::Undecided { .. } => {
                vec![Advice::LeaveRowOut, Advice::MoveThreshold, Advice::SmallerGap, Advice::MorePrecision]
            }
            Self::NoCentre { .. } => vec![Advice::EncryptingKeys],
            _ => Vec::new(),
        }
    }
}

/// Where a column isn't whole.
fn fraction_in(column: &str, first: Option<(usize, f64)>) -> String {
    first.map_or_else(
        || format!("column `{column}` isn't one of whole numbers"),
        |(row, value)| format!("row {row} of column `{column}` is {value}"),
    )
}

/// The beginning of a key generation's identifier, which tells it from others for a reader.
fn beginning(key: &KeyId) -> String {
    format!("{}…", key.to_string().chars().take(8).collect::<String>())
}
