//! Errors of the library as exceptions of the package.

use std::fmt::Display;

use asanoha::{
    data::{DataError, Problem, TextError},
    execute::{ClientRecordError, ClientRecordProblem, ExecuteError},
    lattice::{FileError, FileProblem},
    plan::{PlanError, PlanningError, RowsError},
    program::ProgramError,
    scheme::SchemeError,
    tfhe::TfheError,
};
use pyo3::{prelude::*, sync::PyOnceLock};
use serde_json::{Map, Value, json};

/// An error before it's an exception: the name of the exception's class, a message, and the figures in it.
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
            DataError::At { line, problem, .. } => of_problem(&problem, row(line as usize)),
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
fn of_problem(problem: &Problem, row: usize) -> Fault {
    let advice = "leave such rows out with missing=\"mask\"";
    match problem {
        Problem::Missing { name, found, rows } => Fault::data(format!(
            "column {name:?} misses {found} of its {rows} values, the first in row {row}: {advice}, or put missing=\"mean\" or missing=\"zero\" in their places"
        ))
        .figure("column", name.as_str())
        .figure("row", row)
        .figure("found", *found),
        Problem::MissingText { name, found, rows } => Fault::data(format!(
            "column {name:?} misses {found} of its {rows} texts, the first in row {row}: {advice}"
        ))
        .figure("column", name.as_str())
        .figure("row", row)
        .figure("found", *found),
        Problem::NoNumber { name } => Fault::data(format!(
            "column {name:?} misses a text, for which no number can stand: {advice}"
        ))
        .figure("column", name.as_str()),
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
            let fault = Fault::data(format!("row {row}{place}: {text}")).figure("row", row);
            if let Some(column) = column { fault.figure("column", column) } else { fault }
        }
    }
}

impl From<ProgramError> for Fault {
    fn from(error: ProgramError) -> Self {
        let help = error.help.as_ref().map_or_else(String::new, |help| format!(": {help}"));
        Self::new("ProgramError", format!("{error}{help}"))
            .figure("line", error.line)
            .figure("column", error.column)
    }
}

impl From<PlanningError> for Fault {
    fn from(error: PlanningError) -> Self {
        let fault = Self::plan(&error);
        match &error {
            PlanningError::Stopped => Self::stopped(),
            PlanningError::NotExact { reasons } | PlanningError::NothingFeasible { reasons } => {
                let one =
                    |(schemes, reason): (Vec<_>, String)| json!({ "schemes": schemes, "reason": reason });
                fault.figure("reasons", reasons.folded().into_iter().map(one).collect::<Vec<_>>())
            }
            PlanningError::NotFeasible { scheme, reason } => {
                fault.figure("scheme", scheme.to_string()).figure(
                    "reasons",
                    json!([{ "schemes": [scheme.to_string()], "reason": reason.to_string() }]),
                )
            }
            _ => fault,
        }
    }
}

impl From<PlanError> for Fault {
    fn from(error: PlanError) -> Self {
        let fault = Self::new("FormatError", &error);
        match error {
            PlanError::Version { found, .. } => fault.figure("found", found),
            PlanError::Insecure { found, .. } => fault.figure("security_bits", found),
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
        match error {
            RowsError::Other { found, planned } => Self::data(format!(
                "the data have {found} rows and the plan is for {planned}: plan for these data, or with max_rows for any number of rows up to one"
            ))
            .figure("found", found)
            .figure("planned", planned),
            RowsError::TooMany { found, most } => Self::data(format!(
                "the data have {found} rows and the plan is for at most {most}: plan with max_rows={found} or more"
            ))
            .figure("found", found)
            .figure("most", most),
            RowsError::Unfit { found, reason } => {
                Self::data(format!("the plan can't compute on {found} rows ({reason}): plan for these data"))
                    .figure("found", found)
            }
        }
    }
}

impl From<ExecuteError> for Fault {
    fn from(error: ExecuteError) -> Self {
        let text = error.to_string();
        match error {
            ExecuteError::Stopped => Self::stopped(),
            ExecuteError::Rows(rows) => rows.into(),
            ExecuteError::ClientRecord(record) => record.into(),
            ExecuteError::MissingColumn(column) => {
                Self::data(format!("the data have no column {column:?}, which the plan needs"))
                    .figure("column", column)
            }
            ExecuteError::OutsideRange { column, row: at, range } => Self::data(format!(
                "row {} of column {column:?} is outside of {range}, the range that the plan was made for: leave the row out, or plan again with a wider one, ranges={{{column:?}: (lo, hi)}}",
                row(at)
            ))
            .figure("row", row(at))
            .figure("column", column)
            .figure("range", range),
            ExecuteError::Text(TextError::Unlisted { row: at, column, text }) => Self::data(format!(
                "row {} of column {column:?} is {text:?}, which isn't among the categories that the plan lists",
                row(at)
            ))
            .figure("row", row(at))
            .figure("column", column)
            .figure("value", text),
            ExecuteError::Text(TextError::OtherKind { column, planned, found }) => Self::data(format!(
                "column {column:?} is {planned} in the plan, and {found} in the data: cast it to what was planned"
            ))
            .figure("column", column),
            ExecuteError::DivisorZero { row: at, operand, function } => Self::data(format!(
                "row {} of {operand} is zero, and `{function}` divides by it: leave the row out, or divide by np.where(y == 0, 1, y)",
                row(at)
            ))
            .figure("row", row(at))
            .figure("function", function),
            ExecuteError::OutsideTable { row: at, operand, value, function } => Self::data(format!(
                "row {} of {operand} is {value}, and `{function}` has no such entry: leave the row out, or add the entry",
                row(at)
            ))
            .figure("row", row(at))
            .figure("value", value),
            ExecuteError::OutsideAssumed { row: at, value, assumed } => Self::data(format!(
                "row {}: a value is {value}, and the function assumes it in {assumed}: leave the row out, or widen what is assumed",
                row(at)
            ))
            .figure("row", row(at))
            .figure("value", value)
            .figure("range", assumed),
            ExecuteError::Undecided { row: at, function, difference, gap } => Self::data(format!(
                "row {}: `{function}` compares numbers that are {difference:.3e} apart, and encrypted ones are told apart from {gap:.3e} on: leave the row out, move the threshold, state a smaller gap with asanoha.less_than(a, b, gap), or plan with more bits of precision",
                row(at)
            ))
            .figure("row", row(at))
            .figure("difference", difference)
            .figure("gap", gap),
            ExecuteError::NotWhole { column, first: Some((at, value)) } => Self::data(format!(
                "row {} of column {column:?} is {value}, and the plan is for other numbers: cast the column to what was planned",
                row(at)
            ))
            .figure("row", row(at))
            .figure("column", column)
            .figure("value", value),
            ExecuteError::NoCentre { column } => Self::data(format!(
                "column {column:?} was encrypted less a constant that only the client knows, and this client didn't encrypt these inputs: decrypt with the client that encrypted them"
            ))
            .figure("column", column),
            ExecuteError::OutsideOutput { .. }
            | ExecuteError::Tfhe(TfheError::NumberAboveBound { .. } | TfheError::NoiseAboveBound { .. })
            | ExecuteError::Scheme(SchemeError::NoiseAboveBound(_) | SchemeError::WrongKey { .. }) => {
                Self::new("CheckError", text)
            }
            ExecuteError::OtherKeys { .. } | ExecuteError::Scheme(SchemeError::MissingKey(_)) => Self::new("WrongKeysError", text),
            ExecuteError::Scheme(_) | ExecuteError::Tfhe(_) => Self::plan(text),
            ExecuteError::Record(_) => Self::new("FormatError", text),
            _ => Self::data(text),
        }
    }
}

impl From<ClientRecordError> for Fault {
    fn from(error: ClientRecordError) -> Self {
        let of = "name the inputs with decrypt(results, of=inputs)";
        match error.problem {
            ClientRecordProblem::Missing { .. } | ClientRecordProblem::NoCentres { .. } => Self::data(
                "this client didn't encrypt the inputs that these results were computed from: decrypt with the client that did",
            ),
            ClientRecordProblem::Ambiguous { rows } => Self::data(format!(
                "this client encrypted inputs of {} rows and of {} rows, and only the results say which they belong to: {of}",
                rows[0], rows[1]
            )),
            ClientRecordProblem::AmbiguousCentres => Self::data(format!(
                "this client encrypted several inputs less different constants, and only the results say which they belong to: {of}"
            )),
            _ => Self::new("FormatError", error),
        }
    }
}
