//! Negacyclic transforms in double precision of a polynomial of 2048 coefficients, beside `tfhe-fft`.
//!
//! Ours takes whole signed words and gives the values at the roots of −1. The peer transforms 1024 complex numbers; to
//! do the same it needs the words converted, folded and twisted before (and untwisted after the inverse), which its
//! users write themselves: here a plain loop, compiled for the processor's vectors. The bare ratio leaves that out
//! on the peer's side only.

use std::{fmt::Write, time::Duration};

use aligned_vec::{AVec, CACHELINE_ALIGN, avec};
use asanoha_bench::{Effort, Figures, Words, compare};
use asanoha_kernels::{Backend, FftTable};
use dyn_stack::{PodBuffer, PodStack};
use pulp::Arch;
use serde::Serialize;
use tfhe_fft::{
    c64,
    unordered::{Method, Plan},
};

const COEFFICIENTS: usize = 2048;
const HALF: usize = COEFFICIENTS / 2;

/// One transform of both sides. Ratios are the peer's cycles over ours: above 1 ours is faster.
#[derive(Serialize)]
pub(crate) struct Row {
    operation: &'static str,
    coefficients: usize,
    kernels: &'static str,
    ns_min: f64,
    ns_median: f64,
    bare_peer_ns_min: f64,
    peer_ns_min: f64,
    /// The peer's complex transform alone.
    bare_ratio: f64,
    /// With conversion, folding and twist.
    ratio: f64,
}

impl Row {
    fn new(operation: &'static str, [ours, bare, peer]: [Figures; 3]) -> Self {
        Self {
            operation,
            coefficients: COEFFICIENTS,
            kernels: best().name(),
            ns_min: ours.ns_min,
            ns_median: ours.ns_median,
            bare_peer_ns_min: bare.ns_min,
            peer_ns_min: peer.ns_min,
            bare_ratio: bare.cycles / ours.cycles,
            ratio: peer.cycles / ours.cycles,
        }
    }
}

fn best() -> Backend {
    *Backend::available().last().expect("scalar is always available")
}

/// e^(iπk/N): the twist that makes a cyclic transform negacyclic.
fn twist() -> AVec<c64> {
    let angle = |k: usize| std::f64::consts::PI * k as f64 / COEFFICIENTS as f64;
    AVec::from_iter(CACHELINE_ALIGN, (0..HALF).map(|k| c64::new(angle(k).cos(), angle(k).sin())))
}

/// Words to twisted complex numbers.
fn fold(arch: Arch, out: &mut [c64], words: &[i64], twist: &[c64]) {
    let (real, imaginary) = words.split_at(HALF);
    arch.dispatch(|| {
        for (((out, &re), &im), w) in out.iter_mut().zip(real).zip(imaginary).zip(twist) {
            *out = c64::new(re as f64, im as f64) * w;
        }
    });
}

/// Twisted complex numbers to coefficients, 2/N included.
fn unfold(arch: Arch, out: &mut [f64], values: &[c64], twist: &[c64]) {
    let (real, imaginary) = out.split_at_mut(HALF);
    arch.dispatch(|| {
        for (((re, im), value), w) in real.iter_mut().zip(imaginary).zip(values).zip(twist) {
            let value = value * w.conj() / HALF as f64;
            (*re, *im) = (value.re, value.im);
        }
    });
}

/// Zeros from the start of a cache line on.
fn zeros(memory: &mut Vec<f64>) -> &mut [f64] {
    memory.resize(COEFFICIENTS + 8, 0.0);
    let start = memory.as_ptr().align_offset(64);
    &mut memory[start..start + COEFFICIENTS]
}

/// The peer, with what it needs around it.
struct Peer {
    plan: Plan,
    scratch: PodBuffer,
    twist: AVec<c64>,
    arch: Arch,
    values: AVec<c64>,
    coefficients: AVec<f64>,
}

impl Peer {
    fn new() -> Self {
        let plan = Plan::new(HALF, Method::Measure(Duration::from_millis(200)));
        Self {
            scratch: PodBuffer::new(plan.fft_scratch()),
            plan,
            twist: twist(),
            arch: Arch::new(),
            values: avec![c64::new(0.0, 0.0); HALF],
            coefficients: avec![0.0; COEFFICIENTS],
        }
    }

    fn bare_forward(&mut self) {
        self.plan.fwd(&mut self.values, PodStack::new(&mut self.scratch));
    }

    fn bare_inverse(&mut self) {
        self.plan.inv(&mut self.values, PodStack::new(&mut self.scratch));
    }

    fn forward(&mut self, words: &[i64]) {
        fold(self.arch, &mut self.values, words, &self.twist);
        self.bare_forward();
    }

    fn inverse(&mut self) {
        self.bare_inverse();
        unfold(self.arch, &mut self.coefficients, &self.values, &self.twist);
    }
}

pub(crate) fn rows(effort: Effort) -> Vec<Row> {
    let kernels = best().kernels(0);
    let table = FftTable::new(COEFFICIENTS).expect("it's a power of two in range");
    let digits = Words::from_fn(COEFFICIENTS, 0, |i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54);
    let digits: Vec<i64> = digits.iter().map(|&word| word.cast_signed() - 512).collect();
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let (spectrum, coefficients) = (zeros(&mut a), zeros(&mut b));
    // The second one transforms zeros in place, which stay zeros where other numbers would grow out of range.
    let (mut peer, mut bare) = (Peer::new(), Peer::new());

    let forward = compare(
        effort,
        [&mut || (kernels.fft_forward)(spectrum, &digits, &table), &mut || bare.bare_forward(), &mut || {
            peer.forward(&digits);
        }],
    );
    (kernels.fft_inverse)(coefficients, spectrum, &table);
    peer.inverse();
    for ((&digit, &ours), &theirs) in digits.iter().zip(&*coefficients).zip(&*peer.coefficients) {
        let digit = digit as f64;
        assert!((ours - digit).abs() < 1e-9 && (theirs - digit).abs() < 1e-9, "{digit}: {ours}, {theirs}");
    }
    spectrum.fill(0.0);
    peer.values.fill(c64::new(0.0, 0.0));
    let inverse = compare(
        effort,
        [
            &mut || (kernels.fft_inverse)(coefficients, spectrum, &table),
            &mut || bare.bare_inverse(),
            &mut || peer.inverse(),
        ],
    );
    vec![Row::new("fft_forward", forward), Row::new("fft_inverse", inverse)]
}

pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "\n{:12} {:>12} {:10} {:>9} {:>18} {:>12} {:>17} {:>12}\n",
        "FFT", "coefficients", "kernels", "ours, µs", "bare tfhe-fft, µs", "ratio", "with twist, µs", "ratio"
    );
    for row in rows {
        let [ours, bare, peer] = [row.ns_min, row.bare_peer_ns_min, row.peer_ns_min].map(|ns| ns / 1e3);
        let _ = writeln!(
            text,
            "{:12} {:>12} {:10} {ours:>9.3} {bare:>18.3} {:>12.3} {peer:>17.3} {:>12.3}",
            row.operation, row.coefficients, row.kernels, row.bare_ratio, row.ratio
        );
    }
    text
}
