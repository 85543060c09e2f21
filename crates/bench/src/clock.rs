//! The clock of the core, measured right before and after the work.
//!
//! Virtual machines have no hardware counters, and clocks change under load. So every sample of work is measured
//! between two runs of a chain of dependent multiplications, each of which starts when the one before has ended. Their
//! latency is 3 cycles on every x86-64 core of the last ten years (and on most 64-bit Arm cores), so the time of the
//! chain gives the clock, and the clock gives the cycles of the work.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// The latency in cycles of a multiplication of 64-bit words.
const MULTIPLY_LATENCY: f64 = 3.0;

/// The length of the chain, about 13 µs: long compared with reading the time, short compared with a change of the
/// clock.
const STEPS: usize = 1 << 14;

/// Multiplications in one iteration of the loop, enough to hide its counter.
const UNROLLED: usize = 16;

/// How many times as long as the shortest of all chains a chain beside the work may take while the core counts as
/// steady.
const STEADY: f64 = 1.01;

/// Runs the chain and returns its time.
pub fn chain() -> Duration {
    let start = Instant::now();
    let mut word = black_box(3u64);
    for _ in 0..STEPS / UNROLLED {
        for _ in 0..UNROLLED {
            // Squares, because a compiler would combine the powers of a constant factor.
            word = word.wrapping_mul(word);
        }
    }
    black_box(word);
    start.elapsed()
}

/// Whether the core ran the chains before and after some work as fast as the shortest of all chains. At another clock,
/// or with other work on the core, they'd take longer.
pub fn is_steady(shortest: Duration, before: Duration, after: Duration) -> bool {
    before.max(after).as_secs_f64() <= shortest.as_secs_f64() * STEADY
}

/// The clock in cycles per nanosecond, from the time of a chain.
pub fn cycles_per_ns(chain: Duration) -> f64 {
    STEPS as f64 * MULTIPLY_LATENCY / (chain.as_secs_f64() * 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_chains_as_short_as_the_shortest_are_steady() {
        let [shortest, near, long] = [1000, 1005, 1020].map(Duration::from_nanos);
        assert!(is_steady(shortest, shortest, near) && is_steady(shortest, near, shortest));
        assert!(!is_steady(shortest, near, long) && !is_steady(shortest, long, long));
    }

    #[test]
    fn a_chain_of_half_a_nanosecond_a_cycle_is_of_two_gigahertz() {
        let chain = Duration::from_nanos(STEPS as u64 * 3 / 2);
        assert!((cycles_per_ns(chain) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_chain_takes_time() {
        assert!(chain() > Duration::ZERO);
    }
}
