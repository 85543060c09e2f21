//! Errors of the library as errors of JavaScript.

use std::fmt::Display;

use asanoha::{
    advice::Advised,
    client::{ClientError, shortened},
    data::{DataError, Problem},
    execute::{ClientRecordError, ExecuteError, RecordError},
    lattice::FileError,
    plan::{PlanError, RowsError},
    report::Classified,
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

    /// With the figures that the library names.
    fn figures(mut self, figures: Map<String, Value>) -> Self {
        self.figures.extend(figures.into_iter().map(|(name, value)| (camel_case(&name), value)));
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
        let fault = Self::data(error.in_words(words));
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

/// Errors of the library whose kinds it knows.
macro_rules! classified {
    ($($error:ty),*) => {$(
        impl From<$error> for Fault {
            fn from(error: $error) -> Self {
                Self::new(error.kind().class(), error.in_words(words)).figures(error.figures())
            }
        }
    )*};
}

classified!(ClientRecordError, ExecuteError, PlanError, RowsError);

impl From<ClientError> for Fault {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::File(error) => error.into(),
            ClientError::Execute(error) => error.into(),
            ClientError::NoRecord { stated, .. } => Self::data(format!(
                "this client has no record of the inputs that these results were computed from ({}…), which alone says which rows were left out and which are canaries: decrypt with the client that encrypted them, or load its records",
                shortened(&stated)
            )),
            ClientError::OtherInputs { stated, named } => Self::data(format!(
                "results: these results were computed from other inputs ({}…) than those given ({}…): evaluate these and decrypt what that gives",
                shortened(&stated),
                shortened(&named)
            ))
            .figure("found", stated)
            .figure("expected", named),
        }
    }
}

impl From<FileError> for Fault {
    fn from(error: FileError) -> Self {
        Self::new(error.kind().class(), &error).figures(error.figures())
    }
}

impl From<RecordError> for Fault {
    fn from(error: RecordError) -> Self {
        Self::new(error.kind().class(), error)
    }
}

/// A name as JavaScript writes it: `securityBits` for `security_bits`.
fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        let mut letters = part.chars();
        let upper = letters.next().map(|letter| letter.to_ascii_uppercase());
        name + &upper.into_iter().chain(letters).collect::<String>()
    })
}
