//! Residues of signed words.

use std::arch::x86_64::{
    __m256d, _mm256_add_pd, _mm256_blend_epi32, _mm256_castpd_si256, _mm256_castsi256_pd, _mm256_fmadd_pd,
    _mm256_set1_pd, _mm256_sub_pd, _mm256_xor_si256,
};

use super::slices::map;
use super::vector::{Vector, add, difference_of_products, non_negative, shift_right, splat};
use crate::{Modulus, scalar};

/// The sum of this and an integer of magnitude below 2^51 has that integer in its lower bits.
const SIGNED_SHIFT: f64 = (3u64 << 51) as f64;
/// Exponents of 2^52 and 2^84, under which the lower and the upper half of a word are the last bits.
const LOWER_EXPONENT: u64 = 0x433 << 52;
const UPPER_EXPONENT: u64 = 0x453 << 52;
/// The sign bit of the upper half.
const UPPER_SIGN: u64 = 1 << 31;

/// The nearest doubles of signed words.
#[inline]
#[target_feature(enable = "avx2")]
fn from_signed_words(words: Vector) -> __m256d {
    // 2^52 + lower half, and 2^84 + 2^32·(upper half + 2^31), the upper half as a signed number.
    let lower = _mm256_blend_epi32::<0b1010_1010>(words, splat(LOWER_EXPONENT));
    let upper = _mm256_xor_si256(shift_right::<32>(words), splat(UPPER_EXPONENT | UPPER_SIGN));
    // 2^84 + 2^63 + 2^52: exact, and so is the difference; the last sum rounds.
    let excess = _mm256_set1_pd(f64::from_bits(UPPER_EXPONENT | UPPER_SIGN | 1 << 20));
    _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(upper), excess), _mm256_castsi256_pd(lower))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn residue(q: &Modulus) -> impl Fn(Vector) -> Vector {
    let (value, inverse) = (splat(q.value()), _mm256_set1_pd(1.0 / q.value() as f64));
    let shift = _mm256_set1_pd(SIGNED_SHIFT);
    // The quotients come with the bits of the shift, which are taken off again with their product.
    let excess = splat(SIGNED_SHIFT.to_bits().wrapping_mul(q.value()));
    move |word| {
        // Two roundings of 2^−53 each put the quotient off by less than 0.26, the rounding to an integer by another
        // half: the remainder is in (−q, q).
        let quotient = _mm256_castpd_si256(_mm256_fmadd_pd(from_signed_words(word), inverse, shift));
        let product = difference_of_products(word, splat(1), quotient, value);
        non_negative(add(product, excess), value)
    }
}

signed_loops!(#[target_feature(enable = "avx2,fma")]);
