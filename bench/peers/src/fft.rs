//! Transforms of floats: `tfhe-fft`, for a polynomial of 2048 real coefficients folded to 1024 complex numbers.
//!
//! Ours isn't there yet; the peer's times stand alone. They leave out the folding and the twist by the roots of −1
//! that a negacyclic transform needs besides.

use std::{fmt::Write, time::Duration};

use asanoha_bench::{Effort, measure};
use dyn_stack::{PodBuffer, PodStack};
use serde::Serialize;
use tfhe_fft::{
    c64,
    unordered::{Method, Plan},
};

const COEFFICIENTS: usize = 2048;

#[derive(Serialize)]
pub(crate) struct Row {
    operation: &'static str,
    coefficients: usize,
    peer_ns_min: f64,
    peer_ns_median: f64,
    peer_cycles: f64,
}

pub(crate) fn rows(effort: Effort) -> Vec<Row> {
    let plan = Plan::new(COEFFICIENTS / 2, Method::Measure(Duration::from_millis(20)));
    let mut memory = PodBuffer::new(plan.fft_scratch());
    let mut row =
        |operation, forward: bool| {
            // Zeros stay zeros, where other numbers would grow out of range; time doesn't depend on the numbers.
            let mut words = vec![c64::new(0.0, 0.0); plan.fft_size()];
            let stack = PodStack::new(&mut memory);
            let figures = measure(effort, || {
                if forward { plan.fwd(&mut words, stack) } else { plan.inv(&mut words, stack) }
            });
            Row {
                operation,
                coefficients: COEFFICIENTS,
                peer_ns_min: figures.ns_min,
                peer_ns_median: figures.ns_median,
                peer_cycles: figures.cycles,
            }
        };
    vec![row("fft_forward", true), row("fft_inverse", false)]
}

pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = format!("\n{:12} {:>12} {:>14} {:>10}\n", "FFT", "coefficients", "tfhe-fft, µs", "cycles");
    for row in rows {
        let (ns, cycles) = (row.peer_ns_min / 1e3, row.peer_cycles);
        let _ = writeln!(text, "{:12} {:>12} {ns:>14.3} {cycles:>10.0}", row.operation, row.coefficients);
    }
    text
}
