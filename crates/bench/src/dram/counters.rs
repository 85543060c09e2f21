//! What the system counts of this process.

/// Counts from the process's start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    pub(super) read_bytes: Option<u64>,
    pub(super) written_bytes: Option<u64>,
    pub(super) disk_read_bytes: Option<u64>,
    pub(super) disk_written_bytes: Option<u64>,
    pub(super) major_faults: Option<u64>,
}

impl Counters {
    /// The counts up to now; what the system doesn't tell is missing.
    pub(super) fn now() -> Self {
        let io = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        Self {
            read_bytes: field(&io, "rchar"),
            written_bytes: field(&io, "wchar"),
            disk_read_bytes: field(&io, "read_bytes"),
            disk_written_bytes: field(&io, "write_bytes"),
            major_faults: major_faults(&stat),
        }
    }
}

fn field(io: &str, name: &str) -> Option<u64> {
    io.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")?.parse().ok())
}

/// The tenth field after the process's name, which stands in parentheses and may hold anything.
fn major_faults(stat: &str) -> Option<u64> {
    stat.rsplit_once(") ")?.1.split(' ').nth(9)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_found_by_their_names_and_places() {
        let io = "rchar: 11\nwchar: 12\nsyscr: 1\nread_bytes: 13\nwrite_bytes: 14\n";
        let found = ["rchar", "wchar", "read_bytes", "write_bytes", "nothing"].map(|name| field(io, name));
        assert_eq!(found, [Some(11), Some(12), Some(13), Some(14), None]);
        assert_eq!(major_faults("7 (a ) b) R 1 7 7 0 -1 4 501 0 42 0 9 9"), Some(42));
        assert_eq!(major_faults(""), None);
    }
}
