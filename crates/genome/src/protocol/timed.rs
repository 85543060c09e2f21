//! How long the operations of an answer take, by their kinds.

use std::{
    cell::Cell,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use super::carrier::{Carrier, Slots};

/// What the operations of an answer took, on all threads together. The rest of its time went to sums, products with plain numbers and
/// the encoding of these.
#[derive(Clone, Copy, Debug)]
pub struct OperationTimes {
    /// Rotations, row swaps, traces, and a walk's moves with their masks.
    pub rotate: Duration,
    /// Products of ciphertexts, with relinearisations.
    pub multiply: Duration,
}

thread_local! {
    /// The nanoseconds of the operations that this thread has carried out within the current one: while it waits for other threads,
    /// it may take up another.
    static WITHIN: Cell<u64> = const { Cell::new(0) };
}

/// A carrier whose operations are timed.
pub(super) struct Timed<C> {
    carrier: C,
    rotate: AtomicU64,
    multiply: AtomicU64,
}

impl<C> Timed<C> {
    pub(super) fn new(carrier: C) -> Self {
        Self { carrier, rotate: AtomicU64::new(0), multiply: AtomicU64::new(0) }
    }

    pub(super) fn times(&self) -> OperationTimes {
        let [rotate, multiply] =
            [&self.rotate, &self.multiply].map(|sum| Duration::from_nanos(sum.load(Ordering::Relaxed)));
        OperationTimes { rotate, multiply }
    }
}

/// Carries out an operation, and adds its time, without that of others within, to a sum.
fn timed<T>(sum: &AtomicU64, operation: impl FnOnce() -> T) -> T {
    let outer = WITHIN.replace(0);
    let begun = Instant::now();
    let result = operation();
    let nanoseconds = begun.elapsed().as_nanos() as u64;
    sum.fetch_add(nanoseconds.saturating_sub(WITHIN.get()), Ordering::Relaxed);
    WITHIN.set(outer + nanoseconds);
    result
}

impl<C: Carrier> Carrier for Timed<C> {
    type Value = C::Value;
    type Error = C::Error;

    fn add(&self, a: C::Value, b: &C::Value) -> Result<C::Value, C::Error> {
        self.carrier.add(a, b)
    }

    fn add_image(&self, a: C::Value, image: &C::Value) -> Result<C::Value, C::Error> {
        self.carrier.add_image(a, image)
    }

    fn sub(&self, a: C::Value, b: &C::Value) -> Result<C::Value, C::Error> {
        self.carrier.sub(a, b)
    }

    fn multiply(&self, a: &C::Value, b: &C::Value) -> Result<C::Value, C::Error> {
        timed(&self.multiply, || self.carrier.multiply(a, b))
    }

    fn multiply_unsettled(&self, a: &C::Value, b: &C::Value) -> Result<C::Value, C::Error> {
        timed(&self.multiply, || self.carrier.multiply_unsettled(a, b))
    }

    fn multiply_lossless(&self, a: &C::Value, b: &C::Value) -> Result<C::Value, C::Error> {
        timed(&self.multiply, || self.carrier.multiply_lossless(a, b))
    }

    fn sum_of_products(&self, a: &[C::Value], b: &[C::Value]) -> Result<C::Value, C::Error> {
        timed(&self.multiply, || self.carrier.sum_of_products(a, b))
    }

    fn rotate(&self, a: &C::Value, rotations: &[i64]) -> Result<Vec<C::Value>, C::Error> {
        timed(&self.rotate, || self.carrier.rotate(a, rotations))
    }

    fn trace(&self, a: &C::Value, stride: usize, count: usize) -> Result<C::Value, C::Error> {
        timed(&self.rotate, || self.carrier.trace(a, stride, count))
    }

    fn swap_rows(&self, a: &C::Value) -> Result<C::Value, C::Error> {
        timed(&self.rotate, || self.carrier.swap_rows(a))
    }

    fn shift(&self, values: Vec<C::Value>, exponent: i64) -> Result<Vec<C::Value>, C::Error> {
        self.carrier.shift(values, exponent)
    }

    fn diagonals(
        &self,
        a: &C::Value,
        count: usize,
        diagonal: &(dyn Fn(usize) -> Vec<i64> + Sync),
    ) -> Result<C::Value, C::Error> {
        timed(&self.rotate, || self.carrier.diagonals(a, count, diagonal))
    }

    fn times(&self, a: C::Value, slots: &Slots<'_>) -> Result<C::Value, C::Error> {
        self.carrier.times(a, slots)
    }

    fn plus(&self, a: C::Value, slots: &Slots<'_>) -> Result<C::Value, C::Error> {
        self.carrier.plus(a, slots)
    }

    fn settled(&self, a: C::Value) -> Result<C::Value, C::Error> {
        self.carrier.settled(a)
    }

    fn lossless(&self, a: C::Value) -> Result<C::Value, C::Error> {
        self.carrier.lossless(a)
    }

    fn beside(&self, a: &C::Value, other: &C::Value, factors: usize) -> Result<C::Value, C::Error> {
        self.carrier.beside(a, other, factors)
    }

    fn for_check(&self, a: &C::Value) -> Result<C::Value, C::Error> {
        self.carrier.for_check(a)
    }

    fn for_packing(&self, a: &C::Value) -> Result<C::Value, C::Error> {
        self.carrier.for_packing(a)
    }

    fn for_spoiling(&self, a: &C::Value) -> Result<C::Value, C::Error> {
        self.carrier.for_spoiling(a)
    }
}
