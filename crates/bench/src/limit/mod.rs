//! The port-bound limit of an operation: the fewest cycles in which a processor's ports could execute its instructions.
//!
//! `docs/notes/kernels.md` derives the figures. A limit counts the instructions that the algorithm needs, spread
//! over the ports without a gap and with all operands in the first-level cache: latencies, loop counters, address
//! arithmetic and caches make real code slower, never faster.

mod task;
mod transforms;
mod words;
mod work;

use serde::Serialize;

pub use task::Task;
use work::{Width, Work};

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
    use asanoha_kernels::Backend;

    use super::*;
    use crate::Operation;

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
