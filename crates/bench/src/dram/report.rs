//! The report of the bench, with a table for human readers.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::Machine;

/// One run under a limit of memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DramRow {
    /// The limit in bytes; `None` for a run without one.
    pub memory_limit_bytes: Option<u64>,
    /// What enforces it: `cgroup` for a control group of the process, `address space` for the process's limit of mapped
    /// memory beside its code, which is stricter.
    pub confined_by: Option<String>,
    /// Where the server key stands: in `memory` or in a `file`.
    pub key_place: String,
    /// The number of encrypted numbers.
    pub messages: usize,
    /// The number of threads.
    pub threads: usize,
    /// The time of everything, in seconds.
    pub seconds: f64,
    /// The time of making the keys, in seconds.
    pub key_seconds: f64,
    /// The time of encryption, in seconds.
    pub encrypt_seconds: f64,
    /// The time of the bootstrappings, in seconds.
    pub bootstrap_seconds: f64,
    /// The time of decryption, in seconds.
    pub decrypt_seconds: f64,
    /// The bytes that the process asked the system to read, from files or from what the system kept of them in memory.
    pub read_bytes: Option<u64>,
    /// The bytes that it asked the system to write.
    pub written_bytes: Option<u64>,
    /// The bytes that were read from the disk.
    pub disk_read_bytes: Option<u64>,
    /// The bytes that were sent to the disk.
    pub disk_written_bytes: Option<u64>,
    /// The bytes that were read from the disk while the keys were made.
    pub key_disk_read_bytes: Option<u64>,
    /// The bytes that were sent to the disk while the keys were made.
    pub key_disk_written_bytes: Option<u64>,
    /// The bytes that the bootstrappings read from the disk.
    pub bootstrap_disk_read_bytes: Option<u64>,
    /// The bytes that the bootstrappings sent to the disk.
    pub bootstrap_disk_written_bytes: Option<u64>,
    /// The page faults that waited for the disk.
    pub major_faults: Option<u64>,
    /// Instructions a cycle, where the system counts them.
    pub instructions_per_cycle: Option<f64>,
    /// The peak memory of the process, in bytes.
    pub peak_bytes: Option<u64>,
    /// The time of everything divided by that without a limit.
    pub time_ratio: Option<f64>,
}

/// The report of the bench.
#[derive(Clone, Debug, Serialize)]
pub struct DramReport {
    /// The machine.
    pub machine: Machine,
    /// A row for each limit, and one without.
    pub rows: Vec<DramRow>,
    /// The duration of the whole bench, in seconds.
    pub seconds: f64,
}

impl DramReport {
    /// The rows.
    pub fn text(&self) -> String {
        let mut text = format!("{}, {} kernels\n", self.machine.cpu, self.machine.kernels);
        let _ = writeln!(
            text,
            "{:>8} {:14} {:7} {:>8} {:>6} {:>7} {:>9} {:>9} {:>8} {:>9} {:>9} {:>8} {:>6} {:>8}",
            "limit MB",
            "enforced by",
            "key in",
            "seconds",
            "ratio",
            "keys s",
            "tables s",
            "ms each",
            "peak MB",
            "read MB",
            "written",
            "disk MB",
            "faults",
            "per cycle"
        );
        let or_dash = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
        };
        let megabytes = |bytes: Option<u64>| or_dash(bytes.map(|bytes| bytes as f64 / 1e6), 0);
        for row in &self.rows {
            let disk = row.disk_read_bytes.zip(row.disk_written_bytes).map(|(read, written)| read + written);
            let _ = writeln!(
                text,
                "{:>8} {:14} {:7} {:>8.2} {:>6} {:>7.2} {:>9.2} {:>9.2} {:>8} {:>9} {:>9} {:>8} {:>6} {:>8}",
                megabytes(row.memory_limit_bytes),
                row.confined_by.as_deref().unwrap_or("-"),
                row.key_place,
                row.seconds,
                or_dash(row.time_ratio, 2),
                row.key_seconds,
                row.bootstrap_seconds,
                row.bootstrap_seconds * 1e3 / row.messages as f64,
                megabytes(row.peak_bytes),
                megabytes(row.read_bytes),
                megabytes(row.written_bytes),
                megabytes(disk),
                or_dash(row.major_faults.map(|faults| faults as f64), 0),
                or_dash(row.instructions_per_cycle, 2)
            );
        }
        if let Some(row) = self.rows.first() {
            let _ = writeln!(
                text,
                "{} numbers from key generation to decryption on {} threads; instructions a cycle where the system counts them",
                row.messages, row.threads
            );
        }
        let _ = writeln!(text, "\nall in {:.0} s", self.seconds);
        text
    }
}
