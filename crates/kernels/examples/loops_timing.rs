//! Nanoseconds per call of the loops beside the transforms, the best of many, for every back-end:
//! `cargo run --release --example loops_timing`.

mod timing;

use std::hint::black_box;

use asanoha_kernels::{Backend, Modulus, primes_congruent_to_one};
use timing::{Aligned, automorphism, best, source};

/// Digits as of TFHE's key switch.
const DIGIT_BITS: u32 = 3;
const LEVELS: u32 = 5;

fn main() {
    println!("ns; indexed and reduced: permutation and signed residues as plain loops over single words");
    println!("digits: {LEVELS} of {DIGIT_BITS} bits; digit: one of 23 bits");
    println!("backend     log2N  indexed  permute  reduced   signed   digits    digit    shift    round");
    for log2_degree in [10, 11, 12, 13, 14, 15, 16] {
        let degree = 1usize << log2_degree;
        let q = primes_congruent_to_one(48, 2 * degree as u64, 1, &[]).expect("such primes exist")[0];
        let q = Modulus::new(q).expect("in range");
        let source = source(degree, 5);
        let permutation = automorphism(degree, 5);
        let word = |i: u64| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut words = Aligned::new(degree, word);
        let mut signed = Aligned::new(degree, |i| (word(i) % 43) as i64 - 21);
        let mut reals = Aligned::new(degree, |i| word(i).cast_signed() as f64 * 1e4);
        let (mut out, mut digits) =
            (Aligned::new(degree, |_| 0u64), Aligned::new(degree * LEVELS as usize, |_| 0i64));
        let (words, signed, reals) = (&*words.words(), &*signed.words(), &*reals.words());
        let (out, digits) = (out.words(), digits.words());
        let indexed = best(|| {
            let (out, input) = (black_box(&mut *out), black_box(words));
            out.iter_mut().zip(&source).for_each(|(out, &source)| *out = input[source as usize]);
        });
        let reduced = best(|| {
            let (out, input) = (black_box(&mut *out), black_box(signed));
            out.iter_mut().zip(input).for_each(|(out, &word)| *out = q.reduce_i64(word));
        });
        for backend in Backend::available() {
            let kernels = backend.kernels(48);
            println!(
                "{:<12}{log2_degree:>5}{indexed:>9.0}{:>9.0}{reduced:>9.0}{:>9.0}{:>9.0}{:>9.0}{:>9.0}{:>9.0}",
                kernels.name,
                best(|| (kernels.permute)(black_box(out), black_box(words), &permutation)),
                best(|| (kernels.from_signed)(black_box(out), black_box(signed), &q)),
                best(|| (kernels.decompose)(black_box(digits), black_box(words), DIGIT_BITS, LEVELS)),
                best(|| (kernels.decompose)(black_box(&mut digits[..degree]), black_box(words), 23, 1)),
                best(|| (kernels.round_shift)(black_box(out), black_box(words), 52)),
                best(|| (kernels.round_to_torus)(black_box(out), black_box(reals))),
            );
        }
    }
}
