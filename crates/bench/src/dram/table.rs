//! The table for human readers.

use std::fmt::Write;

use super::DramReport;

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
