//! Errors of the library as exceptions of the package.

use std::{fmt::Display, path::Path};

use asanoha::{
    advice::{Advice, Advised, with_advice},
    client::{ClientError, shortened},
    data::{DataError, Problem, TextError},
    execute::{ClientRecordError, ClientRecordProblem, ExecuteError, FolderError},
    http::{HttpError, Kind},
    lattice::FileError,
    plan::{PlanError, PlanningError, RowsError},
    program::ProgramError,
    report::Classified,
    service::http::RemoteError,
    text::is_steering,
};
use pyo3::{prelude::*, sync::PyOnceLock};
use serde_json::{Map, Value, json};

use crate::advice::words;

/// An error before it's an exception: the name of the exception's class, a message, and the figures in it.
#[derive(Debug)]
pub(crate) struct Fault {
    class: &'static str,
    message: String,
    figures: Map<String, Value>,
}

impl Fault {
    /// An error with a message, which is shown in a terminal or a notebook whoever wrote the names in it.
    pub(crate) fn new(class: &'static str, message: impl Display) -> Self {
        let steers = |c: char| c != '\n' && is_steering(c);
        Self { class, message: message.to_string().replace(steers, "\u{fffd}"), figures: Map::new() }
    }

    /// An error of the library with its advice.
    fn advised(class: &'static str, error: &impl Advised) -> Self {
        Self::new(class, error.in_words(words))
    }

    pub(crate) fn data(message: impl Display) -> Self {
        Self::new("DataError", message)
    }

    pub(crate) fn plan(message: impl Display) -> Self {
        Self::new("PlanError", message)
    }

    pub(crate) fn internal(message: impl Display) -> Self {
        Self::new("InternalError", format!("internal error: {message}; please report this"))
    }

    /// With a figure of the message, which is an attribute of the exception.
    pub(crate) fn figure(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.figures.insert(name.to_owned(), value.into());
        self
    }

    /// With the figures that the library names.
    fn figures(mut self, figures: Map<String, Value>) -> Self {
        self.figures.extend(figures);
        self
    }

    /// Whether the work was stopped by its caller, who has an exception already.
    pub(crate) fn stopped() -> Self {
        Self::new("InternalError", "the work was stopped")
    }
}

/// What makes an exception out of JSON.
static RAISE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        Python::attach(|py| {
            let make = RAISE.get_or_try_init(py, || -> PyResult<Py<PyAny>> {
                Ok(py.import("asanoha.exceptions")?.getattr("from_json")?.unbind())
            });
            let Fault { class, message, figures } = fault;
            let text = json!({ "class": class, "message": message, "figures": figures }).to_string();
            let made = make.and_then(|make| make.bind(py).call1((text,)));
            made.map_or_else(|error| error, PyErr::from_value)
        })
    }
}

/// Rows count from 0 in Python.
fn row(from_1: usize) -> usize {
    from_1.saturating_sub(1)
}

impl From<DataError> for Fault {
    fn from(error: DataError) -> Self {
        match error {
            DataError::At { line, ref problem, .. } => {
                of_problem(problem, row(line as usize), &error.advice())
            }
            DataError::UnknownColumn { name, present, .. } => {
                let message = format!("there is no column {name:?}; the data have {}", present.join(", "));
                Self::data(message).figure("column", name).figure("present", present)
            }
            DataError::TooLarge { limit, what, .. } => {
                Self::data(format!("the data have more than {limit} {what}")).figure("limit", limit)
            }
            DataError::Unreadable { source, .. } => Self::data(format!("the data can't be read: {source}")),
            DataError::OutsideRange { row: at, name, value, range } => {
                let at = row(at);
                let message = format!(
                    "row {at} of column {name:?} is {value}, which is outside of the range {range} that was given"
                );
                Self::data(message)
                    .figure("row", at)
                    .figure("column", name)
                    .figure("value", value)
                    .figure("range", range)
            }
            other => Self::data(other),
        }
    }
}

/// What is wrong in a row, from 0.
fn of_problem(problem: &Problem, row: usize, advice: &[Advice]) -> Fault {
    match problem {
        Problem::Missing { name, found, rows } | Problem::MissingText { name, found, rows } => {
            let message =
                format!("column {name:?} misses {found} of its {rows} values, the first in row {row}");
            Fault::data(with_advice(message, advice, words))
                .figure("column", name.as_str())
                .figure("row", row)
                .figure("found", *found)
        }
        Problem::NothingLeft => Fault::data("every row misses a value, so that leaving them out leaves none"),
        Problem::NoRows => Fault::data("the data have no rows").figure("rows", 0),
        Problem::DuplicateColumn { name, .. } => {
            Fault::data(format!("the data have two columns {name:?}")).figure("column", name.as_str())
        }
        Problem::UnfitType { name, found } => Fault::data(format!(
            "column {name:?} has the type {found}; taken are integers, floats, booleans, dates, decimals and text: cast it to one of these"
        ))
        .figure("column", name.as_str())
        .figure("found", found.as_str()),
        Problem::NotADay { name, found } => Fault::data(format!(
            "row {row} of column {name:?}: {found} aren't a day of the years 0 to 9999: cast the column to dates"
        ))
        .figure("column", name.as_str())
        .figure("row", row),
        other => {
            // Problems begin with the column in brackets, or with a colon.
            let text = other.to_string();
            let text = text.trim_start_matches([' ', ':']);
            let (column, text) = match text.strip_prefix('(').and_then(|rest| rest.split_once("): ")) {
                Some((column, text)) => (Some(column.to_owned()), text.to_owned()),
                None => (None, text.to_owned()),
            };
            let place = column.as_ref().map_or_else(String::new, |column| format!(" of column {column:?}"));
            let message = with_advice(format!("row {row}{place}: {text}"), advice, words);
            let fault = Fault::data(message).figure("row", row);
            if let Some(column) = column { fault.figure("column", column) } else { fault }
        }
    }
}

impl From<ProgramError> for Fault {
    fn from(error: ProgramError) -> Self {
        let help = error.help.as_ref().filter(|_| error.advice.is_empty());
        let help = help.map_or_else(String::new, |help| format!(": {help}"));
        Self::new("ProgramError", format!("{}{help}", error.in_words(words)))
            .figure("line", error.line)
            .figure("column", error.column)
    }
}

impl Fault {
    /// An error of the text of a traced function, whose lines users don't know.
    pub(crate) fn traced(error: ProgramError) -> Self {
        let help = error.help.map_or_else(String::new, |help| format!(": {help}"));
        Self::plan(format!("the function can't be planned: {}{help}", error.message))
    }
}

impl From<PlanningError> for Fault {
    fn from(error: PlanningError) -> Self {
        let fault = Self::advised("PlanError", &error);
        match &error {
            PlanningError::Stopped => Self::stopped(),
            PlanningError::NotExact { reasons } | PlanningError::NothingFeasible { reasons } => {
                let one =
                    |(schemes, reason): (Vec<_>, String)| json!({ "schemes": schemes, "reason": reason });
                let reasons = reasons.folded(|reason| reason.in_words(words));
                fault.figure("reasons", reasons.into_iter().map(one).collect::<Vec<_>>())
            }
            PlanningError::NotFeasible { scheme, reason } => {
                fault.figure("scheme", scheme.to_string()).figure(
                    "reasons",
                    json!([{ "schemes": [scheme.to_string()], "reason": reason.in_words(words) }]),
                )
            }
            _ => fault,
        }
    }
}

impl From<PlanError> for Fault {
    fn from(error: PlanError) -> Self {
        Self::advised(error.kind().class(), &error).figures(error.figures())
    }
}

impl From<FileError> for Fault {
    fn from(error: FileError) -> Self {
        Self::new(error.kind().class(), &error).figures(error.figures())
    }
}

impl From<FolderError> for Fault {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::File(error) => error.into(),
            FolderError::Mixed { .. } => Self::advised("FormatError", &error),
        }
    }
}

impl From<RowsError> for Fault {
    fn from(error: RowsError) -> Self {
        Self::advised(error.kind().class(), &error).figures(error.figures())
    }
}

impl From<ExecuteError> for Fault {
    fn from(error: ExecuteError) -> Self {
        let error = from_0(error);
        match error {
            ExecuteError::Stopped => Self::stopped(),
            ExecuteError::ClientRecord(record) => record.into(),
            _ => Self::advised(error.kind().class(), &error).figures(error.figures()),
        }
    }
}

/// The same with rows from 0.
fn from_0(mut error: ExecuteError) -> ExecuteError {
    match &mut error {
        ExecuteError::OutsideRange { row: at, .. }
        | ExecuteError::Text(TextError::Unlisted { row: at, .. })
        | ExecuteError::DivisorZero { row: at, .. }
        | ExecuteError::OutsideTable { row: at, .. }
        | ExecuteError::OutsideAssumed { row: at, .. }
        | ExecuteError::Undecided { row: at, .. }
        | ExecuteError::NotWhole { first: Some((at, _)), .. } => *at = row(*at),
        _ => {}
    }
    error
}

impl From<ClientError> for Fault {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::File(error) => error.into(),
            ClientError::Execute(error) => error.into(),
            // A client in memory has no folder of keys in which the record could be.
            ClientError::NoRecord { stated, error } if error.path == Path::new("the client") => {
                Self::data(format!(
                    "this client didn't encrypt the inputs that these results were computed from ({}…): decrypt with the client that did",
                    shortened(&stated)
                ))
            }
            ClientError::NoRecord { error, .. } => error.into(),
            ClientError::OtherInputs { .. } => Self::data(error),
        }
    }
}

impl From<ClientRecordError> for Fault {
    fn from(error: ClientRecordError) -> Self {
        let message = match &error.problem {
            ClientRecordProblem::Missing | ClientRecordProblem::NoCentres { .. } => {
                "this client didn't encrypt the inputs that these results were computed from".to_owned()
            }
            // The client may have no folder of keys to name.
            ClientRecordProblem::Ambiguous { .. }
            | ClientRecordProblem::AmbiguousCentres
            | ClientRecordProblem::AmbiguousCanaries
            | ClientRecordProblem::AmbiguousLeftOut
            | ClientRecordProblem::AmbiguousRotations => error.problem.to_string(),
            _ => return Self::advised(error.kind().class(), &error),
        };
        Self::data(with_advice(message, &error.advice(), words))
    }
}

impl From<HttpError> for Fault {
    fn from(error: HttpError) -> Self {
        let (status, refusal) = match &error {
            HttpError::Refused { status, refusal, .. } => (*status, refusal),
            HttpError::Unreachable { .. } => {
                let message = format!("{error}: check the address and the certificate, or ask again later");
                return Self::new("ServerGoneError", message);
            }
            HttpError::Broken { .. } => return Self::new("ServerGoneError", error),
            HttpError::Answer { .. } => return Self::new("FormatError", error),
            HttpError::Token | HttpError::Url(_) | HttpError::Plain(_) | HttpError::Certificate { .. } => {
                return Self::new("AddressError", error);
            }
            _ => return Self::internal(error),
        };
        let class = match refusal.kind {
            Kind::Unauthorized | Kind::Forbidden => "TokenError",
            Kind::TooMany | Kind::Busy | Kind::TooSlow => "BusyError",
            _ => "RefusedError",
        };
        Self::new(class, &error).figure("status", status).figure("retry_after_s", refusal.retry_after_s)
    }
}

impl From<RemoteError> for Fault {
    fn from(error: RemoteError) -> Self {
        match error {
            RemoteError::Http(error) => error.into(),
            RemoteError::Stopped => Self::stopped(),
            RemoteError::TooLong { ref job, seconds, .. } => {
                Self::new("WaitError", &error).figure("job", job.to_string()).figure("timeout", seconds)
            }
            RemoteError::Failed { ref job, .. } => {
                Self::new("JobError", &error).figure("job", job.to_string()).figure("state", "failed")
            }
            RemoteError::Cancelled { ref job, .. } => {
                Self::new("JobError", &error).figure("job", job.to_string()).figure("state", "cancelled")
            }
            RemoteError::Damaged { .. } => Self::new("FormatError", error),
            RemoteError::File { .. } | RemoteError::Changed(_) => Self::internal(error),
        }
    }
}
