//! Points at which tests let the disk or the process fail.

use std::{fmt, io, sync::Arc};

/// What the store is about to do, or has done, to the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultPoint {
    /// Bytes of an upload or a result are about to be written.
    Write,
    /// A file is about to be made to outlast a loss of power.
    Sync,
    /// A file is about to get into its place.
    Move,
    /// A change of the journal is about to be committed.
    Commit,
    /// A change of the journal was committed. An error has no effect here.
    Committed,
}

/// Is called at every [`FaultPoint`], and fails there in a test.
#[derive(Clone)]
pub struct Faults(Arc<dyn Fn(FaultPoint) -> io::Result<()> + Send + Sync>);

impl Faults {
    /// Faults of a test.
    pub fn new(fail: impl Fn(FaultPoint) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self(Arc::new(fail))
    }

    pub(crate) fn at(&self, point: FaultPoint) -> io::Result<()> {
        (self.0)(point)
    }
}

impl Default for Faults {
    fn default() -> Self {
        Self::new(|_| Ok(()))
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faults")
    }
}
