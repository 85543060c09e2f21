//! Sums of many products with one reduction.

use std::arch::x86_64::{
    __m256d, _mm256_add_pd as add_floats, _mm256_blend_epi32, _mm256_castpd_si256,
    _mm256_castpd_si256 as bits, _mm256_castsi256_pd, _mm256_floor_pd, _mm256_max_pd as max_floats,
    _mm256_mul_pd as mul_floats, _mm256_or_si256, _mm256_set1_pd as splat_float,
    _mm256_setzero_pd as zero_float, _mm256_sub_pd, _mm256_sub_pd as sub_floats, _mm256_xor_si256,
};

use super::slices::{fill, read, read_last};
use super::vector::{
    Factor, LANES, Prime, ShiftCount, Vector, add, and, load, mul_halves, shift_left, shift_right, splat,
    store, zero,
};
use crate::Modulus;

/// Vectors summed side by side.
const STRIP: usize = 2;

/// Words to double precision, rounded as a cast in Rust does.
#[inline]
#[target_feature(enable = "avx2")]
fn to_floats(words: Vector) -> __m256d {
    // Halves below the leading bits of 2^84 and of 2^52: both differences are exact, so the sum rounds once.
    let upper = _mm256_or_si256(shift_right::<32>(words), _mm256_castpd_si256(splat_float(UPPER)));
    let lower = _mm256_blend_epi32::<0b1010_1010>(words, _mm256_castpd_si256(splat_float(LOWER)));
    let upper = _mm256_sub_pd(_mm256_castsi256_pd(upper), splat_float(UPPER + LOWER));
    add_floats(upper, _mm256_castsi256_pd(lower))
}

/// 2^84.
const UPPER: f64 = (1u128 << 84) as f64;
/// 2^52.
const LOWER: f64 = (1u64 << 52) as f64;

/// The floors of numbers as words. In: 0 ≤ number < 2^52.
#[inline]
#[target_feature(enable = "avx2")]
fn floors(floats: __m256d) -> Vector {
    // The floors are the lower bits of their sums with 2^52.
    let lower = splat_float(LOWER);
    let bits = _mm256_castpd_si256(add_floats(_mm256_floor_pd(floats), lower));
    _mm256_xor_si256(bits, _mm256_castpd_si256(lower))
}

digit_sums!(#[target_feature(enable = "avx2")]);
rounded_sums!(#[target_feature(enable = "avx2")]);
