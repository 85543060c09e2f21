//! A running job as others see it: how far it is, and why it's stopped.

use std::{
    ops::ControlFlow,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use crate::locked::locked;

/// Why a running job is stopped.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Interruption {
    /// Its client cancelled it.
    Cancelled,
    /// The service stops: the job waits again.
    Stopping,
    /// It takes longer than is granted.
    Seconds { limit_s: f64 },
    /// The process has more memory than is granted.
    Memory { found: u64, limit: u64 },
}

impl Interruption {
    /// What the client is told, if the job fails by it.
    pub(crate) fn message(&self) -> Option<String> {
        match self {
            Self::Cancelled | Self::Stopping => None,
            Self::Seconds { limit_s } => Some(format!(
                "the job took longer than the {limit_s:.1} s that are granted, though less was predicted, and was stopped: submit fewer rows"
            )),
            Self::Memory { found, limit } => Some(format!(
                "the server came to {found} bytes of memory during the job, of {limit} that are granted, though less was predicted, and the job was stopped: submit fewer rows"
            )),
        }
    }
}

/// What a running job may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Granted {
    pub(crate) seconds: Option<f64>,
    pub(crate) memory_bytes: Option<u64>,
    /// The memory of the process, where that's known.
    pub(crate) resident_bytes: fn() -> Option<u64>,
}

/// A running job. Its worker tells how far it is, and is told there whether it goes on.
#[derive(Debug)]
pub(crate) struct Watch {
    started: Instant,
    /// The finished part of 1, as bits.
    fraction: AtomicU64,
    interruption: Mutex<Option<Interruption>>,
}

impl Watch {
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), fraction: AtomicU64::new(0), interruption: Mutex::default() }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// How much of the job is done, from 0 to 1.
    pub(crate) fn fraction(&self) -> f64 {
        f64::from_bits(self.fraction.load(Ordering::Relaxed))
    }

    /// Stops the job at its next step. The first reason counts, except that a client's counts before all others.
    pub(crate) fn interrupt(&self, why: Interruption) {
        let mut interruption = locked(&self.interruption);
        if interruption.is_none() || why == Interruption::Cancelled {
            *interruption = Some(why);
        }
    }

    pub(crate) fn interruption(&self) -> Option<Interruption> {
        locked(&self.interruption).clone()
    }

    /// Hears how much is done, from 0 to 1, and whether the job goes on.
    pub(crate) fn tell(&self, fraction: f64, granted: &Granted) -> ControlFlow<()> {
        // Positive numbers are in the order of their bits. Steps that run side by side tell in any order.
        self.fraction.fetch_max(fraction.clamp(0.0, 1.0).to_bits(), Ordering::Relaxed);
        if let Some(limit_s) = granted.seconds.filter(|&limit| self.elapsed().as_secs_f64() > limit) {
            self.interrupt(Interruption::Seconds { limit_s });
        }
        if let Some(limit) = granted.memory_bytes
            && let Some(found) = (granted.resident_bytes)().filter(|&found| found > limit)
        {
            self.interrupt(Interruption::Memory { found, limit });
        }
        if locked(&self.interruption).is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The memory of this process in bytes, where the operating system tells it.
pub(crate) fn resident_bytes() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let text = std::fs::read_to_string("/proc/self/statm").ok()?;
        let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
        pages.checked_mul(rustix::param::page_size() as u64)
    }
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_stopped_by_what_it_takes_and_by_its_client_first() {
        let granted = |seconds, memory_bytes| Granted { seconds, memory_bytes, resident_bytes: || Some(7) };
        let watch = Watch::new();
        assert!(watch.tell(0.5, &granted(Some(3600.0), Some(7))).is_continue());
        assert!(watch.tell(0.25, &granted(None, None)).is_continue());
        assert_eq!((watch.fraction(), watch.interruption()), (0.5, None));
        assert!(watch.tell(0.75, &granted(None, Some(6))).is_break());
        assert_eq!(watch.interruption(), Some(Interruption::Memory { found: 7, limit: 6 }));
        watch.interrupt(Interruption::Stopping);
        assert!(watch.interruption().unwrap().message().unwrap().contains("7 bytes of memory"));
        watch.interrupt(Interruption::Cancelled);
        assert!(watch.tell(0.75, &granted(Some(0.0), None)).is_break());
        assert_eq!(watch.interruption(), Some(Interruption::Cancelled));
        let slow = Watch::new();
        assert!(slow.tell(0.1, &granted(Some(0.0), None)).is_break());
        assert_eq!(slow.interruption(), Some(Interruption::Seconds { limit_s: 0.0 }));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_memory_of_the_process_is_known() {
        assert!((1 << 16..1 << 46).contains(&resident_bytes().unwrap()));
    }
}
