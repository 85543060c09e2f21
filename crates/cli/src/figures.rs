//! The memory of this process; times and sizes as text.

pub(crate) use asanoha::report::figures::{bytes, picture, seconds};

/// The peak memory of this process in bytes, if the system reports it.
pub(crate) fn peak_memory_bytes() -> Option<u64> {
    of_status("VmHWM:")
}

/// The memory of this process now in bytes, if the system reports it.
pub(crate) fn memory_bytes() -> Option<u64> {
    of_status("VmRSS:")
}

fn of_status(name: &str) -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
