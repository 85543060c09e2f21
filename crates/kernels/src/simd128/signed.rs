//! Residues of signed words.

use std::arch::wasm32::{f64x2_add, f64x2_mul, f64x2_splat, f64x2_sub, i64x2_mul, v128_or, v128_xor};

use super::float::SHIFT;
use super::slices::map;
use super::vector::{Vector, add, and, non_negative, shift_right, splat, sub};
use crate::{Modulus, scalar};

/// Exponents of 2^52 and 2^84, under which the lower and the upper half of a word are the last bits.
const LOWER_EXPONENT: u64 = 0x433 << 52;
const UPPER_EXPONENT: u64 = 0x453 << 52;
/// The sign bit of the upper half.
const UPPER_SIGN: u64 = 1 << 31;

/// The nearest doubles of signed words.
#[inline]
fn from_signed_words(words: Vector) -> Vector {
    // 2^52 + lower half, and 2^84 + 2^32·(upper half + 2^31), the upper half as a signed number.
    let lower = v128_or(and(words, splat(0xffff_ffff)), splat(LOWER_EXPONENT));
    let upper = v128_xor(shift_right::<32>(words), splat(UPPER_EXPONENT | UPPER_SIGN));
    // 2^84 + 2^63 + 2^52: exact, and so is the difference; the last sum rounds.
    let excess = f64x2_splat(f64::from_bits(UPPER_EXPONENT | UPPER_SIGN | 1 << 20));
    f64x2_add(f64x2_sub(upper, excess), lower)
}

#[inline]
fn residue(q: &Modulus) -> impl Fn(Vector) -> Vector {
    let (value, inverse) = (splat(q.value()), f64x2_splat(1.0 / q.value() as f64));
    let shift = f64x2_splat(SHIFT);
    // The quotients come with the bits of the shift, which are taken off again with their product.
    let excess = splat(SHIFT.to_bits().wrapping_mul(q.value()));
    move |word| {
        // Three roundings of 2^−53 each put the quotient, below 2^50, off by less than 0.38, the rounding to an integer by
        // another half: the remainder is in (−q, q).
        let quotient = f64x2_add(f64x2_mul(from_signed_words(word), inverse), shift);
        non_negative(sub(add(word, excess), i64x2_mul(quotient, value)), value)
    }
}

signed_loops!(#[target_feature(enable = "simd128")]);
