//! The report of the bench, with tables for human readers in the layout of the paper's.

use std::{fmt::Write, path::PathBuf};

use asanoha_circuits::TableError;
use asanoha_scheme::SchemeError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::DivisionCount;
use crate::Machine;

/// One method at one width.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DivisionRow {
    /// The name of one of our methods, or the peer's name and type.
    pub method: String,
    /// The kind of encryption of the operands: `public_key`, or the peer's word.
    pub encryption: String,
    /// The width of the dividends in bits, which is also that of the divisors up to 8.
    pub bits: u32,
    /// The plaintext modulus t.
    pub plaintext_modulus: Option<u64>,
    /// The multiplicative depth.
    pub levels: Option<usize>,
    /// The number of divisions at once.
    pub slots: usize,
    /// The time of all divisions, the shortest of a few runs, in seconds.
    pub seconds: f64,
    /// The time of one division, in seconds.
    pub seconds_per_division: f64,
    /// The security in bits, by the table of 2024 or as the peer states it.
    pub security_bits: u32,
    /// The number of threads.
    pub threads: usize,
    /// The ring degree N.
    pub ring_degree: Option<usize>,
    /// log2 of the whole modulus QP.
    pub log2_qp: Option<f64>,
}

/// How much faster our fastest method is than the peer, on one thread.
#[derive(Clone, Debug, Serialize)]
pub struct PeerRatio {
    /// The peer's method, as in its row.
    pub method: String,
    /// The width of the operands in bits.
    pub bits: u32,
    /// The peer's seconds for a division divided by ours.
    pub ratio: f64,
}

/// The report of the bench.
#[derive(Clone, Debug, Serialize)]
pub struct DivisionReport {
    /// The machine.
    pub machine: Machine,
    /// A row for each method and width.
    pub rows: Vec<DivisionRow>,
    /// The operations of the published algorithms, of up to 8 bits.
    pub counts: Vec<DivisionCount>,
    /// The peer's name and version.
    pub peer: Option<String>,
    /// Our times compared with the peer's.
    pub ratios: Vec<PeerRatio>,
    /// The duration of the whole bench, in seconds.
    pub seconds: f64,
}

/// The error of a bench of divisions.
#[derive(Debug, Error)]
pub enum DivisionError {
    /// A width that no method is for.
    #[error("--bits {0}: divisions of 2 to 8 bits are measured, and of 16 by 8")]
    Bits(u32),
    /// A table can't be made.
    #[error(transparent)]
    Table(#[from] TableError),
    /// No parameters hold the division.
    #[error("{method} division of {bits} bits fits no ring of up to 2^17 coefficients at 128-bit security")]
    NoParameters {
        /// The method.
        method: &'static str,
        /// The width of the operands in bits.
        bits: u32,
    },
    /// An operation of BGV failed.
    #[error(transparent)]
    Bgv(#[from] SchemeError),
    /// A result is wrong: a bug.
    #[error("{method} division of {bits} bits gave {found} for {dividend} // {divisor}; right is {expected}")]
    Wrong {
        /// The method.
        method: &'static str,
        /// The width of the operands in bits.
        bits: u32,
        /// The dividend.
        dividend: i64,
        /// The divisor.
        divisor: i64,
        /// The decrypted quotient.
        found: i64,
        /// The right quotient.
        expected: i64,
    },
    /// There is no program at the peer's path.
    #[error(
        "--peer {0}: there's no such program; build it with `cargo build --release` in bench/peers, or tell where it is"
    )]
    NoPeer(PathBuf),
    /// The peer failed.
    #[error("--peer {path}: {why}")]
    Peer {
        /// The program.
        path: PathBuf,
        /// The cause.
        why: String,
    },
}

impl DivisionReport {
    /// The rows, followed by our times compared with the peer's.
    pub fn text(&self) -> String {
        let mut text = format!("{}, {} kernels\n", self.machine.cpu, self.machine.kernels);
        let _ = writeln!(
            text,
            "{:>8} {:>6} {:>7} {:>7} {:>10} {:>12}  {:14} {:>7} {:>7} {:>8} {:>8}",
            "l (bits)",
            "p",
            "levels",
            "nslots",
            "time (s)",
            "µs/division",
            "method",
            "log2 N",
            "log2 QP",
            "security",
            "threads"
        );
        let figure = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.0}"));
        for row in &self.rows {
            let _ = writeln!(
                text,
                "{:>8} {:>6} {:>7} {:>7} {:>10.3} {:>12.1}  {:14} {:>7} {:>7} {:>8} {:>8}",
                row.bits,
                figure(row.plaintext_modulus.map(|t| t as f64)),
                figure(row.levels.map(|levels| levels as f64)),
                row.slots,
                row.seconds,
                row.seconds_per_division * 1e6,
                row.method,
                figure(row.ring_degree.map(|n| n.ilog2().into())),
                figure(row.log2_qp),
                row.security_bits,
                row.threads
            );
        }
        text.push_str("operands are encrypted under the public key; those of 16 bits have divisors of 8\n");
        for ratio in &self.ratios {
            let _ = writeln!(
                text,
                "ours divides {:.0} times as many numbers of {} bits a second as {} ({}), one thread each",
                ratio.ratio,
                ratio.bits,
                ratio.method,
                self.peer.as_deref().unwrap_or("unknown version")
            );
        }
        text.push_str("\noperations of the published algorithms\n");
        for count in &self.counts {
            let _ = writeln!(
                text,
                "{:>8} bits {:9} depth {:>2}, {:>5} products, {:>7} additions, {:>7} products with constants",
                count.bits,
                count.algorithm,
                count.depth,
                count.products,
                count.additions,
                count.constant_products
            );
        }
        let _ = writeln!(text, "\nall in {:.0} s", self.seconds);
        text
    }
}
