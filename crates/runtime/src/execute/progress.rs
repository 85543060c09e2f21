//! How long work says how far it is, and is stopped.

use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicUsize, Ordering},
};

use super::ExecuteError;

/// Hears of progress: parts of the work that are done, and parts in all. What it gives back says whether the work goes on: it's
/// stopped by `ControlFlow::Break(())`, and ends in [`ExecuteError::Stopped`] then. Several threads call it.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) -> ControlFlow<()> + Sync);

/// Doesn't look at progress: the work goes on to its end.
pub fn unwatched(_: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Parts of some work, which any thread finishes.
pub(super) struct Parts<'a> {
    progress: Progress<'a>,
    done: AtomicUsize,
    all: usize,
}

impl<'a> Parts<'a> {
    /// So many parts, none of which is done. Work that is stopped already doesn't begin.
    pub(super) fn begin(all: usize, progress: Progress<'a>) -> Result<Self, ExecuteError> {
        go_on(progress(0, all))?;
        Ok(Self { progress, done: AtomicUsize::new(0), all })
    }

    /// One more is done.
    pub(super) fn finish_one(&self) -> Result<(), ExecuteError> {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        go_on((self.progress)(done, self.all))
    }
}

/// An error where the work is stopped.
pub(super) fn go_on(flow: ControlFlow<()>) -> Result<(), ExecuteError> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(ExecuteError::Stopped),
    }
}
