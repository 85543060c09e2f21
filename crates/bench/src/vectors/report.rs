//! The report of the bench, with a table for human readers.

use std::fmt::Write;

use serde::Serialize;

use super::VectorCase;
use crate::Machine;

/// One operation at one length.
#[derive(Clone, Debug, Serialize)]
pub struct VectorRow {
    /// What is computed.
    #[serde(flatten)]
    pub case: VectorCase,
    /// The parameters.
    pub parameters: String,
    /// The ring degree of CKKS.
    pub ring_degree: Option<usize>,
    /// log2 of CKKS's ciphertext modulus.
    pub log2_q: Option<f64>,
    /// The products one after another that CKKS's levels hold.
    pub depth: Option<usize>,
    /// The bits of a number of TFHE.
    pub bits: Option<u32>,
    /// Bits of the error of the result, of real numbers.
    pub bits_worst: Option<f64>,
    /// Bits of the error that was predicted, of real numbers.
    pub bits_predicted: Option<f64>,
    /// The number of threads.
    pub threads: usize,
    /// The shortest time in milliseconds.
    pub ms_min: f64,
    /// The median time in milliseconds.
    pub ms_median: f64,
    /// The blind rotations of TFHE, or the bootstrappings of CKKS.
    pub bootstraps: usize,
    /// The batches of blind rotations, one after another.
    pub layers: Option<usize>,
    /// The bytes of the server's keys: in TFHE as they're stored, in CKKS in memory, the uniform halves included.
    pub key_bytes: usize,
    /// The peak memory of the process during the operation, in bytes, keys included.
    pub peak_bytes: Option<u64>,
    /// log2 of the largest probability that a bootstrapping may be wrong with, where there are any.
    pub log2_failure: Option<f64>,
}

/// The report of the bench.
#[derive(Clone, Debug, Serialize)]
pub struct VectorReport {
    /// The machine.
    pub machine: Machine,
    /// A row for each scheme, length, method and number of threads.
    pub rows: Vec<VectorRow>,
    /// The duration of the whole bench, in seconds.
    pub seconds: f64,
}

/// What figures are in tables where there are none.
fn or_dash<T>(figure: Option<T>, text: impl Fn(T) -> String) -> String {
    figure.map_or_else(|| "-".to_owned(), text)
}

impl VectorReport {
    /// A table for human readers.
    pub fn text(&self) -> String {
        let mut text = format!("{}, {} kernels\n", self.machine.cpu, self.machine.kernels);
        let _ = writeln!(
            text,
            "{:>23} {:>7} {:>11} {:>11} {:>11} {:>7} {:>6} {:>9} {:>8} {:>8} {:>8}  parameters",
            "n",
            "threads",
            "min ms",
            "median ms",
            "bootstraps",
            "layers",
            "bits",
            "predicted",
            "key MB",
            "peak MB",
            "failure"
        );
        for row in &self.rows {
            let _ = writeln!(
                text,
                "{:>23} {:>7} {:>11.1} {:>11.1} {:>11} {:>7} {:>6} {:>9} {:>8.0} {:>8} {:>8}  {}",
                row.case,
                row.threads,
                row.ms_min,
                row.ms_median,
                row.bootstraps,
                or_dash(row.layers, |layers| layers.to_string()),
                or_dash(row.bits_worst, |bits| format!("{bits:.1}")),
                or_dash(row.bits_predicted, |bits| format!("{bits:.1}")),
                row.key_bytes as f64 / 1e6,
                or_dash(row.peak_bytes, |bytes| format!("{:.0}", bytes as f64 / 1e6)),
                or_dash(row.log2_failure, |log2| format!("2^{log2:.0}")),
                row.parameters
            );
        }
        let _ = writeln!(text, "\nall in {:.0} s", self.seconds);
        text
    }
}
