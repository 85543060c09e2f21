//! Kinds of errors, and the figures in them, for packages that raise them as exceptions.

use asanoha_lattice::{FileError, FileProblem};
use asanoha_scheme::SchemeError;
use asanoha_tfhe::TfheError;
use serde_json::{Map, Value, json};

use crate::{
    data::TextError,
    execute::{
        CanaryError, ClientRecordError, ClientRecordProblem, ExecuteError, RecordError, RecordProblem,
        ShowingError,
    },
    plan::{PlanError, RowsError},
};

/// The kind of an error: what a caller can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The data don't fit the plan.
    Data,
    /// The plan can't compute this.
    Plan,
    /// A file is damaged, of another version or of another kind.
    Format,
    /// Keys and ciphertexts don't belong together.
    WrongKeys,
    /// Results that can't be right, or can't be told.
    Check,
    /// The caller stopped the work, or the library is wrong.
    Internal,
}

impl ErrorKind {
    /// The name of its class in the packages for other languages.
    pub fn class(self) -> &'static str {
        match self {
            Self::Data => "DataError",
            Self::Plan => "PlanError",
            Self::Format => "FormatError",
            Self::WrongKeys => "WrongKeysError",
            Self::Check => "CheckError",
            Self::Internal => "InternalError",
        }
    }
}

/// Errors of a kind, with figures.
pub trait Classified {
    /// The kind.
    fn kind(&self) -> ErrorKind;

    /// The figures in the message by their names, as in `{"row": 3, "column": "age"}`.
    fn figures(&self) -> Map<String, Value> {
        Map::new()
    }
}

/// The members of an object.
fn members(object: Value) -> Map<String, Value> {
    match object {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

impl Classified for PlanError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Format
    }

    fn figures(&self) -> Map<String, Value> {
        members(match self {
            Self::Version { found, .. } => json!({ "found": found }),
            Self::Insecure { found, .. } => json!({ "security_bits": found }),
            _ => Value::Null,
        })
    }
}

impl Classified for FileError {
    fn kind(&self) -> ErrorKind {
        match self.problem {
            FileProblem::Params { .. } => ErrorKind::WrongKeys,
            _ => ErrorKind::Format,
        }
    }

    fn figures(&self) -> Map<String, Value> {
        members(match &self.problem {
            FileProblem::Version { found } => json!({ "found": found }),
            FileProblem::Length { found, expected } => json!({ "found": found, "expected": expected }),
            FileProblem::Kind { found, expected } => json!({ "found": found, "expected": expected }),
            _ => Value::Null,
        })
    }
}

impl Classified for RowsError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Data
    }

    fn figures(&self) -> Map<String, Value> {
        members(match self {
            Self::Other { found, planned } => json!({ "found": found, "planned": planned }),
            Self::TooMany { found, most } => json!({ "found": found, "most": most }),
            Self::Unfit { found, .. } => json!({ "found": found }),
        })
    }
}

impl Classified for RecordError {
    fn kind(&self) -> ErrorKind {
        match self.problem {
            RecordProblem::OtherKey { .. } => ErrorKind::WrongKeys,
            RecordProblem::Full | RecordProblem::TooMuchShown { .. } => ErrorKind::Check,
            _ => ErrorKind::Format,
        }
    }
}

impl Classified for ClientRecordError {
    fn kind(&self) -> ErrorKind {
        match self.problem {
            ClientRecordProblem::Damaged(_) | ClientRecordProblem::Io(_) => ErrorKind::Format,
            ClientRecordProblem::Other => ErrorKind::WrongKeys,
            _ => ErrorKind::Data,
        }
    }
}

impl Classified for ExecuteError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Record(error) => error.kind(),
            Self::ClientRecord(error) => error.kind(),
            Self::Altered(_)
            | Self::Canaries(CanaryError::Wrong { .. } | CanaryError::Spent | CanaryError::UsedUp)
            | Self::Showing(ShowingError::OtherResults { .. } | ShowingError::NotPlain { .. })
            | Self::Tfhe(TfheError::NumberAboveBound { .. } | TfheError::NoiseAboveBound { .. })
            | Self::Scheme(SchemeError::NoiseAboveBound(_) | SchemeError::WrongKey { .. }) => {
                ErrorKind::Check
            }
            Self::OtherKeys { .. } | Self::Scheme(SchemeError::MissingKey(_)) => ErrorKind::WrongKeys,
            Self::Scheme(_) | Self::Tfhe(_) => ErrorKind::Plan,
            Self::Stopped => ErrorKind::Internal,
            _ => ErrorKind::Data,
        }
    }

    fn figures(&self) -> Map<String, Value> {
        members(match self {
            Self::Rows(error) => return error.figures(),
            Self::MissingColumn(column)
            | Self::NoCentre { column }
            | Self::Text(TextError::OtherKind { column, .. }) => json!({ "column": column }),
            Self::OutsideRange { column, row, range } => {
                json!({ "row": row, "column": column, "range": range })
            }
            Self::Text(TextError::Unlisted { row, column, text }) => {
                json!({ "row": row, "column": column, "value": text })
            }
            Self::DivisorZero { row, function, .. } => json!({ "row": row, "function": function }),
            Self::OutsideTable { row, value, .. } => json!({ "row": row, "value": value }),
            Self::OutsideAssumed { row, value, assumed } => {
                json!({ "row": row, "value": value, "range": assumed })
            }
            Self::Undecided { row, difference, gap, .. } => {
                json!({ "row": row, "difference": difference, "gap": gap })
            }
            Self::NotWhole { column, first: Some((row, value)) } => {
                json!({ "row": row, "column": column, "value": value })
            }
            _ => Value::Null,
        })
    }
}
