//! The peak memory since a mark, on systems that report it.

const STATUS: &str = "/proc/self/status";
const CLEAR: &str = "/proc/self/clear_refs";

/// Starts a new measurement of the peak.
pub(crate) fn mark() {
    // If the system forbids it, the peak is that of the whole process.
    let _ = std::fs::write(CLEAR, "5");
}

/// The peak memory since the mark, in bytes.
pub(crate) fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string(STATUS).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
