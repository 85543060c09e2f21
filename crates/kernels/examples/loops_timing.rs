//! Nanoseconds per call of the loops beside the transforms, the best of many, for every back-end:
//! `cargo run --release --example loops_timing`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use asanoha_kernels::{Backend, Modulus, Permutation, evaluation_exponent, primes_congruent_to_one};

/// Digits as of TFHE's key switch.
const DIGIT_BITS: u32 = 3;
const LEVELS: u32 = 5;

/// Words that start at a cache line, as polynomials do.
struct Aligned<T> {
    words: Vec<T>,
    start: usize,
}

impl<T: Copy> Aligned<T> {
    fn new(length: usize, word: impl Fn(u64) -> T) -> Self {
        let mut words = vec![word(0); length + 8];
        let start = words.as_ptr().align_offset(64);
        words[start..start + length].iter_mut().zip(0..).for_each(|(slot, i)| *slot = word(i));
        Self { words, start }
    }

    fn words(&mut self) -> &mut [T] {
        let end = self.words.len() - 8 + self.start;
        &mut self.words[self.start..end]
    }
}

fn best(mut call: impl FnMut()) -> u128 {
    let end = Instant::now() + Duration::from_millis(150);
    let mut best = Duration::MAX;
    while Instant::now() < end {
        let start = Instant::now();
        call();
        best = best.min(start.elapsed());
    }
    best.as_nanos()
}

/// The automorphism X → X^5 in evaluation order.
fn automorphism(degree: usize) -> Vec<u32> {
    let mut index_of = vec![0; degree];
    (0..degree).for_each(|index| index_of[evaluation_exponent(degree, index) / 2] = index as u32);
    let source = |index| index_of[(5 * evaluation_exponent(degree, index)) % (2 * degree) / 2];
    (0..degree).map(source).collect()
}

fn main() {
    println!("ns; indexed and reduced: permutation and signed residues as plain loops over single words");
    println!("digits: {LEVELS} of {DIGIT_BITS} bits; digit: one of 23 bits");
    println!("backend     log2N  indexed  permute  reduced   signed   digits    digit    shift    round");
    for log2_degree in [10, 11, 12, 13, 14, 15, 16] {
        let degree = 1usize << log2_degree;
        let q = primes_congruent_to_one(48, 2 * degree as u64, 1, &[]).expect("such primes exist")[0];
        let q = Modulus::new(q).expect("in range");
        let source = automorphism(degree);
        let permutation = Permutation::new(&source).expect("an automorphism");
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
                "{:<12}{log2_degree:>5}{indexed:>9}{:>9}{reduced:>9}{:>9}{:>9}{:>9}{:>9}{:>9}",
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
