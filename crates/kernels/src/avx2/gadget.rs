//! Torus words: digits and rounding.

use std::arch::x86_64::{
    _CMP_LT_OQ, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT, _mm256_add_pd, _mm256_blendv_pd,
    _mm256_castpd_si256, _mm256_castsi256_pd, _mm256_cmp_pd, _mm256_fnmadd_pd, _mm256_mul_pd,
    _mm256_round_pd, _mm256_set1_pd, _mm256_sub_pd,
};

use super::fft::fetch;
use super::slices::map;
use super::vector::{Vector, add, and, shift_count, shift_left, shift_right_by, splat, sub};
use crate::gadget::{Digits, half_unit};

/// 2^64, 2^63 and 2^32.
const TORUS: f64 = (1u128 << 64) as f64;
const HALF_TORUS: f64 = (1u64 << 63) as f64;
const UPPER: f64 = (1u64 << 32) as f64;
/// The sum of this and a number of magnitude below 2^51 has that number, rounded to an integer, in its lower bits.
const SIGNED_SHIFT: f64 = (3u64 << 51) as f64;

#[inline]
#[target_feature(enable = "avx2,fma")]
fn torus_word() -> impl Fn(Vector) -> Vector {
    let (torus, inverse) = (_mm256_set1_pd(TORUS), _mm256_set1_pd(1.0 / TORUS));
    let (upper_unit, upper_inverse) = (_mm256_set1_pd(UPPER), _mm256_set1_pd(1.0 / UPPER));
    let (shift, half_torus) = (_mm256_set1_pd(SIGNED_SHIFT), _mm256_set1_pd(HALF_TORUS));
    // The bits that the shift adds to the sum of the two halves.
    let bits = SIGNED_SHIFT.to_bits();
    let (excess, outside) = (splat(bits.wrapping_add(bits << 32)), splat(HALF_TORUS as u64));
    move |bits| {
        let value = _mm256_castsi256_pd(bits);
        let turns = _mm256_round_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(_mm256_mul_pd(
            value, inverse,
        ));
        // Exact, in [−2^63, 2^63].
        let rest = _mm256_fnmadd_pd(turns, torus, value);
        // The upper half is rounded, and then the rest, in [−2^31, 2^31]; all other steps are exact.
        let upper = _mm256_add_pd(_mm256_mul_pd(rest, upper_inverse), shift);
        let lower = _mm256_fnmadd_pd(_mm256_sub_pd(upper, shift), upper_unit, rest);
        let lower = _mm256_castpd_si256(_mm256_add_pd(lower, shift));
        let word = sub(add(shift_left::<32>(_mm256_castpd_si256(upper)), lower), excess);
        let inside = _mm256_cmp_pd::<_CMP_LT_OQ>(rest, half_torus);
        let pick = _mm256_blendv_pd(_mm256_castsi256_pd(outside), _mm256_castsi256_pd(word), inside);
        _mm256_castpd_si256(pick)
    }
}

torus_loops!(#[target_feature(enable = "avx2,fma")]);

multiples_loops!(#[target_feature(enable = "avx2,fma")]);
