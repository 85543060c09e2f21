//! What the timing examples share.
#![allow(dead_code, reason = "each example uses a part")]

use std::time::{Duration, Instant};

use asanoha_kernels::{Permutation, evaluation_exponent};

/// Words that start at a cache line, as polynomials do.
pub(crate) struct Aligned<T> {
    words: Vec<T>,
    start: usize,
}

impl<T: Copy> Aligned<T> {
    pub(crate) fn new(length: usize, word: impl Fn(u64) -> T) -> Self {
        let mut words = vec![word(0); length + 8];
        let start = words.as_ptr().align_offset(64);
        words[start..start + length].iter_mut().zip(0..).for_each(|(slot, i)| *slot = word(i));
        Self { words, start }
    }

    pub(crate) fn words(&mut self) -> &mut [T] {
        let end = self.words.len() - 8 + self.start;
        &mut self.words[self.start..end]
    }
}

/// Nanoseconds of a call, the shortest of a fifth of a second.
pub(crate) fn best(mut call: impl FnMut()) -> f64 {
    /// So short calls are measured a few at a time.
    const SHORT: Duration = Duration::from_micros(20);
    let start = Instant::now();
    call();
    let calls = if start.elapsed() < SHORT { 16 } else { 1 };
    let end = Instant::now() + Duration::from_millis(200);
    let mut best = Duration::MAX;
    while Instant::now() < end {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        best = best.min(start.elapsed());
    }
    best.as_nanos() as f64 / f64::from(calls)
}

/// Where each word of X → X^exponent comes from, in evaluation order.
pub(crate) fn source(degree: usize, exponent: usize) -> Vec<u32> {
    let mut index_of = vec![0; degree];
    (0..degree).for_each(|index| index_of[evaluation_exponent(degree, index) / 2] = index as u32);
    (0..degree)
        .map(|index| index_of[exponent * evaluation_exponent(degree, index) % (2 * degree) / 2])
        .collect()
}

pub(crate) fn automorphism(degree: usize, exponent: usize) -> Permutation {
    Permutation::new(&source(degree, exponent)).expect("a permutation")
}
