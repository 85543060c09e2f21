//! How walks end before their results.

use crate::backend_error::BackendError;

/// Why a walk ended before its results.
#[derive(Debug)]
pub(crate) enum Ended<E> {
    /// The callback that hears of its steps stopped it.
    Stopped,
    /// A step failed.
    Failed(E),
}

impl<E> From<E> for Ended<E> {
    fn from(error: E) -> Self {
        Self::Failed(error)
    }
}

impl<E: Into<BackendError>> From<Ended<E>> for BackendError {
    fn from(ended: Ended<E>) -> Self {
        match ended {
            Ended::Stopped => Self::Stopped,
            Ended::Failed(error) => error.into(),
        }
    }
}
