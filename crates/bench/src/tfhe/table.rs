//! The tables for human readers.

use std::fmt::Write;

use super::TfheReport;

impl TfheReport {
    /// The rows, the published times, and our times compared with the peer's.
    pub fn text(&self) -> String {
        let mut text = format!("{}, {} kernels\n", self.machine.cpu, self.machine.kernels);
        let _ = writeln!(
            text,
            "{:18} {:>5} {:>7} {:>11} {:>11} {:>11} {:>8} {:>8}  parameters",
            "operation", "batch", "threads", "min ms", "median ms", "ms each", "key MB", "peak MB"
        );
        let megabytes =
            |bytes: Option<u64>| bytes.map_or("-".to_owned(), |bytes| format!("{:.0}", bytes as f64 / 1e6));
        for row in &self.rows {
            let _ = writeln!(
                text,
                "{:18} {:>5} {:>7} {:>11.4} {:>11.4} {:>11.4} {:>8} {:>8}  {}, failure 2^{:.0}",
                row.operation,
                row.batch,
                row.threads,
                row.ms_min,
                row.ms_median,
                row.ms_min / row.batch as f64,
                megabytes(row.key_bytes.map(|bytes| bytes as u64)),
                megabytes(row.peak_bytes),
                row.parameters,
                row.log2_failure
            );
        }
        text.push_str("\npublished at n = 500, N = 2048, on another machine, ms\n");
        for row in self.published {
            let _ = writeln!(
                text,
                "{:8} secret key {}, server key {}, encrypt {}, bootstrap {}, decrypt {}",
                row.library,
                row.secret_key_ms,
                row.server_key_ms,
                row.encrypt_ms,
                row.bootstrap_ms,
                row.decrypt_ms
            );
        }
        for ratio in &self.ratios {
            let _ = writeln!(
                text,
                "{}: {} takes {:.2} times as long as ours by the shortest times, {:.2} by the medians",
                ratio.operation, ratio.parameters, ratio.ratio_min, ratio.ratio_median
            );
        }
        let _ = writeln!(text, "\nall in {:.0} s", self.seconds);
        text
    }
}
