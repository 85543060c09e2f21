//! The report of a bench: rows for programs, a table for human readers.

use std::fmt::Write;

use asanoha_kernels::Backend;
use serde::Serialize;

use crate::{Figures, Machine, limit::Task, measure::Effort};

/// The settings of a bench.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The kernels to measure, which this processor must have.
    pub backends: Vec<Backend>,
    /// A quick look at fewer sizes, which takes seconds in place of minutes.
    pub quick: bool,
}

impl Settings {
    pub(crate) fn effort(&self) -> Effort {
        if self.quick { Effort::QUICK } else { Effort::FULL }
    }
}

/// Called after every row with the number of rows done and of all rows.
pub type Tell<'a> = &'a dyn Fn(usize, usize);

/// One measurement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The kernels that ran.
    pub kernels: &'static str,
    /// The operation.
    pub operation: &'static str,
    /// The number of words of each operand, for each prime.
    pub ring_degree: usize,
    /// The width of the primes in bits.
    pub prime_bits: u32,
    /// The number of products that are summed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<usize>,
    /// The number of primes: the kernel is called for each, or for one after another if it's a transform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l: Option<usize>,
    /// The shortest time of a call, in nanoseconds.
    pub ns_min: f64,
    /// The median time of a call, in nanoseconds.
    pub ns_median: f64,
    /// Cycles for each butterfly of a transform, which has N/2·log2(N) butterflies.
    pub cycles_per_butterfly: Option<f64>,
    /// Cycles for each word of the result.
    pub cycles_per_word: f64,
    /// The port-bound limit divided by the measured cycles: at 1 the operation is as fast as the ports allow.
    pub share_of_limit: f64,
    /// The comparison with two calls, a multiplication and an addition.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
}

/// A fused operation compared with two plain ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The shortest time of a multiplication followed by an addition, in nanoseconds.
    pub mul_add_ns_min: f64,
    /// The median time of these, in nanoseconds.
    pub mul_add_ns_median: f64,
    /// The cycles of the fused operation divided by those of the two.
    pub ratio: f64,
}

impl Row {
    pub(crate) fn new(task: &Task, machine: &Machine, figures: &Figures) -> Self {
        let length = task.length as f64;
        let butterflies = length / 2.0 * f64::from(task.length.ilog2());
        Self {
            kernels: task.backend.name(),
            operation: task.operation.name(),
            ring_degree: task.length,
            prime_bits: task.prime_bits,
            terms: task.operation.has_terms().then_some(task.terms),
            l: None,
            ns_min: figures.ns_min,
            ns_median: figures.ns_median,
            cycles_per_butterfly: task.operation.is_transform().then(|| figures.cycles / butterflies),
            cycles_per_word: figures.cycles / length,
            share_of_limit: machine.ports.limit(task) / figures.cycles,
            comparison: None,
        }
    }
}

/// The report of a bench of kernels.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The machine.
    pub machine: Machine,
    /// The measurements.
    pub rows: Vec<Row>,
}

impl Report {
    /// A table for human readers.
    pub fn text(&self) -> String {
        let mut text = format!("{}, one thread\n", self.machine.cpu);
        if self.rows.iter().any(|row| row.comparison.is_some()) {
            self.ratios(&mut text);
        } else {
            self.lines(&mut text);
        }
        text
    }

    fn lines(&self, text: &mut String) {
        let _ = writeln!(
            text,
            "{:10} {:14} {:>6} {:>4} {:>6} {:>5} {:>12} {:>12} {:>16} {:>11} {:>8}",
            "kernels",
            "operation",
            "N",
            "bits",
            "primes",
            "terms",
            "min µs",
            "median µs",
            "cycles/butterfly",
            "cycles/word",
            "of limit"
        );
        for row in &self.rows {
            let terms = row.terms.map_or_else(String::new, |terms| terms.to_string());
            let primes = row.l.map_or_else(String::new, |primes| primes.to_string());
            let butterfly =
                row.cycles_per_butterfly.map_or_else(String::new, |cycles| format!("{cycles:.3}"));
            let _ = writeln!(
                text,
                "{:10} {:14} {:>6} {:>4} {primes:>6} {terms:>5} {:>12.3} {:>12.3} {butterfly:>16} {:>11.3} {:>6.0} %",
                row.kernels,
                row.operation,
                row.ring_degree,
                row.prime_bits,
                row.ns_min / 1e3,
                row.ns_median / 1e3,
                row.cycles_per_word,
                row.share_of_limit * 100.0
            );
        }
    }

    /// For each back-end, the ratios by ring degree and number of primes.
    fn ratios(&self, text: &mut String) {
        for rows in self.rows.chunk_by(|a, b| (a.kernels, a.prime_bits) == (b.kernels, b.prime_bits)) {
            let degrees = || rows.chunk_by(|a, b| a.ring_degree == b.ring_degree);
            let ratio = |row: &Row| row.comparison.map_or(f64::NAN, |comparison| comparison.ratio);
            let (kernels, bits) = (rows[0].kernels, rows[0].prime_bits);
            let _ = writeln!(text, "\n{kernels}, {bits}-bit primes: fma / (multiply, then add)");
            let _ = write!(text, "{:>3}", "l");
            for rows in degrees() {
                let _ = write!(text, " {:>7}", format!("2^{}", rows[0].ring_degree.ilog2()));
            }
            text.push('\n');
            for at in 0..degrees().map(<[Row]>::len).max().unwrap_or(0) {
                let _ = write!(text, "{:>3}", rows[at].l.unwrap_or(0));
                for row in degrees().filter_map(|rows| rows.get(at)) {
                    let _ = write!(text, " {:>7.3}", ratio(row));
                }
                text.push('\n');
            }
            let below = rows.iter().filter(|row| ratio(row) < 1.0).count();
            let highest = rows.iter().map(ratio).fold(0.0, f64::max);
            let _ = writeln!(text, "below 1 at {below} of {} points, at most {highest:.3}", rows.len());
        }
    }
}
