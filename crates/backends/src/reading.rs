//! What reading encrypted inputs costs.

use asanoha_kernels::Backend;
use asanoha_ring::{Basis, Seed, uniform_limb};
use web_time::Instant;

/// How many words are timed.
const TIMED_WORDS: usize = 1 << 12;
/// A prime of the width that most have, which is 1 modulo twice as many.
const PRIME: u64 = 70_368_743_669_761;

/// The words of inputs that the secret key encrypted, on their way into memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// Those that a file holds, which are digested and copied.
    pub held: u64,
    /// Those that seeds expand to.
    pub expanded: u64,
}

impl Reading {
    /// Bytes of a file, but for its header.
    pub fn bytes(self) -> u64 {
        self.held * size_of::<u64>() as u64
    }

    /// Seconds on this machine, measured for less than a millisecond on one thread.
    pub fn seconds(self, threads: usize) -> f64 {
        let basis = Basis::new(TIMED_WORDS, &[PRIME], Backend::Scalar).expect("the prime fits");
        let bytes: Vec<u8> =
            uniform_limb(&basis, 0, &Seed([0; 32])).iter().flat_map(|word| word.to_le_bytes()).collect();
        let best = |work: &dyn Fn()| {
            let time = || {
                let start = Instant::now();
                work();
                start.elapsed().as_secs_f64()
            };
            (0..5).map(|_| time()).fold(f64::INFINITY, f64::min) / TIMED_WORDS as f64
        };
        let expand = best(&|| drop(std::hint::black_box(uniform_limb(&basis, 0, &Seed([1; 32])))));
        let hold = best(&|| drop(std::hint::black_box((blake3::hash(&bytes), bytes.clone()))));
        (self.held as f64 * hold + self.expanded as f64 * expand) / threads as f64
    }
}
