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
    kibibytes(&std::fs::read_to_string(STATUS).ok()?, "VmHWM:").map(|bytes| bytes as u64)
}

/// The memory that the system can give without swapping, in bytes.
pub(crate) fn available_bytes() -> Option<usize> {
    kibibytes(&std::fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// A number of bytes out of a file of lines that give kibibytes.
fn kibibytes(text: &str, name: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
