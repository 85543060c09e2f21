//! Errors of the program: a line of text, an exit code, and what a program can read of them.

mod advice;
mod sources;

use std::{
    fmt::Display,
    io::Write,
    path::Path,
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
};

pub(crate) use advice::words;
use asanoha::{advice::Advised, program::Origin};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::shown::{escaped, shown};

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// A computation that can't be done.
    Impossible,
    /// Flags that can't be taken.
    Usage,
    /// Input that can't be taken, or a file that can't be written.
    BadInput,
    /// A check that failed.
    CheckFailed,
    /// A signal that ended the call.
    Interrupted,
    /// A bug of ours.
    Internal,
}

impl Kind {
    /// The exit code. An interrupted call has none: the signal ends it.
    pub(crate) fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Impossible | Self::Internal => 1,
            Self::Usage | Self::BadInput => 2,
            Self::CheckFailed => 3,
            Self::Interrupted => 130,
        })
    }
}

/// Where something is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Place {
    file: String,
    /// The line, from 1; `None` if the whole file is meant.
    line: Option<u64>,
    /// The character of the line, from 1, or of a table the cell.
    column: Option<u64>,
}

impl Place {
    /// A whole file.
    pub(crate) fn file(file: impl Display) -> Self {
        Self { file: file.to_string(), line: None, column: None }
    }

    /// A place in a file.
    pub(crate) fn at(file: impl Display, line: u64, column: usize) -> Self {
        Self { file: file.to_string(), line: Some(line), column: Some(column as u64) }
    }
}

/// The reason why a command failed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    pub(crate) message: String,
    /// The numbers and names of the message.
    figures: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Place>,
}

/// Whether stdout is for one JSON object.
static JSON: AtomicBool = AtomicBool::new(false);
/// Whether that object is printed.
static PRINTED: AtomicBool = AtomicBool::new(false);

/// From now on, failures are printed to stdout too, as JSON.
pub(crate) fn in_json() {
    JSON.store(true, Ordering::Relaxed);
}

/// Whether the caller may print the one JSON object of this call: nobody has before.
pub(crate) fn may_print_json() -> bool {
    !PRINTED.swap(true, Ordering::Relaxed)
}

impl Failure {
    fn new(kind: Kind, message: impl Display) -> Self {
        Self { kind, message: message.to_string(), figures: Map::new(), place: None }
    }

    /// That a command is one of builds with another feature.
    #[cfg(not(feature = "http"))]
    pub(crate) fn without_http() -> Self {
        Self::new(Kind::Usage, "this build of asanoha speaks no HTTP: build it with --features http")
    }

    /// The same of data without some of their rows: a message that names a row says how it's counted.
    pub(crate) fn of_rows(mut self, left_out: &[usize]) -> Self {
        if !left_out.is_empty() && self.message.contains("row ") {
            let count = left_out.len();
            self.message =
                format!("{}; rows are counted without the {count} that miss a value", self.message);
        }
        self
    }

    pub(crate) fn impossible(message: impl Display) -> Self {
        Self::new(Kind::Impossible, message)
    }

    /// The failure of an error of the library, with its advice.
    fn of(kind: Kind, error: &impl Advised) -> Self {
        Self::new(kind, error.in_words(words))
    }

    pub(crate) fn usage(message: impl Display) -> Self {
        Self::new(Kind::Usage, message)
    }

    pub(crate) fn bad_input(message: impl Display) -> Self {
        Self::new(Kind::BadInput, message)
    }

    pub(crate) fn check(message: impl Display) -> Self {
        Self::new(Kind::CheckFailed, message)
    }

    #[cfg(unix)]
    pub(crate) fn interrupted(message: impl Display) -> Self {
        Self::new(Kind::Interrupted, message)
    }

    /// With more at the end of the message.
    pub(crate) fn and(mut self, more: &str) -> Self {
        self.message.push_str(more);
        self
    }

    /// With the place of what is wrong.
    pub(crate) fn at(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }

    /// As the failure of a place in a program's text, which is shown.
    pub(crate) fn in_program(self, path: &Path, origin: &Origin) -> Self {
        let message = self.message.replace(&origin.prefix(), "");
        let message = origin.error(message, None, Vec::new()).render(&path.display().to_string());
        let place = Place::at(path.display(), origin.line() as u64, origin.column());
        Self { message, place: Some(place), ..self }
    }

    /// With a figure of the message.
    pub(crate) fn figure(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.figures.insert(name.to_owned(), value.into());
        self
    }

    /// The failure as JSON, the value of the key `error`.
    pub(crate) fn json(&self) -> String {
        serde_json::to_string(self).expect("failures are plain data")
    }

    /// Prints the message to stderr and, if stdout is for JSON and has none yet, the failure there.
    pub(crate) fn tell(&self) {
        if JSON.load(Ordering::Relaxed) && may_print_json() {
            // If stdout is closed, stderr and the exit code tell.
            let _ = writeln!(std::io::stdout(), "{{\"error\":{}}}", escaped(&self.json()));
        }
        // If stderr is closed, only the exit code can tell.
        let _ = writeln!(std::io::stderr(), "error: {}", shown(&self.message));
    }
}

/// Reports a panic, which is always a bug of ours, as one line on stderr. Several threads may panic at once; only the
/// first one is reported.
pub(crate) fn one_line_panics() {
    static TOLD: AtomicBool = AtomicBool::new(false);
    std::panic::set_hook(Box::new(|info| {
        #[cfg(feature = "arrow")]
        if asanoha::data::panics_are_caught() {
            return;
        }
        if TOLD.swap(true, Ordering::Relaxed) {
            return;
        }
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("panic");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let place = info.location().map_or_else(String::new, |place| {
            let file = place.file().rsplit("crates/").next().unwrap_or_default();
            format!(" at {file}:{}", place.line())
        });
        Failure::new(Kind::Internal, format!("internal error{place}: {text}; please report this")).tell();
    }));
}
