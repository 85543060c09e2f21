//! The report of the bench, with a table for human readers.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::DramScheme;
use crate::Machine;

/// One run under a limit of memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DramRow {
    /// The scheme.
    pub scheme: DramScheme,
    /// The name of the parameters.
    pub parameters: String,
    /// The limit in bytes; `None` for a run without one.
    pub memory_limit_bytes: Option<u64>,
    /// The control groups that enforce it, page cache included: `cgroup v1` or `cgroup v2`.
    pub confined_by: Option<String>,
    /// The server's keys are in `memory` or in a `file`.
    pub key_place: String,
    /// The bytes of these keys in memory.
    pub key_bytes: u64,
    /// The number of bootstrapped ciphertexts.
    pub ciphertexts: usize,
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
    /// The time of all threads on processors, of the program and of the system for it, divided by the time of everything.
    pub cpus_used: Option<f64>,
    /// The same of making the keys.
    pub key_cpus_used: Option<f64>,
    /// The same of the bootstrappings.
    pub bootstrap_cpus_used: Option<f64>,
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
    /// The bytes that were read from the disk in a second.
    pub disk_read_bytes_per_second: Option<f64>,
    /// The bytes that the bootstrappings read from the disk in a second.
    pub bootstrap_disk_read_bytes_per_second: Option<f64>,
    /// The page faults that waited for the disk.
    pub major_faults: Option<u64>,
    /// Instructions a cycle, where the system counts them.
    pub instructions_per_cycle: Option<f64>,
    /// The peak memory of the process, in bytes.
    pub peak_bytes: Option<u64>,
    /// The peak memory of the control group, page cache included, in bytes: the limit, if that binds.
    pub group_peak_bytes: Option<u64>,
    /// The time of everything divided by that without a limit.
    pub time_ratio: Option<f64>,
    /// The time of the bootstrappings divided by that without a limit.
    pub bootstrap_time_ratio: Option<f64>,
}

/// A limit that wasn't measured, since nothing enforces it.
#[derive(Clone, Debug, Serialize)]
pub struct DramRefusal {
    /// The scheme.
    pub scheme: DramScheme,
    /// The limit in bytes.
    pub memory_limit_bytes: u64,
    /// The reason.
    pub why: String,
}

/// The report of the bench.
#[derive(Clone, Debug, Serialize)]
pub struct DramReport {
    /// The machine.
    pub machine: Machine,
    /// A row for each scheme and limit, and for each scheme one without.
    pub rows: Vec<DramRow>,
    /// The limits that weren't measured.
    pub refused: Vec<DramRefusal>,
    /// The duration of the whole bench, in seconds.
    pub seconds: f64,
}

impl DramReport {
    /// The rows.
    pub fn text(&self) -> String {
        let mut text = format!("{}, {} kernels\n", self.machine.cpu, self.machine.kernels);
        let _ = writeln!(
            text,
            "{:6} {:>8} {:11} {:7} {:>8} {:>6} {:>7} {:>7} {:>7} {:>5} {:>8} {:>8} {:>9} {:>8} {:>9}",
            "scheme",
            "limit MB",
            "enforced by",
            "keys in",
            "seconds",
            "ratio",
            "keys s",
            "boots s",
            "ratio",
            "CPUs",
            "peak MB",
            "group MB",
            "disk read",
            "MB/s",
            "per cycle"
        );
        let or_dash = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
        };
        let megabytes = |bytes: Option<u64>| or_dash(bytes.map(|bytes| bytes as f64 / 1e6), 0);
        for row in &self.rows {
            let _ = writeln!(
                text,
                "{:6} {:>8} {:11} {:7} {:>8.2} {:>6} {:>7.2} {:>7.2} {:>7} {:>5} {:>8} {:>8} {:>9} {:>8} {:>9}",
                row.scheme.name(),
                megabytes(row.memory_limit_bytes),
                row.confined_by.as_deref().unwrap_or("-"),
                row.key_place,
                row.seconds,
                or_dash(row.time_ratio, 2),
                row.key_seconds,
                row.bootstrap_seconds,
                or_dash(row.bootstrap_time_ratio, 2),
                or_dash(row.cpus_used, 2),
                megabytes(row.peak_bytes),
                megabytes(row.group_peak_bytes),
                megabytes(row.bootstrap_disk_read_bytes),
                or_dash(row.bootstrap_disk_read_bytes_per_second.map(|rate| rate / 1e6), 0),
                or_dash(row.instructions_per_cycle, 2)
            );
        }
        for (at, row) in self.rows.iter().enumerate() {
            if self.rows[..at].iter().all(|before| before.scheme != row.scheme) {
                let _ = writeln!(
                    text,
                    "{}: {} ciphertexts from key generation to decryption, {}, {:.2} GB of keys, threads: {}",
                    row.scheme.name(),
                    row.ciphertexts,
                    row.parameters,
                    row.key_bytes as f64 / 1e9,
                    row.threads
                );
            }
        }
        text += "disk read and MB/s are those of the bootstrappings; group counts page cache too; per cycle: instructions\n";
        for refusal in &self.refused {
            let limit = megabytes(Some(refusal.memory_limit_bytes));
            let _ = writeln!(text, "{}: {limit} MB wasn't measured: {}", refusal.scheme.name(), refusal.why);
        }
        if !self.refused.is_empty() {
            text += "run it as root, or in a control group of your own: systemd-run --user --scope asanoha bench dram\n";
        }
        let _ = writeln!(text, "\nall in {:.0} s", self.seconds);
        text
    }
}
