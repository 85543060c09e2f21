//! The port-bound limit of an operation: the fewest cycles in which a processor's ports could execute its instructions.
//!
//! `docs/notes/kernels.md` derives the figures. A limit counts the instructions that the algorithm needs, spread
//! over the ports without a gap and with all operands in the first-level cache: latencies, loop counters, address
//! arithmetic and caches make real code slower, never faster.

mod transforms;
mod words;

use std::ops::{Add, Mul};

use asanoha_kernels::Backend;
use serde::Serialize;

use crate::Operation;

/// The processors whose ports are modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ports {
    /// AMD Zen 4 (and 3): measured.
    Zen4,
    /// Intel Ice Lake and Sapphire Rapids, with two ports for 512-bit vectors: from published tables. Used for all
    /// other processors too.
    Intel,
}

/// An operation on words, and the kernels that it runs on.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// The kernels.
    pub backend: Backend,
    /// The operation.
    pub operation: Operation,
    /// The number of words of the result.
    pub length: usize,
    /// The width of the prime in bits.
    pub prime_bits: u32,
    /// The number of products that are summed, if the operation is a sum.
    pub terms: usize,
}

/// The widest primes of the loops in double precision, in bits.
const FLOAT_BITS: u32 = 50;

impl Task {
    /// The back-end whose loops are used: for some widths a back-end takes those of another one.
    fn loops(&self) -> Backend {
        let in_floats =
            self.operation.is_transform() || matches!(self.operation, Operation::Mul | Operation::Fma);
        match self.backend {
            Backend::Avx512 if self.prime_bits <= FLOAT_BITS && in_floats => Backend::Avx2,
            Backend::Avx512Ifma if self.prime_bits > FLOAT_BITS => Backend::Avx512,
            own => own,
        }
    }
}

/// The width of the instructions' operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// One word.
    Word,
    /// Four words (256 bits).
    Half,
    /// Eight words (512 bits).
    Full,
}

/// The numbers of instructions by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Work {
    /// Multiplications and multiply-adds of integers or floats.
    multiply: f64,
    /// Multiplications for the lower half that are written as one instruction (`vpmullq`, `vpmulld`).
    multiply_low: f64,
    /// Unsigned minima.
    minimum: f64,
    shift: f64,
    /// Rearrangements within or across lanes.
    shuffle: f64,
    /// Additions, roundings and conversions of floats.
    float_add: f64,
    /// Additions, subtractions, logic and blends; for single words also comparisons and conditional moves.
    simple: f64,
    load: f64,
    store: f64,
}

/// No instructions.
const NONE: Work = Work {
    multiply: 0.0,
    multiply_low: 0.0,
    minimum: 0.0,
    shift: 0.0,
    shuffle: 0.0,
    float_add: 0.0,
    simple: 0.0,
    load: 0.0,
    store: 0.0,
};

impl Add for Work {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            multiply: self.multiply + other.multiply,
            multiply_low: self.multiply_low + other.multiply_low,
            minimum: self.minimum + other.minimum,
            shift: self.shift + other.shift,
            shuffle: self.shuffle + other.shuffle,
            float_add: self.float_add + other.float_add,
            simple: self.simple + other.simple,
            load: self.load + other.load,
            store: self.store + other.store,
        }
    }
}

impl Mul<f64> for Work {
    type Output = Self;

    fn mul(self, times: f64) -> Self {
        Self {
            multiply: self.multiply * times,
            multiply_low: self.multiply_low * times,
            minimum: self.minimum * times,
            shift: self.shift * times,
            shuffle: self.shuffle * times,
            float_add: self.float_add * times,
            simple: self.simple * times,
            load: self.load * times,
            store: self.store * times,
        }
    }
}

impl Ports {
    /// The cycles in which the busiest ports execute the work.
    fn cycles(self, width: Width, work: &Work) -> f64 {
        let Work { multiply, multiply_low, minimum, shift, shuffle, float_add, simple, load, store } = *work;
        let all = multiply + multiply_low + minimum + shift + shuffle + float_add + simple;
        let bounds = match (self, width) {
            (Self::Zen4, Width::Full | Width::Half) => {
                // Two pipes multiply, and two others shift, shuffle and add floats; all four add integers. A 512-bit
                // instruction takes a pair of pipes, or one pipe twice.
                let pairs = if width == Width::Full { 1.0 } else { 2.0 };
                let loads = if width == Width::Full { 1.0 } else { 2.0 };
                [
                    (multiply + multiply_low + minimum) / pairs,
                    (shift + shuffle + float_add) / pairs,
                    all / (2.0 * pairs),
                    load / loads,
                    store * 2.0 / loads,
                ]
            }
            (Self::Intel, Width::Full) => {
                // `vpmullq` counts as three multiplications; shifts and minima use one of the two ports, shuffles the
                // other.
                [minimum + shift, shuffle, all / 2.0 + multiply_low, load / 2.0, store]
            }
            (Self::Intel, Width::Half) => {
                let two_ports = multiply + 2.0 * multiply_low + minimum + shift + float_add;
                [two_ports / 2.0, shuffle, (all + multiply_low) / 3.0, load / 2.0, store]
            }
            (Self::Zen4, Width::Word) => [multiply, simple / 4.0, 0.0, load / 3.0, store / 2.0],
            (Self::Intel, Width::Word) => [multiply, simple / 4.0, 0.0, load / 2.0, store / 2.0],
        };
        bounds.into_iter().fold(0.0, f64::max)
    }

    /// The fewest cycles that a task can take.
    pub fn limit(self, task: &Task) -> f64 {
        let task = &Task { backend: task.loops(), ..*task };
        let (width, work) =
            if task.operation.is_transform() { transforms::work(task) } else { words::work(task) };
        self.cycles(width, &work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit_per_word(ports: Ports, backend: Backend, operation: Operation, prime_bits: u32) -> f64 {
        let length = 1 << 14;
        ports.limit(&Task { backend, operation, length, prime_bits, terms: 4 }) / length as f64
    }

    #[test]
    fn limits_are_those_of_the_note() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 0.005, "{a} isn't {b}");
        let (zen4, intel) = (Ports::Zen4, Ports::Intel);
        near(limit_per_word(zen4, Backend::Avx512Ifma, Operation::Fma, 50), 6.0 / 8.0);
        near(limit_per_word(intel, Backend::Avx512Ifma, Operation::Fma, 50), 5.5 / 8.0);
        near(limit_per_word(zen4, Backend::Avx512, Operation::Fma, 60), 14.0 / 8.0);
        near(limit_per_word(zen4, Backend::Avx512Ifma, Operation::Add, 50), 2.0 / 8.0);
        near(limit_per_word(zen4, Backend::Scalar, Operation::Fma, 50), 3.0);
    }

    #[test]
    fn narrower_primes_never_have_higher_limits_in_the_same_loops() {
        for backend in Backend::ALL {
            for ports in [Ports::Zen4, Ports::Intel] {
                for operation in [Operation::NttForward, Operation::NttInverse, Operation::Fma] {
                    for widths in [40..=50, 51..=61] {
                        let limits: Vec<f64> =
                            widths.map(|bits| limit_per_word(ports, backend, operation, bits)).collect();
                        assert!(limits.is_sorted(), "{backend:?} {operation:?}: {limits:?}");
                    }
                }
            }
        }
    }
}
