//! The time of day, which tests set.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

/// Tells the time in whole seconds since the beginning of 1970, by which everything stored expires.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> u64 + Send + Sync>);

impl Clock {
    /// The operating system's clock.
    pub fn system() -> Self {
        Self(Arc::new(|| {
            SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
        }))
    }

    /// A clock that stands at a number of seconds since 1970 until it's set to another.
    pub fn manual(seconds: Arc<AtomicU64>) -> Self {
        Self(Arc::new(move || seconds.load(Ordering::Relaxed)))
    }

    /// Seconds since the beginning of 1970.
    pub fn now_s(&self) -> u64 {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({} s)", self.now_s())
    }
}

/// The second at which something expires that was used at another.
pub(crate) fn after(used_s: u64, kept: Duration) -> u64 {
    used_s.saturating_add(kept.as_secs())
}
