//! Torus words: digits and rounding.

use std::arch::x86_64::{
    _CMP_LT_OQ, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT, _mm_cvtsi64_si128, _mm256_add_epi64,
    _mm256_add_pd, _mm256_and_si256, _mm256_blendv_pd, _mm256_castpd_si256, _mm256_castsi256_pd,
    _mm256_cmp_pd, _mm256_fnmadd_pd, _mm256_mul_pd, _mm256_round_pd, _mm256_set1_pd, _mm256_slli_epi64,
    _mm256_srl_epi64, _mm256_sub_epi64, _mm256_sub_pd,
};

use super::slices::map;
use super::vector::splat;
use crate::gadget::{Digits, half_unit};

/// 2^64, 2^63 and 2^32.
const TORUS: f64 = (1u128 << 64) as f64;
const HALF_TORUS: f64 = (1u64 << 63) as f64;
const UPPER: f64 = (1u64 << 32) as f64;
/// The lower bits of its sum with a number of either sign below 2^51 are that number, rounded.
const SIGNED_SHIFT: f64 = (3u64 << 51) as f64;

pub(crate) fn decompose(out: &mut [i64], input: &[u64], digit_bits: u32, levels: u32) {
    #[target_feature(enable = "avx2")]
    fn vectors(out: &mut [i64], input: &[u64], digits: &Digits, shift: u32) {
        let (offset, mask, half) = (splat(digits.offset), splat(digits.mask), splat(digits.half));
        let shift = _mm_cvtsi64_si128(i64::from(shift));
        map(out, input, |word| {
            let fields = _mm256_srl_epi64(_mm256_add_epi64(word, offset), shift);
            _mm256_sub_epi64(_mm256_and_si256(fields, mask), half)
        });
    }
    let digits = Digits::new(digit_bits, levels);
    for (level, out) in Digits::rows(out, input.len(), levels) {
        // SAFETY: the table of this back-end is handed out only after detection.
        unsafe { vectors(out, input, &digits, digits.shift(level)) }
    }
}

pub(crate) fn round_shift(out: &mut [u64], input: &[u64], shift: u32) {
    #[target_feature(enable = "avx2")]
    fn vectors(out: &mut [u64], input: &[u64], half: u64, shift: u32) {
        let (half, shift) = (splat(half), _mm_cvtsi64_si128(i64::from(shift)));
        map(out, input, |word| _mm256_srl_epi64(_mm256_add_epi64(word, half), shift));
    }
    assert_eq!(out.len(), input.len());
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(out, input, half_unit(shift), shift) }
}

pub(crate) fn round_to_torus(out: &mut [u64], input: &[f64]) {
    #[target_feature(enable = "avx2,fma")]
    fn vectors(out: &mut [u64], input: &[f64]) {
        let (torus, inverse) = (_mm256_set1_pd(TORUS), _mm256_set1_pd(1.0 / TORUS));
        let (upper_unit, upper_inverse) = (_mm256_set1_pd(UPPER), _mm256_set1_pd(1.0 / UPPER));
        let (shift, half_torus) = (_mm256_set1_pd(SIGNED_SHIFT), _mm256_set1_pd(HALF_TORUS));
        // The bits of the shift as they stand in the sum of the two halves.
        let bits = SIGNED_SHIFT.to_bits();
        let (excess, outside) = (splat(bits.wrapping_add(bits << 32)), splat(HALF_TORUS as u64));
        map(out, input, |bits| {
            let value = _mm256_castsi256_pd(bits);
            let turns = _mm256_round_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(_mm256_mul_pd(
                value, inverse,
            ));
            // Exact, in [−2^63, 2^63].
            let rest = _mm256_fnmadd_pd(turns, torus, value);
            // The upper half rounded, and what it leaves, in [−2^31, 2^31], rounded too: all but that exact.
            let upper = _mm256_add_pd(_mm256_mul_pd(rest, upper_inverse), shift);
            let lower = _mm256_fnmadd_pd(_mm256_sub_pd(upper, shift), upper_unit, rest);
            let lower = _mm256_castpd_si256(_mm256_add_pd(lower, shift));
            let sum = _mm256_add_epi64(_mm256_slli_epi64::<32>(_mm256_castpd_si256(upper)), lower);
            let word = _mm256_sub_epi64(sum, excess);
            let inside = _mm256_cmp_pd::<_CMP_LT_OQ>(rest, half_torus);
            _mm256_castpd_si256(_mm256_blendv_pd(
                _mm256_castsi256_pd(outside),
                _mm256_castsi256_pd(word),
                inside,
            ))
        });
    }
    assert_eq!(out.len(), input.len());
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(out, input) }
}
