//! Times the sums of a key switch with keys that don't fit the caches: milliseconds, and the keys' bytes a second.

mod timing;

use std::time::Instant;

use asanoha_kernels::{Backend, Modulus, Permutation, SwitchTerm, primes_congruent_to_one};
use timing::automorphism;

const N: usize = 1 << 15;
const DIGITS: usize = 3;
const LIMBS: usize = 15;

fn main() {
    let q = Modulus::new(primes_congruent_to_one(46, 2 * N as u64, 1, &[]).unwrap()[0]).unwrap();
    let words = |salt: u64| -> Vec<u64> {
        (0..N as u64).map(|i| (i + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) % q.value()).collect()
    };
    let digits: Vec<Vec<u64>> = (0..DIGITS as u64).map(words).collect();
    let digits: Vec<&[u64]> = digits.iter().map(Vec::as_slice).collect();
    for rotations in [1, 7, 15] {
        // A key as it stands in memory: for each digit both halves, limb after limb.
        let keys: Vec<Vec<[Vec<u64>; 2]>> = (0..rotations)
            .map(|_| (0..DIGITS).map(|_| [vec![1; N * LIMBS], vec![2; N * LIMBS]]).collect())
            .collect();
        let permutations: Vec<Permutation> =
            (0..rotations).map(|r| automorphism(N, (0..=r).fold(1, |g, _| g * 5 % (2 * N)))).collect();
        for backend in Backend::available() {
            let mut out = [vec![0; N], vec![0; N]];
            let mut best = f64::INFINITY;
            for _ in 0..9 {
                let start = Instant::now();
                for limb in 0..LIMBS {
                    let range = limb * N..(limb + 1) * N;
                    let pairs: Vec<Vec<[&[u64]; 2]>> = keys
                        .iter()
                        .map(|key| {
                            key.iter().map(|pair| pair.each_ref().map(|half| &half[range.clone()])).collect()
                        })
                        .collect();
                    let terms: Vec<SwitchTerm<'_>> = pairs
                        .iter()
                        .zip(&permutations)
                        .map(|(keys, permutation)| SwitchTerm {
                            permutation: Some(permutation),
                            addends: [None; 2],
                            digits: &digits,
                            keys,
                        })
                        .collect();
                    let [first, second] = &mut out;
                    (backend.kernels(46).switch_sum)([first, second], &terms, &q);
                }
                best = best.min(start.elapsed().as_secs_f64());
            }
            let bytes = (rotations * DIGITS * LIMBS * 2 * N * 8) as f64;
            println!(
                "{:10} {rotations:>2} rotations: {:>8.3} ms, {:>5.1} GB/s",
                backend.name(),
                best * 1e3,
                bytes / best / 1e9
            );
        }
    }
}
