//! Neighbouring primes that are worked on together: what all of them read comes from memory once for a group.

use std::sync::Arc;

use rayon::prelude::*;

use super::{
    basis::{Basis, Limb},
    work::Work,
};

/// The most primes of a group. What is written for them stays in the second-level cache until it's read.
const GROUP: usize = 6;

/// How many of a number of primes are in a group: all threads get equally many groups.
pub(super) fn group_size(primes: usize, parallel: bool) -> usize {
    let threads = if parallel { rayon::current_num_threads() } else { 1 };
    primes.div_ceil(primes.div_ceil(GROUP).next_multiple_of(threads))
}

/// Calls `f(first position, limbs, words)` for every group of a basis's primes, in parallel if that's worth it. There are N
/// words for each prime.
pub(super) fn for_each_group(
    basis: &Basis,
    words: &mut [u64],
    f: impl Fn(usize, &[Arc<Limb>], &mut [u64]) + Send + Sync,
) {
    let (n, limbs) = (basis.ring_degree(), basis.limbs());
    assert_eq!(words.len(), n * limbs.len());
    let parallel = Work::Transform.is_worth_threads(words.len());
    let size = group_size(limbs.len(), parallel);
    let run = |(group, (words, limbs)): (usize, (&mut [u64], &[Arc<Limb>]))| f(group * size, limbs, words);
    if parallel {
        words.par_chunks_mut(size * n).zip(limbs.par_chunks(size)).enumerate().for_each(run);
    } else {
        words.chunks_mut(size * n).zip(limbs.chunks(size)).enumerate().for_each(run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_small_and_shared_evenly() {
        for threads in 1..=4 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for primes in 1..100 {
                let size = pool.install(|| group_size(primes, true));
                assert!((1..=GROUP).contains(&size));
                let groups = primes.div_ceil(size);
                // No thread has a group more than another one, unless there are too few primes.
                assert!(
                    groups.div_ceil(threads) * threads * size < primes + threads * size,
                    "{primes} on {threads}"
                );
                assert_eq!(group_size(primes, false), primes.div_ceil(primes.div_ceil(GROUP)));
            }
        }
    }
}
