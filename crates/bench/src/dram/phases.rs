//! The time of a run's phases, and the system's counts in them.

use std::time::Instant;

use super::counters::{Counters, ticks_per_second};

/// The phases of a run: key generation, encryption, bootstrapping, decryption.
const PHASES: usize = 4;

/// The moments between phases, in their order.
#[derive(Debug, Default)]
pub(super) struct Phases(Vec<(Instant, Counters)>);

/// The changes between two moments.
pub(super) struct Change<'a> {
    from: &'a (Instant, Counters),
    to: &'a (Instant, Counters),
}

impl Phases {
    /// The first phase starts.
    pub(super) fn start(&mut self) {
        self.0 = vec![(Instant::now(), Counters::now())];
    }

    /// A phase ends, and the next one starts.
    pub(super) fn end(&mut self) {
        self.0.push((Instant::now(), Counters::now()));
    }

    /// The changes in each phase.
    ///
    /// # Panics
    /// Unless all phases have ended.
    pub(super) fn each(&self) -> [Change<'_>; PHASES] {
        assert_eq!(self.0.len(), PHASES + 1);
        std::array::from_fn(|phase| Change { from: &self.0[phase], to: &self.0[phase + 1] })
    }

    /// The changes in all phases together.
    ///
    /// # Panics
    /// If no phase started.
    pub(super) fn whole(&self) -> Change<'_> {
        Change { from: &self.0[0], to: self.0.last().expect("a phase started") }
    }
}

impl Change<'_> {
    /// The time in seconds.
    pub(super) fn seconds(&self) -> f64 {
        (self.to.0 - self.from.0).as_secs_f64()
    }

    /// The change of a count, if the system keeps it.
    pub(super) fn of(&self, count: impl Fn(&Counters) -> Option<u64>) -> Option<u64> {
        count(&self.to.1)?.checked_sub(count(&self.from.1)?)
    }

    /// The time on processors divided by the time.
    pub(super) fn cpus_used(&self) -> Option<f64> {
        Some(self.of(|counters| counters.cpu_ticks)? as f64 / ticks_per_second() / self.seconds())
    }

    /// The bytes read from the disk in a second.
    pub(super) fn disk_read_bytes_per_second(&self) -> Option<f64> {
        Some(self.of(|counters| counters.disk_read_bytes)? as f64 / self.seconds())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn rates_are_changes_over_time() {
        let start = Instant::now();
        let at = |seconds, ticks, bytes| {
            let counts = Counters { cpu_ticks: ticks, disk_read_bytes: bytes, ..Counters::default() };
            (start + Duration::from_secs(seconds), counts)
        };
        let ticks = |seconds: f64| Some((seconds * ticks_per_second()) as u64);
        let moments = [
            at(0, ticks(1.0), Some(10)),
            at(2, ticks(4.0), Some(50)),
            at(3, None, Some(50)),
            at(4, ticks(4.0), None),
            at(8, ticks(9.0), Some(90)),
        ];
        let phases = Phases(moments.into());
        let [keys, encryption, _, decryption] = phases.each();
        assert_eq!((keys.seconds(), keys.cpus_used()), (2.0, Some(1.5)));
        assert_eq!((keys.disk_read_bytes_per_second(), encryption.cpus_used()), (Some(20.0), None));
        assert_eq!(decryption.disk_read_bytes_per_second(), None);
        let whole = phases.whole();
        assert_eq!((whole.cpus_used(), whole.disk_read_bytes_per_second()), (Some(1.0), Some(10.0)));
    }
}
