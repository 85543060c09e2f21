//! Sums of many products with one reduction.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_setzero_si512,
    _mm512_srli_epi64,
};

use super::vector::{MAX_BITS, Prime, factor};
use crate::avx512::slices::{fill, read, read_last};
use crate::avx512::vector::{Factor, splat};
use crate::{Modulus, ShoupFactor};

/// The number of product halves, each below 2^52, that a word can sum up on top of a residue.
pub(super) const PRODUCTS_PER_REDUCTION: usize = 4095;

/// Vectors summed side by side, to hide the latency of the multiply-adds.
const STRIP: usize = 4;

/// The most terms that are ever summed lazily, at 46 bits and below.
const MAX_LAZY_TERMS: usize = 51;

/// The reduction of low + 2^52·high.
pub(super) struct Fold {
    prime: Prime,
    /// 2^52 mod q.
    radix: Factor,
    /// 2^104 mod q.
    radix_squared: Factor,
    /// Whether the high halves may exceed 52 bits.
    two_words: bool,
}

impl Fold {
    /// For sums of `terms` products of words of at most `a_bits` and `b_bits` bits.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn new(q: &Modulus, terms: usize, a_bits: u32, b_bits: u32) -> Self {
        let radix = q.reduce(1 << 52);
        Self {
            prime: Prime::new(q),
            radix: factor(q.shoup(radix)),
            radix_squared: factor(q.shoup(q.mul(radix, radix))),
            // Each high half is below 2^(a_bits+b_bits−52), and the low ones carry less than one such unit.
            two_words: terms.min(PRODUCTS_PER_REDUCTION) >= 1 << (104 - a_bits - b_bits).min(12),
        }
    }

    /// low + 2^52·high mod q. In: any low; high + 2^12 < 2^64. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn reduce(&self, low: __m512i, high: __m512i) -> __m512i {
        let prime = &self.prime;
        let high = _mm512_add_epi64(high, _mm512_srli_epi64::<52>(low));
        // Both quotients are subtracted at once; each is short by less than 2.
        let quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), low, prime.ratio);
        let quotient = _mm512_madd52hi_epu64(quotient, high, self.radix.quotient);
        let sum = _mm512_madd52lo_epu64(low, high, self.radix.value);
        let sum = _mm512_madd52lo_epu64(sum, quotient, prime.negated);
        let reduced = prime.below_quadruple(prime.masked(sum));
        if self.two_words {
            prime.add(reduced, prime.mul(_mm512_srli_epi64::<52>(high), self.radix_squared))
        } else {
            reduced
        }
    }
}

/// Σ of products over at most [`PRODUCTS_PER_REDUCTION`] terms, by halves, on top of the residues `sum`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn sum_halves<const W: usize, T>(
    sum: [__m512i; W],
    terms: &[T],
    factors: impl Fn(&T) -> ([__m512i; W], [__m512i; W]),
    fold: &Fold,
) -> [__m512i; W] {
    let mut low = sum;
    let mut high = [_mm512_setzero_si512(); W];
    for term in terms {
        let (a, b) = factors(term);
        for i in 0..W {
            low[i] = _mm512_madd52lo_epu64(low[i], a[i], b[i]);
            high[i] = _mm512_madd52hi_epu64(high[i], a[i], b[i]);
        }
    }
    for i in 0..W {
        low[i] = fold.reduce(low[i], high[i]);
    }
    low
}

/// [`sum_halves`] over any number of terms.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn sum_products<const W: usize, T>(
    terms: &[T],
    factors: impl Fn(&T) -> ([__m512i; W], [__m512i; W]),
    fold: &Fold,
) -> [__m512i; W] {
    let mut sum = [_mm512_setzero_si512(); W];
    for group in terms.chunks(PRODUCTS_PER_REDUCTION) {
        sum = sum_halves(sum, group, &factors, fold);
    }
    sum
}

pub(crate) fn inner_product(out: &mut [u64], pairs: &[(&[u64], &[u64])], q: &Modulus) {
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn vectors(out: &mut [u64], pairs: &[(&[u64], &[u64])], q: &Modulus) {
        let fold = &Fold::new(q, pairs.len(), q.bits(), q.bits());
        fill_with_sums!(out, |vectors| sum_products(pairs, |(a, b)| (vectors(a), vectors(b)), fold));
    }
    assert!(pairs.iter().all(|(a, b)| a.len() == out.len() && b.len() == out.len()));
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(out, pairs, q) }
}

/// How many products by prepared constants, of words of [`MAX_BITS`] bits, sum up to less than 2^52: each is
/// below q·(1 + 2^(MAX_BITS − 52)) = 5q/4.
fn lazy_terms(q: &Modulus) -> usize {
    ((1u64 << 54) / (5 * q.value())).min(MAX_LAZY_TERMS as u64) as usize
}

/// Σ of products by prepared constants, with one subtraction of the summed quotients. At most [`lazy_terms`].
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn sum_prepared<const W: usize>(
    inputs: &[&[u64]],
    weights: &[ShoupFactor],
    vectors: impl Fn(&[u64]) -> [__m512i; W],
    prime: &Prime,
) -> [__m512i; W] {
    let mut sum = [_mm512_setzero_si512(); W];
    let mut quotient = [_mm512_setzero_si512(); W];
    for (input, &weight) in inputs.iter().zip(weights) {
        let (a, weight) = (vectors(input), factor(weight));
        for i in 0..W {
            sum[i] = _mm512_madd52lo_epu64(sum[i], a[i], weight.value);
            quotient[i] = _mm512_madd52hi_epu64(quotient[i], a[i], weight.quotient);
        }
    }
    for i in 0..W {
        let lazy = _mm512_madd52lo_epu64(sum[i], quotient[i], prime.negated);
        sum[i] = prime.below_double(prime.masked(prime.corrected(lazy)));
    }
    sum
}

pub(crate) fn weighted_sum(out: &mut [u64], inputs: &[&[u64]], weights: &[ShoupFactor], q: &Modulus) {
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn few(out: &mut [u64], inputs: &[&[u64]], weights: &[ShoupFactor], q: &Modulus) {
        let prime = &Prime::new(q);
        fill_with_sums!(out, |vectors| sum_prepared(inputs, weights, vectors, prime));
    }

    #[target_feature(enable = "avx512f,avx512ifma")]
    fn many(out: &mut [u64], inputs: &[&[u64]], weights: &[ShoupFactor], q: &Modulus) {
        let fold = &Fold::new(q, inputs.len(), MAX_BITS, q.bits());
        let weights = weights.iter().map(|weight| weight.value);
        let terms: &Vec<(&[u64], u64)> = &inputs.iter().copied().zip(weights).collect();
        fill_with_sums!(out, |vectors| sum_products(terms, |(a, w)| (vectors(a), [splat(*w); _]), fold));
    }

    assert!(inputs.len() == weights.len() && inputs.iter().all(|input| input.len() == out.len()));
    if inputs.len() <= lazy_terms(q) {
        // SAFETY: the table of this back-end is handed out only after detection.
        unsafe { few(out, inputs, weights, q) }
    } else {
        // SAFETY: as above.
        unsafe { many(out, inputs, weights, q) }
    }
}
