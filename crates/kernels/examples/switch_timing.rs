//! Times the sums of a key switch with keys that don't fit the caches, packed and as plain words: milliseconds, and the
//! keys' bytes a second.

mod timing;

use std::{ops::Range, time::Instant};

use asanoha_kernels::{Backend, Modulus, PackedWords, Permutation, SwitchTerm, primes_congruent_to_one};
use timing::automorphism;

const N: usize = 1 << 15;
const DIGITS: usize = 3;
const LIMBS: usize = 15;
const BITS: u32 = 46;

/// A part of a half of a key.
fn packed<'a>(half: &'a [u64], range: &Range<usize>, bits: u32) -> PackedWords<'a> {
    PackedWords::new(&half[range.clone()], bits, N)
}

fn main() {
    let q = Modulus::new(primes_congruent_to_one(BITS, 2 * N as u64, 1, &[]).unwrap()[0]).unwrap();
    let words = |salt: u64| -> Vec<u64> {
        (0..N as u64).map(|i| (i + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) % q.value()).collect()
    };
    let digits: Vec<Vec<u64>> = (0..DIGITS as u64).map(words).collect();
    let digits: Vec<&[u64]> = digits.iter().map(Vec::as_slice).collect();
    for (rotations, bits) in [1, 7, 15].into_iter().flat_map(|rotations| [(rotations, BITS), (rotations, 64)])
    {
        let size = PackedWords::size(N, bits);
        // A key as it stands in memory: for each digit both halves, limb after limb.
        let keys: Vec<Vec<[Vec<u64>; 2]>> = (0..rotations)
            .map(|_| (0..DIGITS).map(|_| [vec![1; size * LIMBS], vec![2; size * LIMBS]]).collect())
            .collect();
        let permutations: Vec<Permutation> =
            (0..rotations).map(|r| automorphism(N, (0..=r).fold(1, |g, _| g * 5 % (2 * N)))).collect();
        for backend in Backend::available() {
            let mut out = [vec![0; N], vec![0; N]];
            let mut best = f64::INFINITY;
            for _ in 0..9 {
                let start = Instant::now();
                for limb in 0..LIMBS {
                    let range = limb * size..(limb + 1) * size;
                    let pairs: Vec<Vec<[PackedWords<'_>; 2]>> = keys
                        .iter()
                        .map(|key| {
                            key.iter()
                                .map(|[b, a]| [packed(b, &range, bits), packed(a, &range, bits)])
                                .collect()
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
                    (backend.kernels(BITS).switch_sum)([first, second], &terms, &q);
                }
                best = best.min(start.elapsed().as_secs_f64());
            }
            let bytes = (rotations * DIGITS * LIMBS * 2 * size * 8) as f64;
            println!(
                "{:10} {rotations:>2} rotations, {bits} bits: {:>8.3} ms, {:>5.1} GB/s",
                backend.name(),
                best * 1e3,
                bytes / best / 1e9
            );
        }
    }
}
