//! How often an evaluation keeps what it has finished.

use web_time::{Duration, Instant};

/// The time of evaluation before anything is kept, and between two times.
const INTERVAL: Duration = Duration::from_secs(5);
/// Writing takes at most this part of the time.
const SHARE: f64 = 1.0 / 200.0;
/// What is taken for granted of the disk, before it was measured, in bytes per second.
const RATE: f64 = 100e6;

/// The time since something was kept.
#[derive(Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    /// From now on.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// From now on again.
    pub(crate) fn restart(&mut self) {
        self.0 = Instant::now();
    }
}

/// What is known of the time that writing takes.
#[derive(Debug)]
pub(crate) struct Pace {
    interval: Duration,
    share: f64,
    rate: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { interval: INTERVAL, share: SHARE, rate: RATE }
    }
}

impl Pace {
    /// Keeps as often as it can.
    pub(crate) fn always() -> Self {
        Self { interval: Duration::ZERO, share: f64::INFINITY, rate: RATE }
    }

    /// Whether as much time is over as there is between two times at least.
    pub(crate) fn is_time(&self, clock: &Clock) -> bool {
        clock.0.elapsed() >= self.interval
    }

    /// Whether so much time is over that writing so many bytes is a small part of it.
    pub(crate) fn pays(&self, clock: &Clock, bytes: u64) -> bool {
        bytes as f64 / self.rate <= self.share * clock.0.elapsed().as_secs_f64()
    }

    /// Bytes were written in some time.
    pub(crate) fn wrote(&mut self, bytes: u64, time: Duration) {
        let measured = bytes as f64 / time.as_secs_f64().max(1e-6);
        // One slow time counts for several.
        self.rate = if measured < self.rate { measured } else { 0.75 * self.rate + 0.25 * measured };
    }
}
