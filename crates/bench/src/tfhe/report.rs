//! The report of the bench, with tables for human readers.

use std::fmt::Write;

use serde::Serialize;

use super::{TfhePublished, TfheSet};
use crate::Machine;

/// One operation.
#[derive(Clone, Debug, Serialize)]
pub struct TfheRow {
    /// The operation: a key that is made, `bootstrap` (a key switch and a programmable bootstrapping), a gate, …
    pub operation: String,
    /// The name of the parameters.
    pub parameters: String,
    /// The number of operations at once.
    pub batch: usize,
    /// The number of threads.
    pub threads: usize,
    /// The shortest time of the whole batch, in milliseconds.
    pub ms_min: f64,
    /// The median time of the whole batch, in milliseconds.
    pub ms_median: f64,
    /// The bytes of the server key as it's stored.
    pub key_bytes: Option<usize>,
    /// The peak memory of the process during the operation, in bytes, keys included.
    pub peak_bytes: Option<u64>,
    /// log2 of the largest probability that the parameters allow one operation to be wrong with.
    pub log2_failure: f64,
    /// Whether the parameters have less than 128-bit security.
    pub insecure: bool,
}

/// One of our operations compared with the peer's, on one thread.
#[derive(Clone, Debug, Serialize)]
pub struct TfheRatio {
    /// The operation.
    pub operation: String,
    /// The peer's parameters.
    pub parameters: String,
    /// The peer's shortest time divided by ours.
    pub ratio_min: f64,
    /// The peer's median time divided by ours.
    pub ratio_median: f64,
}

/// The report of the bench.
#[derive(Clone, Debug, Serialize)]
pub struct TfheReport {
    /// The machine.
    pub machine: Machine,
    /// The parameters that are measured.
    pub sets: Vec<TfheSet>,
    /// The measurements.
    pub rows: Vec<TfheRow>,
    /// Published times at the dimensions of the insecure set.
    pub published: &'static [TfhePublished],
    /// The peer's name and version.
    pub peer: Option<String>,
    /// Our operations compared with the peer's.
    pub ratios: Vec<TfheRatio>,
    /// The duration of the whole bench, in seconds.
    pub seconds: f64,
}

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
