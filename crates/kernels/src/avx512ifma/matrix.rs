//! Products of a matrix of constants with rows of words.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_setzero_si512,
};

use super::rns::{Fold, PRODUCTS_PER_REDUCTION};
use super::vector::MAX_BITS;
use crate::Modulus;
use crate::avx512::slices::padded;
use crate::avx512::vector::{LANES, load, splat, store};

/// Rows of the result summed side by side: each input is read once for all of them.
const ROWS: usize = 4;

/// Vectors of a row summed side by side: with [`ROWS`], enough to hide the latency of the multiply-adds, and few enough
/// that the strips of 255 inputs fit the first-level cache.
const STRIP: usize = 2;

/// The vectors of one strip, of one input or of one row of the result.
type Strip = [__m512i; STRIP];

pub(crate) fn matrix_product(out: &mut [u64], inputs: &[&[u64]], weights: &[u64], q: &Modulus) {
    let length = crate::matrix::check(out, inputs, weights);
    if length > 0 {
        // SAFETY: the table of this back-end is handed out only after detection.
        unsafe { product(out, inputs, weights, length, q) }
    }
}

/// The product strip by strip. The inputs' strips are gathered first: in the inputs themselves they often share cache
/// sets.
#[target_feature(enable = "avx512f,avx512ifma")]
fn product(out: &mut [u64], inputs: &[&[u64]], weights: &[u64], length: usize, q: &Modulus) {
    let fold = &Fold::new(q, inputs.len(), MAX_BITS, q.bits());
    let columns = inputs.len();
    let mut gathered = vec![[_mm512_setzero_si512(); STRIP]; columns];
    for start in (0..length).step_by(STRIP * LANES) {
        let end = length.min(start + STRIP * LANES);
        for (strip, input) in gathered.iter_mut().zip(inputs) {
            *strip = gather(&input[start..end]);
        }
        let mut rows = out.chunks_exact_mut(length).map(|row| &mut row[start..end]);
        let groups = weights.chunks_exact(ROWS * columns);
        let rest = groups.remainder();
        for group in groups {
            let weights = std::array::from_fn(|row| &group[row * columns..(row + 1) * columns]);
            let sums: [Strip; ROWS] = sum_rows(&gathered, weights, fold);
            rows.by_ref().zip(sums).take(ROWS).for_each(|(row, sum)| scatter(row, sum));
        }
        for weights in rest.chunks_exact(columns) {
            let [sum] = sum_rows(&gathered, [weights], fold);
            rows.by_ref().take(1).for_each(|row| scatter(row, sum));
        }
    }
}

/// The words of a strip; a ragged end is filled up with zeros.
#[inline]
#[target_feature(enable = "avx512f")]
fn gather(words: &[u64]) -> Strip {
    let mut strip = [_mm512_setzero_si512(); STRIP];
    let (whole, tail) = words.as_chunks::<LANES>();
    for (vector, words) in strip.iter_mut().zip(whole) {
        *vector = load(words);
    }
    if !tail.is_empty() {
        strip[whole.len()] = load(&padded(tail));
    }
    strip
}

#[inline]
#[target_feature(enable = "avx512f")]
fn scatter(out: &mut [u64], strip: Strip) {
    let (whole, tail) = out.as_chunks_mut::<LANES>();
    let vectors = whole.len();
    for (words, vector) in whole.iter_mut().zip(strip) {
        store(words, vector);
    }
    if !tail.is_empty() {
        let mut words = [0; LANES];
        store(&mut words, strip[vectors]);
        tail.copy_from_slice(&words[..tail.len()]);
    }
}

/// Σ weightₖ·inputₖ for R rows of weights.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn sum_rows<const R: usize>(inputs: &[Strip], weights: [&[u64]; R], fold: &Fold) -> [Strip; R] {
    let mut sums = [[_mm512_setzero_si512(); STRIP]; R];
    for start in (0..inputs.len()).step_by(PRODUCTS_PER_REDUCTION) {
        let end = inputs.len().min(start + PRODUCTS_PER_REDUCTION);
        sums = sum_few(sums, &inputs[start..end], weights.map(|weights| &weights[start..end]), fold);
    }
    sums
}

/// [`sum_rows`] of at most [`PRODUCTS_PER_REDUCTION`] inputs, on top of the residues `sums`. A function of its own, so
/// that its sums have all registers.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma")]
fn sum_few<const R: usize>(
    sums: [Strip; R],
    inputs: &[Strip],
    weights: [&[u64]; R],
    fold: &Fold,
) -> [Strip; R] {
    let mut low = [[_mm512_setzero_si512(); STRIP]; R];
    let mut high = [[_mm512_setzero_si512(); STRIP]; R];
    // Slices as long as the inputs, so that no index is checked in the loop.
    let weights = weights.map(|weights| &weights[..inputs.len()]);
    for (k, input) in inputs.iter().enumerate() {
        for r in 0..R {
            let weight = splat(weights[r][k]);
            for i in 0..STRIP {
                low[r][i] = _mm512_madd52lo_epu64(low[r][i], input[i], weight);
                high[r][i] = _mm512_madd52hi_epu64(high[r][i], input[i], weight);
            }
        }
    }
    for r in 0..R {
        for i in 0..STRIP {
            low[r][i] = fold.reduce(_mm512_add_epi64(low[r][i], sums[r][i]), high[r][i]);
        }
    }
    low
}
