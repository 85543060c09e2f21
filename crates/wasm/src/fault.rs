//! Errors of the library as errors of JavaScript.

use std::fmt::Display;

use asanoha::{
    advice::Advised,
    data::{DataError, Problem, TextError},
    execute::{
        CanaryError, ClientRecordError, ClientRecordProblem, ExecuteError, RecordError, RecordProblem,
    },
    lattice::{FileError, FileProblem},
    plan::{PlanError, RowsError},
    scheme::SchemeError,
    tfhe::TfheError,
};
use js_sys::{Error, Reflect};
use serde_json::{Map, Value};
use wasm_bindgen::JsValue;

use crate::advice::words;

/// An error before JavaScript has it: the name of its class, a message, and the figures in it.
#[derive(Debug)]
pub(crate) struct Fault {
    class: &'static str,
    message: String,
    figures: Map<String, Value>,
}

impl Fault {
    pub(crate) fn new(class: &'static str, message: impl Display) -> Self {
        Self { class, message: message.to_string(), figures: Map::new() }
    }

    /// An error of the library with its advice.
    fn advised(class: &'static str, error: &impl Advised) -> Self {
        Self::new(class, error.in_words(words))
    }

    pub(crate) fn data(message: impl Display) -> Self {
        Self::new("DataError", message)
    }

    pub(crate) fn internal(message: impl Display) -> Self {
        Self::new("InternalError", format!("internal error: {message}; please report this"))
    }

    /// With a figure of the message.
    pub(crate) fn figure(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.figures.insert(name.to_owned(), value.into());
        self
    }
}

impl From<Fault> for JsValue {
    fn from(fault: Fault) -> Self {
        let Fault { class, message, figures } = fault;
        let error = Error::new(&message);
        error.set_name(class);
        // A new object takes every property.
        let _ = Reflect::set(&error, &"figures".into(), &Value::Object(figures).to_string().into());
        error.into()
    }
}

impl From<DataError> for Fault {
    fn from(error: DataError) -> Self {
        let fault = Self::advised("DataError", &error);
        match error {
            DataError::At { line, problem, .. } => {
                let fault = fault.figure("line", line);
                match problem {
                    Problem::Missing { name, found, .. } | Problem::MissingText { name, found, .. } => {
                        fault.figure("column", name).figure("found", found)
                    }
                    _ => fault,
                }
            }
            DataError::UnknownColumn { name, present, .. } => {
                fault.figure("column", name).figure("present", present)
            }
            _ => fault,
        }
    }
}

impl From<PlanError> for Fault {
    fn from(error: PlanError) -> Self {
        let fault = Self::advised("FormatError", &error);
        match error {
            PlanError::Version { found, .. } => fault.figure("found", found),
            PlanError::Insecure { found, .. } => fault.figure("securityBits", found),
            _ => fault,
        }
    }
}

impl From<FileError> for Fault {
    fn from(error: FileError) -> Self {
        match &error.problem {
            FileProblem::Params { .. } => Self::new("WrongKeysError", error),
            FileProblem::Version { found } => {
                Self::new("FormatError", &error).figure("found", found.as_str())
            }
            FileProblem::Length { found, expected } => {
                Self::new("FormatError", &error).figure("found", *found).figure("expected", *expected)
            }
            FileProblem::Kind { found, expected } => Self::new("FormatError", &error)
                .figure("found", found.as_str())
                .figure("expected", expected.as_str()),
            _ => Self::new("FormatError", error),
        }
    }
}

impl From<RowsError> for Fault {
    fn from(error: RowsError) -> Self {
        let fault = Self::advised("DataError", &error);
        match error {
            RowsError::Other { found, planned } => fault.figure("found", found).figure("planned", planned),
            RowsError::TooMany { found, most } => fault.figure("found", found).figure("most", most),
            RowsError::Unfit { found, .. } => fault.figure("found", found),
        }
    }
}

impl From<RecordError> for Fault {
    fn from(error: RecordError) -> Self {
        let class = match error.problem {
            RecordProblem::OtherKey { .. } => "WrongKeysError",
            RecordProblem::Full => "CheckError",
            _ => "FormatError",
        };
        Self::new(class, error)
    }
}

impl From<ClientRecordError> for Fault {
    fn from(error: ClientRecordError) -> Self {
        let class = match error.problem {
            ClientRecordProblem::Damaged(_) | ClientRecordProblem::Io(_) => "FormatError",
            ClientRecordProblem::Other => "WrongKeysError",
            _ => "DataError",
        };
        Self::advised(class, &error)
    }
}

impl From<ExecuteError> for Fault {
    fn from(error: ExecuteError) -> Self {
        match error {
            ExecuteError::Rows(rows) => return rows.into(),
            ExecuteError::ClientRecord(record) => return record.into(),
            ExecuteError::Record(record) => return record.into(),
            _ => {}
        }
        let fault = Self::advised(class(&error), &error);
        match error {
            ExecuteError::MissingColumn(column) | ExecuteError::NoCentre { column } => {
                fault.figure("column", column)
            }
            ExecuteError::OutsideRange { column, row, range } => {
                fault.figure("row", row).figure("column", column).figure("range", range)
            }
            ExecuteError::Text(TextError::Unlisted { row, column, text }) => {
                fault.figure("row", row).figure("column", column).figure("value", text)
            }
            ExecuteError::Text(TextError::OtherKind { column, .. }) => fault.figure("column", column),
            ExecuteError::DivisorZero { row, .. } => fault.figure("row", row),
            ExecuteError::OutsideTable { row, value, .. } => fault.figure("row", row).figure("value", value),
            ExecuteError::OutsideAssumed { row, value, assumed } => {
                fault.figure("row", row).figure("value", value).figure("range", assumed)
            }
            ExecuteError::Undecided { row, difference, gap, .. } => {
                fault.figure("row", row).figure("difference", difference).figure("gap", gap)
            }
            ExecuteError::NotWhole { column, first: Some((row, value)) } => {
                fault.figure("row", row).figure("column", column).figure("value", value)
            }
            _ => fault,
        }
    }
}

/// The class of an error.
fn class(error: &ExecuteError) -> &'static str {
    match error {
        ExecuteError::OutsideOutput { .. }
        | ExecuteError::Canaries(CanaryError::Wrong { .. })
        | ExecuteError::Tfhe(TfheError::NumberAboveBound { .. } | TfheError::NoiseAboveBound { .. })
        | ExecuteError::Scheme(SchemeError::NoiseAboveBound(_) | SchemeError::WrongKey { .. }) => {
            "CheckError"
        }
        ExecuteError::OtherKeys { .. } | ExecuteError::Scheme(SchemeError::MissingKey(_)) => "WrongKeysError",
        ExecuteError::Scheme(_) | ExecuteError::Tfhe(_) => "PlanError",
        ExecuteError::Stopped => "InternalError",
        _ => "DataError",
    }
}
