//! Loops over the limbs of a polynomial's words.

use rayon::prelude::*;

use super::basis::{Basis, Limb};

/// How much an operation does for each word. It decides from how many words on other threads are woken, which takes
/// tens of microseconds.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    /// A few multiplications a word.
    Pass,
    /// An NTT, or as much work.
    Transform,
}

impl Work {
    /// Whether `words` words are enough for several threads.
    pub(super) fn is_worth_threads(self, words: usize) -> bool {
        match self {
            Self::Pass => words >= 1 << 20,
            Self::Transform => words >= 1 << 17,
        }
    }
}

/// Calls `f(position, limb, residues)` for every prime of a basis, in parallel if that's worth it.
pub(super) fn for_each_limb(
    basis: &Basis,
    words: &mut [u64],
    work: Work,
    f: impl Fn(usize, &Limb, &mut [u64]) + Send + Sync,
) {
    let n = basis.ring_degree();
    let limbs = basis.limbs();
    if work.is_worth_threads(words.len()) {
        words.par_chunks_mut(n).zip(limbs).enumerate().for_each(|(i, (words, limb))| f(i, limb, words));
    } else {
        words.chunks_mut(n).zip(limbs).enumerate().for_each(|(i, (words, limb))| f(i, limb, words));
    }
}
