//! The core's clock, measured right beside the work.
//!
//! Virtual machines have no hardware counters and clocks move under load. So every measured stretch of work stands
//! between two runs of a chain of dependent multiplications, each of which starts when the one before has ended:
//! their latency is 3 cycles on every x86-64 core of the last ten years (and on most 64-bit Arm cores), so the time
//! of the chain gives the clock, and the clock gives the work's cycles.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// Cycles from one multiplication of 64-bit words to the next one that needs its result.
const MULTIPLY_LATENCY: f64 = 3.0;

/// About 13 µs: long beside what reading the time costs, short beside a change of the clock.
const STEPS: usize = 1 << 14;

/// Multiplications in one turn of the loop, so that its counter is lost among them.
const UNROLLED: usize = 16;

/// How much the chains before and after some work may differ while the clock still counts as steady.
const STEADY: f64 = 0.02;

/// Runs the chain; how long it took.
pub fn chain() -> Duration {
    let start = Instant::now();
    let mut word = black_box(3u64);
    for _ in 0..STEPS / UNROLLED {
        for _ in 0..UNROLLED {
            // Squares, because a compiler would gather the powers of a constant factor.
            word = word.wrapping_mul(word);
        }
    }
    black_box(word);
    start.elapsed()
}

/// The clock in cycles a nanosecond from the chains before and after some work, or nothing where they differ too
/// much: the clock changed or something else ran.
pub fn between(before: Duration, after: Duration) -> Option<f64> {
    let (before, after) = (before.as_secs_f64(), after.as_secs_f64());
    let (shorter, longer) = (before.min(after), before.max(after));
    (longer <= shorter * (1.0 + STEADY)).then(|| cycles_per_ns(shorter))
}

/// The clock from the shorter of two chains, however much they differ.
pub fn at_most(before: Duration, after: Duration) -> f64 {
    cycles_per_ns(before.min(after).as_secs_f64())
}

fn cycles_per_ns(seconds: f64) -> f64 {
    STEPS as f64 * MULTIPLY_LATENCY / (seconds * 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_that_differ_give_no_clock() {
        let (short, long) = (Duration::from_micros(100), Duration::from_micros(103));
        assert_eq!(between(short, long), None);
        assert_eq!(between(short, short), Some(at_most(short, long)));
    }

    #[test]
    fn clock_is_that_of_a_processor() {
        let clock = (0..20).map(|_| at_most(chain(), chain())).fold(0.0, f64::max);
        assert!((0.3..8.0).contains(&clock), "{clock} GHz");
    }
}
