//! How long work says how far it is, and is stopped.

use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicUsize, Ordering},
};

use asanoha_backends::{BackendError, Progress, go_on};

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
    pub(super) fn begin(all: usize, progress: Progress<'a>) -> Result<Self, BackendError> {
        go_on(progress(0, all))?;
        Ok(Self { progress, done: AtomicUsize::new(0), all })
    }

    /// One more is done.
    pub(super) fn finish_one(&self) -> ControlFlow<()> {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        (self.progress)(done, self.all)
    }
}
