//! Errors of the program: a line of text and an exit code.

use std::{
    fmt::Display,
    io::Write,
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
};

#[cfg(feature = "http")]
use asanoha::genome::http::{HttpError, Kind};
use asanoha::{
    data::DataError,
    execute::ExecuteError,
    genome::{PanelError, protocol::ProtocolError},
    kernels::SelectError,
    lattice::FileError,
    mpc::store::StoreError,
    plan::PlanError,
    plan::PlanningError,
    program::RangeError,
    scheme::SchemeError,
};

/// The exit codes besides 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// A computation that can't be done.
    Impossible = 1,
    /// Wrong usage or bad input.
    BadInput = 2,
    /// A check that failed.
    CheckFailed = 3,
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code as u8)
    }
}

/// The reason why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: Code,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn impossible(message: impl Display) -> Self {
        Self { code: Code::Impossible, message: message.to_string() }
    }

    pub(crate) fn bad_input(message: impl Display) -> Self {
        Self { code: Code::BadInput, message: message.to_string() }
    }

    pub(crate) fn check(message: impl Display) -> Self {
        Self { code: Code::CheckFailed, message: message.to_string() }
    }

    /// Prints the message to stderr.
    pub(crate) fn tell(&self) {
        // If stderr is closed, only the exit code can tell.
        let _ = writeln!(std::io::stderr(), "error: {}", self.message);
    }
}

macro_rules! bad_input {
    ($($error:ty),+) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::bad_input(error)
            }
        })+
    };
}

bad_input!(DataError, PlanError, FileError, SelectError, PanelError);

impl From<PlanningError> for Failure {
    fn from(error: PlanningError) -> Self {
        match &error {
            PlanningError::Range(RangeError::TooLarge { .. })
            | PlanningError::NotFeasible { .. }
            | PlanningError::NotExact { .. }
            | PlanningError::NothingFeasible { .. } => Self::impossible(error),
            PlanningError::Range(_) | PlanningError::Precision(_) => Self::bad_input(error),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        if error.is_impossible() { Self::impossible(error) } else { Self::bad_input(error) }
    }
}

impl From<ExecuteError> for Failure {
    fn from(error: ExecuteError) -> Self {
        match &error {
            // A missing key means that a file belongs elsewhere, or was changed while the program ran.
            ExecuteError::Scheme(SchemeError::MissingKey(_)) => Self::bad_input(error),
            ExecuteError::Scheme(SchemeError::NoiseAboveBound(_) | SchemeError::WrongKey { .. }) => {
                Self::check(error)
            }
            ExecuteError::Scheme(_) => Self::impossible(error),
            _ => Self::bad_input(error),
        }
    }
}

impl From<ProtocolError> for Failure {
    fn from(error: ProtocolError) -> Self {
        match &error {
            ProtocolError::NoParameters { .. } | ProtocolError::Norm { .. } | ProtocolError::Scheme(_) => {
                Self::impossible(error)
            }
            ProtocolError::Noise { .. } => Self::check(error),
            _ => Self::bad_input(error),
        }
    }
}

#[cfg(feature = "http")]
impl From<HttpError> for Failure {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Protocol(error) => error.into(),
            HttpError::Unreachable { .. } | HttpError::Broken { .. } | HttpError::System(_) => {
                Self::impossible(error)
            }
            HttpError::Refused { ref refusal, .. } => match refusal.kind {
                Kind::Malformed | Kind::TooLarge => Self::bad_input(error),
                _ => Self::impossible(error),
            },
            _ => Self::bad_input(error),
        }
    }
}

/// Reports a panic, which is always a bug of ours, as one line on stderr. Several threads may panic at once; only the
/// first one is reported.
pub(crate) fn one_line_panics() {
    static TOLD: AtomicBool = AtomicBool::new(false);
    std::panic::set_hook(Box::new(|info| {
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
        Failure::impossible(format!("internal error{place}: {text}; please report this")).tell();
    }));
}
