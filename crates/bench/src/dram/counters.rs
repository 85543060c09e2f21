//! The counts of this process that the system keeps.

/// Counts from the process's start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    pub(super) read_bytes: Option<u64>,
    pub(super) written_bytes: Option<u64>,
    pub(super) disk_read_bytes: Option<u64>,
    pub(super) disk_written_bytes: Option<u64>,
    pub(super) major_faults: Option<u64>,
    /// The time of all threads on processors, of the program and of the system for it, in ticks of the system's clock.
    pub(super) cpu_ticks: Option<u64>,
}

impl Counters {
    /// The counts up to now; those that the system doesn't keep are missing.
    pub(super) fn now() -> Self {
        let io = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        Self {
            read_bytes: field(&io, "rchar"),
            written_bytes: field(&io, "wchar"),
            disk_read_bytes: field(&io, "read_bytes"),
            disk_written_bytes: field(&io, "write_bytes"),
            major_faults: stat_field(&stat, 9),
            cpu_ticks: stat_field(&stat, 11).zip(stat_field(&stat, 12)).map(|(user, system)| user + system),
        }
    }
}

/// Ticks of the clock that counts processor time, in a second.
#[cfg(unix)]
pub(super) fn ticks_per_second() -> f64 {
    rustix::param::clock_ticks_per_second() as f64
}

/// Ticks of the clock that counts processor time, in a second; elsewhere no ticks are counted.
#[cfg(not(unix))]
pub(super) fn ticks_per_second() -> f64 {
    100.0
}

fn field(io: &str, name: &str) -> Option<u64> {
    io.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")?.parse().ok())
}

/// A field, counted from that after the process's name, which stands in parentheses and may contain anything.
fn stat_field(stat: &str, number: usize) -> Option<u64> {
    stat.rsplit_once(") ")?.1.split(' ').nth(number)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_found_by_their_names_and_places() {
        let io = "rchar: 11\nwchar: 12\nsyscr: 1\nread_bytes: 13\nwrite_bytes: 14\n";
        let found = ["rchar", "wchar", "read_bytes", "write_bytes", "nothing"].map(|name| field(io, name));
        assert_eq!(found, [Some(11), Some(12), Some(13), Some(14), None]);
        let stat = "7 (a ) b) R 1 7 7 0 -1 4 501 0 42 0 9 8";
        assert_eq!([9, 11, 12].map(|number| stat_field(stat, number)), [Some(42), Some(9), Some(8)]);
        assert_eq!((stat_field("", 9), stat_field(stat, 13)), (None, None));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn time_on_processors_is_counted() {
        let (start, before) = (std::time::Instant::now(), Counters::now().cpu_ticks.unwrap());
        while Counters::now().cpu_ticks.unwrap() < before + 3 {
            assert!(start.elapsed().as_secs() < 60, "a busy loop takes processor time");
        }
    }
}
