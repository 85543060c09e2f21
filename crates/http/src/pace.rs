//! The rate at which a body is sent, window after window.

use std::time::{Duration, Instant};

use crate::Limits;

/// Whether bytes move at a least rate: [`Limits::rate`], averaged over each [`Limits::window`], of which the first is longer by
/// [`Limits::grace`].
#[derive(Debug)]
pub(crate) struct Pace {
    window: Duration,
    least_bytes: usize,
    deadline: Instant,
    bytes: usize,
}

impl Pace {
    pub(crate) fn new(limits: &Limits, now: Instant) -> Self {
        let Limits { rate, window, grace, .. } = *limits;
        let least_bytes = (rate as f64 * window.as_secs_f64()) as usize;
        Self { window, least_bytes, deadline: now + grace + window, bytes: 0 }
    }

    /// The end of the window.
    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    pub(crate) fn add(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Leaves out time in which nobody waited for the client.
    pub(crate) fn excuse(&mut self, time: Duration) {
        self.deadline += time;
    }

    /// Begins the next window if the last one has ended. Returns false if too few bytes moved in it.
    pub(crate) fn is_kept(&mut self, now: Instant) -> bool {
        if now < self.deadline {
            return true;
        }
        let is_kept = self.bytes >= self.least_bytes;
        (self.bytes, self.deadline) = (0, now + self.window);
        is_kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn limits() -> Limits {
        Limits { rate: 100, window: 10 * SECOND, grace: 5 * SECOND, ..Limits::default() }
    }

    #[test]
    fn a_body_keeps_its_rate_in_every_window_and_has_more_time_at_first() {
        let begun = Instant::now();
        let after = |seconds: u32| begun + seconds * SECOND;
        let mut pace = Pace::new(&limits(), begun);
        assert!(pace.is_kept(after(14)) && pace.deadline == after(15));
        pace.add(999);
        assert!(!pace.is_kept(after(15)));

        let mut pace = Pace::new(&limits(), begun);
        pace.add(100_000);
        assert!(pace.is_kept(after(15)) && pace.deadline == after(25));
        // What came before counts no more.
        assert!(pace.is_kept(after(24)));
        pace.add(1000);
        assert!(pace.is_kept(after(25)));
        assert!(!pace.is_kept(after(35)));
        // A server that was suspended itself blames nobody for more than a window.
        let mut pace = Pace::new(&limits(), begun);
        pace.add(1000);
        assert!(pace.is_kept(after(1000)) && pace.deadline == after(1010));
    }

    #[test]
    fn time_in_which_nobody_waited_for_the_client_does_not_count() {
        let begun = Instant::now();
        let mut pace = Pace::new(&limits(), begun);
        pace.excuse(7 * SECOND);
        assert!(pace.is_kept(begun + 21 * SECOND));
        assert!(!pace.is_kept(begun + 22 * SECOND));
    }
}
