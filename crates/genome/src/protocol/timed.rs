//! How long the operations of an answer take, by their kinds.

use std::{
    cell::Cell,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use super::carrier::{Carrier, Slots};

/// The times of the operations of an answer by kind, summed over all threads. Reading the query and writing the answer are in none.
#[derive(Clone, Copy, Debug)]
pub struct OperationTimes {
    /// Rotations, row swaps, traces, and the moves of a walk.
    pub rotate: Duration,
    /// Products of ciphertexts, with relinearisations.
    pub multiply: Duration,
    /// Encoding of the panel, of the masks of a walk's moves and of random numbers as plaintexts.
    pub encode: Duration,
    /// Products and sums with plaintexts.
    pub plain: Duration,
    /// Sums and differences of ciphertexts.
    pub add: Duration,
    /// Changes of level.
    pub switch: Duration,
}

thread_local! {
    /// The nanoseconds of the operations that this thread has carried out within the current one: while it waits for other threads,
    /// it may take up another.
    static WITHIN: Cell<u64> = const { Cell::new(0) };
}

/// The nanoseconds of operations by kind.
#[derive(Default)]
pub(super) struct OperationSums {
    rotate: AtomicU64,
    multiply: AtomicU64,
    pub(super) encode: AtomicU64,
    plain: AtomicU64,
    add: AtomicU64,
    switch: AtomicU64,
}

impl OperationSums {
    pub(super) fn times(&self) -> OperationTimes {
        let Self { rotate, multiply, encode, plain, add, switch } = self;
        let [rotate, multiply, encode, plain, add, switch] = [rotate, multiply, encode, plain, add, switch]
            .map(|sum| Duration::from_nanos(sum.load(Ordering::Relaxed)));
        OperationTimes { rotate, multiply, encode, plain, add, switch }
    }
}

/// A carrier whose operations are timed.
pub(super) struct Timed<'s, C> {
    pub(super) carrier: C,
    pub(super) sums: &'s OperationSums,
}

/// Carries out an operation, and adds its time, without that of others within, to a sum.
pub(super) fn timed<T>(sum: &AtomicU64, operation: impl FnOnce() -> T) -> T {
    let outer = WITHIN.replace(0);
    let begun = Instant::now();
    let result = operation();
    let nanoseconds = begun.elapsed().as_nanos() as u64;
    sum.fetch_add(nanoseconds.saturating_sub(WITHIN.get()), Ordering::Relaxed);
    WITHIN.set(outer + nanoseconds);
    result
}

impl<C: Carrier> Carrier for Timed<'_, C> {
    type Value = C::Value;
    type Error = C::Error;

    fn add(&self, a: C::Value, b: &C::Value) -> Result<C::Value, C::Error> {
        timed(&self.sums.add, || self.carrier.add(a, b))
    }

    fn add_image(&self, a: C::Value, image: &C::Value) -> Result<C::Value, C::Error> {
        timed(&self.sums.add, || self.carrier.add_image(a, image))
    }

    fn sub(&self, a: C::Value, b: &C::Value) -> Result<C::Value, C::Error> {
        timed(&self.sums.add, || self.carrier.sub(a, b))
    }

    fn multiply(&self, a: &C::Value, b: &C::Value) -> Result<C::Value, C::Error> {
        timed(&self.sums.multiply, || self.carrier.multiply(a, b))
    }

    fn multiply_unsettled(&self, a: &C::Value, b: &C::Value) -> Result<C::Value, C::Error> {
        timed(&self.sums.multiply, || self.carrier.multiply_unsettled(a, b))
    }

    fn multiply_lossless(&self, a: &C::Value, b: &C::Value) -> Result<C::Value, C::Error> {
        timed(&self.sums.multiply, || self.carrier.multiply_lossless(a, b))
    }

    fn sum_of_products(&self, a: &[C::Value], b: &[C::Value]) -> Result<C::Value, C::Error> {
        timed(&self.sums.multiply, || self.carrier.sum_of_products(a, b))
    }

    fn rotate(&self, a: &C::Value, rotations: &[i64]) -> Result<Vec<C::Value>, C::Error> {
        timed(&self.sums.rotate, || self.carrier.rotate(a, rotations))
    }

    fn trace(&self, a: &C::Value, stride: usize, count: usize) -> Result<C::Value, C::Error> {
        timed(&self.sums.rotate, || self.carrier.trace(a, stride, count))
    }

    fn swap_rows(&self, a: &C::Value) -> Result<C::Value, C::Error> {
        timed(&self.sums.rotate, || self.carrier.swap_rows(a))
    }

    fn shift(&self, values: Vec<C::Value>, exponent: i64) -> Result<Vec<C::Value>, C::Error> {
        timed(&self.sums.plain, || self.carrier.shift(values, exponent))
    }

    fn diagonals(
        &self,
        a: &C::Value,
        count: usize,
        diagonal: &(dyn Fn(usize) -> Vec<i64> + Sync),
    ) -> Result<C::Value, C::Error> {
        timed(&self.sums.rotate, || self.carrier.diagonals(a, count, diagonal))
    }

    fn times(&self, a: C::Value, slots: &Slots<'_>) -> Result<C::Value, C::Error> {
        timed(&self.sums.plain, || self.carrier.times(a, slots))
    }

    fn plus(&self, a: C::Value, slots: &Slots<'_>) -> Result<C::Value, C::Error> {
        timed(&self.sums.plain, || self.carrier.plus(a, slots))
    }

    fn settled(&self, a: C::Value) -> Result<C::Value, C::Error> {
        timed(&self.sums.switch, || self.carrier.settled(a))
    }

    fn lossless(&self, a: C::Value) -> Result<C::Value, C::Error> {
        timed(&self.sums.switch, || self.carrier.lossless(a))
    }

    fn beside(&self, a: &C::Value, other: &C::Value, factors: usize) -> Result<C::Value, C::Error> {
        timed(&self.sums.switch, || self.carrier.beside(a, other, factors))
    }

    fn for_check(&self, a: &C::Value) -> Result<C::Value, C::Error> {
        timed(&self.sums.switch, || self.carrier.for_check(a))
    }

    fn for_packing(&self, a: &C::Value) -> Result<C::Value, C::Error> {
        timed(&self.sums.switch, || self.carrier.for_packing(a))
    }

    fn for_spoiling(&self, a: &C::Value) -> Result<C::Value, C::Error> {
        timed(&self.sums.switch, || self.carrier.for_spoiling(a))
    }
}
