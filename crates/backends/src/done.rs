//! How work says how far it is, and is stopped.

use std::ops::ControlFlow;

use crate::backend_error::BackendError;

/// Hears that one more of several parts is done, and says whether the work goes on. Several threads call it.
pub type Done<'a> = &'a (dyn Fn() -> ControlFlow<()> + Sync);

/// Hears how many parts of the work are done, and how many there are, and says whether it goes on. Several threads call it.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) -> ControlFlow<()> + Sync);

/// An error where the work is stopped.
///
/// # Errors
/// [`BackendError::Stopped`].
pub fn go_on(flow: ControlFlow<()>) -> Result<(), BackendError> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(BackendError::Stopped),
    }
}
