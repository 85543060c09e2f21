//! The most memory in use since a mark, where the system tells.

const STATUS: &str = "/proc/self/status";
const CLEAR: &str = "/proc/self/clear_refs";

/// Forgets what was in use before.
pub(crate) fn mark() {
    // Where that's forbidden, the figure is of the whole process.
    let _ = std::fs::write(CLEAR, "5");
}

/// The most bytes in use since the mark.
pub(crate) fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string(STATUS).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
