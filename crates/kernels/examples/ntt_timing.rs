//! Nanoseconds per kernel call, the best of many, for every back-end: `cargo run --release --example ntt_timing`.
//!
//! Arguments: prime widths (default 50 49 48 46).

mod timing;

use std::hint::black_box;

use asanoha_kernels::{Backend, Modulus, NttTable, primes_congruent_to_one};
use timing::{Aligned, best};

/// Terms of the inner product.
const TERMS: usize = 8;

fn main() {
    let asked: Vec<u32> = std::env::args().skip(1).map(|width| width.parse().expect("a width")).collect();
    let widths = if asked.is_empty() { vec![50, 49, 48, 46] } else { asked };
    println!("ns; inner: inner product of {TERMS} terms; sum: weighted sum of {TERMS} terms");
    println!("backend     bits log2N  forward  inverse      mul      fma    scale    inner      sum");
    for bits in widths {
        for log2_degree in 12..=16 {
            let degree = 1usize << log2_degree;
            let q = primes_congruent_to_one(bits, 2 * degree as u64, 1, &[]).expect("such primes exist")[0];
            let q = Modulus::new(q).expect("in range");
            let table = NttTable::new(q, degree).expect("a suitable prime");
            let random = |k: u64| {
                Aligned::new(degree, move |i| q.reduce((i + k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
            };
            let (mut a, mut b, mut c) = (random(1), random(2), random(3));
            let mut rows: Vec<Aligned<u64>> = (0..2 * TERMS as u64).map(|k| random(k + 10)).collect();
            let rows: Vec<&[u64]> = rows.iter_mut().map(|row| &*row.words()).collect();
            let pairs: Vec<(&[u64], &[u64])> = rows.chunks(2).map(|pair| (pair[0], pair[1])).collect();
            let weights: Vec<_> = (1..=TERMS as u64).map(|k| q.shoup(q.value() - k)).collect();
            let w = q.shoup(q.value() - 5);
            for backend in Backend::available() {
                let kernels = backend.kernels(bits);
                let (a, b, c) = (a.words(), b.words(), c.words());
                println!(
                    "{:<12}{bits:>4}{log2_degree:>6}{:>9.0}{:>9.0}{:>9.0}{:>9.0}{:>9.0}{:>9.0}{:>9.0}",
                    kernels.name,
                    best(|| (kernels.ntt_forward)(black_box(a), &table)),
                    best(|| (kernels.ntt_inverse)(black_box(a), &table)),
                    best(|| (kernels.mul_assign)(black_box(a), black_box(b), &q)),
                    best(|| (kernels.fma_assign)(black_box(c), black_box(a), black_box(b), &q)),
                    best(|| (kernels.mul_scalar_assign)(black_box(a), w, &q)),
                    best(|| (kernels.inner_product)(black_box(c), black_box(&pairs), &q)),
                    best(|| (kernels.weighted_sum)(black_box(c), black_box(&rows[..TERMS]), &weights, &q)),
                );
            }
        }
    }
}
