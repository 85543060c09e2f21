//! The report of the bench, with tables for human readers.

use std::fmt::Write;

use serde::Serialize;

use super::{TripleRow, published};
use crate::Machine;

/// The parameters of the published product (its Table 1).
#[derive(Clone, Debug, Serialize)]
pub struct TripleColumn {
    /// `published`: under the paper's rules; `asanoha`: under what this library promises; or `asanoha, BFV`: under that, in BFV.
    pub rules: &'static str,
    /// The ring degree.
    pub ring_degree: usize,
    /// log2 of the ciphertext modulus, rounded.
    pub log2_q: f64,
    /// log2 of the special modulus, rounded.
    pub log2_p: f64,
    /// The size of the plaintext modulus, in bits.
    pub modulus_bits: u32,
    /// The primes that each switch drops.
    pub switches: Vec<usize>,
    /// The width of primes, in bits.
    pub prime_bits: u32,
    /// The security in bits, by the table of 2024.
    pub security_bits: u32,
}

/// The report of the bench.
#[derive(Clone, Debug, Serialize)]
pub struct TriplesReport {
    /// The machine.
    pub machine: Machine,
    /// The parameters of the published circuit, under two sets of rules.
    pub table_1: Vec<TripleColumn>,
    /// A row for each phase of each method.
    pub rows: Vec<TripleRow>,
    /// What the machine has too little memory for.
    pub skipped: Vec<String>,
}

impl TriplesReport {
    /// Tables for human readers.
    pub fn text(&self) -> String {
        let mut text = format!("{}, {}\n\n", self.machine.cpu, self.machine.kernels);
        let _ = writeln!(
            text,
            "{:12} {:>6} {:>6} {:>6} {:>6} {:>10}",
            "rules", "N", "log2 q", "log2 P", "log2 t", "switches"
        );
        for it in &self.table_1 {
            let switches = it.switches.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let _ = writeln!(
                text,
                "{:12} {:>6} {:>6} {:>6} {:>6} {switches:>10}",
                it.rules, it.ring_degree, it.log2_q, it.log2_p, it.modulus_bits
            );
        }
        let _ = writeln!(
            text,
            "\n{:44} {:>5} {:>8} {:>8} {:16} {:>9} {:>11} {:>9} {:>9}",
            "method", "dim", "threads", "products", "phase", "seconds", "s a triple", "published", "peak MiB"
        );
        for row in &self.rows {
            let _ = writeln!(
                text,
                "{:44} {:>5} {:>8} {:>8} {:16} {:>9.3} {:>11.4} {:>9} {:>9.0}",
                row.method,
                row.dim,
                row.threads,
                row.products,
                if row.predicted.is_some() { format!("{} (pred.)", row.phase) } else { row.phase.to_owned() },
                row.seconds,
                row.seconds_per_triple,
                published::seconds(row).map_or(String::new(), |seconds| format!("{seconds:.2}")),
                row.peak_bytes.unwrap_or(0) as f64 / (1 << 20) as f64
            );
        }
        let _ = writeln!(text, "\npublished: {}", published::MACHINE);
        for skipped in &self.skipped {
            let _ = writeln!(text, "left out: {skipped}");
        }
        text
    }
}
