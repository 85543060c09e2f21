//! Torus words: digits and rounding.

use std::arch::x86_64::{
    _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT, _mm_cvtsi64_si128, _mm512_add_epi64, _mm512_and_si512,
    _mm512_castsi512_pd, _mm512_cvtpd_epi64, _mm512_fnmadd_pd, _mm512_mul_pd, _mm512_roundscale_pd,
    _mm512_set1_pd, _mm512_srl_epi64, _mm512_sub_epi64,
};

use super::slices::map;
use super::vector::splat;
use crate::gadget::{Digits, half_unit};

/// 2^64.
const TORUS: f64 = (1u128 << 64) as f64;

pub(crate) fn decompose(out: &mut [i64], input: &[u64], digit_bits: u32, levels: u32) {
    #[target_feature(enable = "avx512f")]
    fn vectors(out: &mut [i64], input: &[u64], digits: &Digits, shift: u32) {
        let (offset, mask, half) = (splat(digits.offset), splat(digits.mask), splat(digits.half));
        let shift = _mm_cvtsi64_si128(i64::from(shift));
        map(out, input, |word| {
            let fields = _mm512_srl_epi64(_mm512_add_epi64(word, offset), shift);
            _mm512_sub_epi64(_mm512_and_si512(fields, mask), half)
        });
    }
    let digits = Digits::new(digit_bits, levels);
    for (level, out) in Digits::rows(out, input.len(), levels) {
        // SAFETY: the table of this back-end is handed out only after detection.
        unsafe { vectors(out, input, &digits, digits.shift(level)) }
    }
}

pub(crate) fn round_shift(out: &mut [u64], input: &[u64], shift: u32) {
    #[target_feature(enable = "avx512f")]
    fn vectors(out: &mut [u64], input: &[u64], half: u64, shift: u32) {
        let (half, shift) = (splat(half), _mm_cvtsi64_si128(i64::from(shift)));
        map(out, input, |word| _mm512_srl_epi64(_mm512_add_epi64(word, half), shift));
    }
    assert_eq!(out.len(), input.len());
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(out, input, half_unit(shift), shift) }
}

pub(crate) fn round_to_torus(out: &mut [u64], input: &[f64]) {
    #[target_feature(enable = "avx512f,avx512dq")]
    fn vectors(out: &mut [u64], input: &[f64]) {
        let (torus, inverse) = (_mm512_set1_pd(TORUS), _mm512_set1_pd(1.0 / TORUS));
        map(out, input, |bits| {
            let value = _mm512_castsi512_pd(bits);
            let turns = _mm512_roundscale_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(
                _mm512_mul_pd(value, inverse),
            );
            // Exact, in [−2^63, 2^63]. What the conversion gives for 2^63 and for what isn't a number is the word
            // 2^63, as it should be.
            _mm512_cvtpd_epi64(_mm512_fnmadd_pd(turns, torus, value))
        });
    }
    assert_eq!(out.len(), input.len());
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(out, input) }
}
