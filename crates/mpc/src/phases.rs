//! What the phases of generation take.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

/// What the phases of generation take, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseSeconds {
    /// Drawing the parties' matrices.
    pub draw: f64,
    /// Packing, encoding and encrypting them, for all parties.
    pub encrypt: f64,
    /// The sums of products.
    pub product: f64,
    /// Dividing them to the lower level, and switching keys.
    pub switch: f64,
    /// The codes of A and B: products with the encrypted MAC key, and their decryption.
    pub authenticate: f64,
    /// Decrypting A·B and its codes, all parties' shares of the decryption included.
    pub decrypt: f64,
    /// Of all this, what parties other than the first do for themselves; on one thread, the rest is one party's time.
    pub others: f64,
}

impl PhaseSeconds {
    /// All phases together.
    pub fn total(&self) -> f64 {
        let Self { draw, encrypt, product, switch, authenticate, decrypt, others: _ } = self;
        draw + encrypt + product + switch + authenticate + decrypt
    }
}

/// What parties other than the first take for work of their own, in nanoseconds.
#[derive(Default)]
pub(crate) struct Others(AtomicU64);

impl Others {
    /// What they took so far, in seconds.
    pub(crate) fn seconds(self) -> f64 {
        self.0.into_inner() as f64 * 1e-9
    }

    /// Does a party's own work.
    pub(crate) fn timed<T>(&self, party: usize, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        if party > 0 {
            self.0.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        }
        result
    }
}

/// Adds what some work takes, in seconds.
pub(crate) fn timed<T>(seconds: &mut f64, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *seconds += start.elapsed().as_secs_f64();
    result
}
