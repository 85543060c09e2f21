//! What reading encrypted inputs costs.

use std::time::Instant;

use asanoha_compile::{Circuit, Layout};
use asanoha_kernels::Backend;
use asanoha_ring::{Basis, Seed, uniform_limb};

use crate::params::SchemeParams;

/// How many words are timed.
const TIMED_WORDS: usize = 1 << 12;
/// A prime of the width that most have, which is 1 modulo twice as many.
const PRIME: u64 = 70_368_743_669_761;

/// The words of inputs that the secret key encrypted, on their way into memory.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Those that a file holds, which are digested and copied.
    held: u64,
    /// Those that seeds expand to.
    expanded: u64,
}

impl Reading {
    /// Of a schedule's inputs.
    pub fn of(circuit: &Circuit, params: &SchemeParams, rows: usize) -> Self {
        let layout = Layout::new(rows, params.slots());
        let steps = circuit.input_steps().into_iter().map(|at| &circuit.steps[at]);
        let seed = Seed::WORDS as u64;
        let mut reading = Self { held: 0, expanded: 0 };
        for step in steps {
            match params {
                SchemeParams::Tfhe(params) => {
                    let digits = rows as u64 * step.width.map_or(0, |width| width.blocks);
                    reading.held += digits * (seed + 1);
                    reading.expanded += digits * (params.ciphertext_words() as u64 - 1);
                }
                params => {
                    let chunks = layout.chunks() as u64;
                    let half = ((step.level.0 + 1) * params.ring_degree()) as u64;
                    reading.held += chunks * (half + seed);
                    reading.expanded += chunks * half;
                }
            }
        }
        reading
    }

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
