//! What the readers of Parquet and Arrow files do on damaged files.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_schema::ArrowError;

use crate::limits::Above;

thread_local! {
    static CATCHES: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is in the reader of Parquet or of Arrow files. These panic on some damaged files; that's caught, and becomes a
/// [`crate::DataError`], so that a hook of panics has nothing to tell.
pub fn panics_are_caught() -> bool {
    CATCHES.get()
}

/// What the reader of a format gives; its panics are errors.
pub(crate) fn caught<T>(read: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, ArrowError> {
    CATCHES.set(true);
    let result = catch_unwind(AssertUnwindSafe(read));
    CATCHES.set(false);
    result.unwrap_or_else(|_| Err(ArrowError::ParseError("the file is damaged".to_owned())))
}

impl From<Above> for ArrowError {
    fn from(above: Above) -> Self {
        Self::ExternalError(Box::new(above))
    }
}

pub(crate) fn damaged(what: &str) -> ArrowError {
    ArrowError::ParseError(format!("damaged: {what}"))
}
