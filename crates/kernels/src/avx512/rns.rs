//! Sums of many products with one reduction.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_add_pd, _mm512_and_si512, _mm512_cvtepu64_pd, _mm512_cvttpd_epu64,
    _mm512_max_pd, _mm512_mul_epu32, _mm512_mul_pd, _mm512_set1_pd, _mm512_setzero_pd, _mm512_setzero_si512,
    _mm512_slli_epi64, _mm512_srli_epi64,
};

use super::slices::{fill, read};
use super::vector::{Factor, Prime, load, padded, splat};
use crate::Modulus;

/// Vectors summed side by side.
const STRIP: usize = 2;

/// Bits of a digit of the sums: words of at most 61 bits have two, and four products of two digits, or two of
/// one pair each and two of the other, leave a 64-bit word room for a carry.
const DIGIT: u32 = 31;

/// How many products are summed until carries are passed on.
const PRODUCTS_PER_CARRY: usize = 4;

/// How many products until the carry out of the upper digit.
const PRODUCTS_PER_UPPER_CARRY: usize = 8;

/// A word as its two digits.
#[derive(Clone, Copy)]
struct Digits {
    low: __m512i,
    high: __m512i,
}

impl Digits {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn of(word: __m512i) -> Self {
        Self { low: _mm512_and_si512(word, splat((1 << DIGIT) - 1)), high: _mm512_srli_epi64::<DIGIT>(word) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn splat(word: u64) -> Self {
        Self { low: splat(word & ((1 << DIGIT) - 1)), high: splat(word >> DIGIT) }
    }
}

/// low + 2^31·middle + 2^62·high + 2^93·top.
#[derive(Clone, Copy)]
struct Sum {
    low: __m512i,
    middle: __m512i,
    high: __m512i,
    top: __m512i,
}

/// What exceeds a digit of `from` goes on to `to`.
#[inline]
#[target_feature(enable = "avx512f")]
fn carry(from: &mut __m512i, to: &mut __m512i) {
    *to = _mm512_add_epi64(*to, _mm512_srli_epi64::<DIGIT>(*from));
    *from = _mm512_and_si512(*from, splat((1 << DIGIT) - 1));
}

impl Sum {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn zero() -> Self {
        let zero = _mm512_setzero_si512();
        Self { low: zero, middle: zero, high: zero, top: zero }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn add_product(&mut self, a: Digits, b: Digits) {
        self.low = _mm512_add_epi64(self.low, _mm512_mul_epu32(a.low, b.low));
        let cross = _mm512_add_epi64(_mm512_mul_epu32(a.low, b.high), _mm512_mul_epu32(a.high, b.low));
        self.middle = _mm512_add_epi64(self.middle, cross);
        self.high = _mm512_add_epi64(self.high, _mm512_mul_epu32(a.high, b.high));
    }

    /// Out: low, middle < 2^31.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn pass_carries(&mut self) {
        carry(&mut self.low, &mut self.middle);
        carry(&mut self.middle, &mut self.high);
    }
}

/// The reduction of a [`Sum`].
struct Fold {
    prime: Prime,
    /// 1, 2^62 mod q and 2^93 mod q.
    one: Factor,
    high: Factor,
    top: Factor,
}

impl Fold {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn new(q: &Modulus) -> Self {
        let power = |log2: u32| Factor::splat(q.shoup(q.reduce_u128(1 << log2)));
        Self { prime: Prime::new(q), one: power(0), high: power(62), top: power(93) }
    }

    /// The residue of a sum after [`Sum::pass_carries`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn reduce(&self, sum: &Sum, with_top: bool) -> __m512i {
        let prime = &self.prime;
        let low = _mm512_add_epi64(sum.low, _mm512_slli_epi64::<DIGIT>(sum.middle));
        let lazy = _mm512_add_epi64(prime.mul_lazy(low, self.one), prime.mul_lazy(sum.high, self.high));
        let reduced = prime.below_octuple(lazy);
        if with_top { prime.add(reduced, prime.mul(sum.top, self.top)) } else { reduced }
    }
}

/// Σ of products over any number of terms, given by their digits.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn sum_products<const W: usize, T>(
    terms: &[T],
    factors: impl Fn(&T) -> ([Digits; W], [Digits; W]),
    fold: &Fold,
) -> [__m512i; W] {
    let mut sums = [Sum::zero(); W];
    let with_top = terms.len() > PRODUCTS_PER_UPPER_CARRY;
    for group in terms.chunks(PRODUCTS_PER_UPPER_CARRY) {
        for group in group.chunks(PRODUCTS_PER_CARRY) {
            for term in group {
                let (a, b) = factors(term);
                for i in 0..W {
                    sums[i].add_product(a[i], b[i]);
                }
            }
            sums.iter_mut().for_each(|sum| sum.pass_carries());
        }
        if with_top {
            sums.iter_mut().for_each(|sum| carry(&mut sum.high, &mut sum.top));
        }
    }
    let mut residues = [_mm512_setzero_si512(); W];
    for (residue, sum) in residues.iter_mut().zip(&sums) {
        *residue = fold.reduce(sum, with_top);
    }
    residues
}

#[inline]
#[target_feature(enable = "avx512f")]
fn digits<const W: usize>(words: [__m512i; W]) -> [Digits; W] {
    let mut digits = [Digits::splat(0); W];
    for (digits, word) in digits.iter_mut().zip(words) {
        *digits = Digits::of(word);
    }
    digits
}

pub(crate) fn inner_product(out: &mut [u64], pairs: &[(&[u64], &[u64])], q: &Modulus) {
    #[target_feature(enable = "avx512f,avx512dq")]
    fn vectors(out: &mut [u64], pairs: &[(&[u64], &[u64])], q: &Modulus) {
        let fold = &Fold::new(q);
        fill::<STRIP>(
            out,
            // SAFETY (both): `fill` asks for vectors inside `out`, and all slices are as long.
            |start| {
                sum_products(
                    pairs,
                    |(a, b)| unsafe { (digits(read(a, start)), digits(read(b, start))) },
                    fold,
                )
            },
            |start| {
                sum_products(
                    pairs,
                    |(a, b)| unsafe { (digits(read(a, start)), digits(read(b, start))) },
                    fold,
                )
            },
            |start| {
                let last = |a: &[u64]| digits([load(&padded(&a[start..]))]);
                sum_products(pairs, |(a, b)| (last(a), last(b)), fold)
            },
        );
    }
    assert!(pairs.iter().all(|(a, b)| a.len() == out.len() && b.len() == out.len()));
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(out, pairs, q) }
}

pub(crate) fn weighted_sum(out: &mut [u64], inputs: &[&[u64]], weights: &[u64], q: &Modulus) {
    #[target_feature(enable = "avx512f,avx512dq")]
    fn vectors(out: &mut [u64], inputs: &[&[u64]], weights: &[u64], q: &Modulus) {
        let fold = &Fold::new(q);
        let terms: &Vec<(&[u64], u64)> = &inputs.iter().copied().zip(weights.iter().copied()).collect();
        fill::<STRIP>(
            out,
            // SAFETY (both): `fill` asks for vectors inside `out`, and all slices are as long.
            |start| {
                sum_products(
                    terms,
                    |(a, w)| (digits(unsafe { read(a, start) }), [Digits::splat(*w); STRIP]),
                    fold,
                )
            },
            |start| {
                sum_products(terms, |(a, w)| (digits(unsafe { read(a, start) }), [Digits::splat(*w)]), fold)
            },
            |start| {
                sum_products(
                    terms,
                    |(a, w)| (digits([load(&padded(&a[start..]))]), [Digits::splat(*w)]),
                    fold,
                )
            },
        );
    }
    assert!(inputs.len() == weights.len() && inputs.iter().all(|input| input.len() == out.len()));
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(out, inputs, weights, q) }
}

/// ⌊Σ aₖ·rₖ + ½⌋, rounded after every operation as in the portable code.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn sum_rounded<const W: usize>(
    inputs: &[&[u64]],
    reciprocals: &[f64],
    vector: impl Fn(&[u64]) -> [__m512i; W],
) -> [__m512i; W] {
    let mut sums = [_mm512_setzero_pd(); W];
    for (input, &reciprocal) in inputs.iter().zip(reciprocals) {
        let words = vector(input);
        for i in 0..W {
            let product = _mm512_mul_pd(_mm512_cvtepu64_pd(words[i]), _mm512_set1_pd(reciprocal));
            sums[i] = _mm512_add_pd(sums[i], product);
        }
    }
    let mut rounded = [_mm512_setzero_si512(); W];
    for i in 0..W {
        // A negative sum or none at all gives zero, as a cast in Rust does.
        let sum = _mm512_max_pd(_mm512_add_pd(sums[i], _mm512_set1_pd(0.5)), _mm512_setzero_pd());
        rounded[i] = _mm512_cvttpd_epu64(sum);
    }
    rounded
}

pub(crate) fn matrix_product(out: &mut [u64], inputs: &[&[u64]], weights: &[u64], q: &Modulus) {
    crate::matrix::by_rows(weighted_sum, out, inputs, weights, q);
}

pub(crate) fn rounded_sum(out: &mut [u64], inputs: &[&[u64]], reciprocals: &[f64]) {
    #[target_feature(enable = "avx512f,avx512dq")]
    fn vectors(out: &mut [u64], inputs: &[&[u64]], reciprocals: &[f64]) {
        fill::<STRIP>(
            out,
            // SAFETY (both): `fill` asks for vectors inside `out`, and all slices are as long.
            |start| sum_rounded(inputs, reciprocals, |input| unsafe { read(input, start) }),
            |start| sum_rounded(inputs, reciprocals, |input| unsafe { read(input, start) }),
            |start| sum_rounded(inputs, reciprocals, |input| [load(&padded(&input[start..]))]),
        );
    }
    assert!(inputs.len() == reciprocals.len() && inputs.iter().all(|input| input.len() == out.len()));
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(out, inputs, reciprocals) }
}
