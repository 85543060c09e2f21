//! Coefficients as doubles.

use std::arch::wasm32::{f64x2_add, f64x2_mul, f64x2_splat, f64x2_sub, i64x2_gt, i64x2_mul};

use super::float::{SHIFT, to_floats as from_words};
use super::vector::{LANES, Vector, Words, add, and, load, shift_left, splat, store, sub};
use crate::{roots::simd128::MAX_FLOAT_BITS, slots};

/// Bits of the lower part of a number, whose upper part is below 2^50.
const LOWER: u32 = 49;

/// low + q₀·digit, centred modulo q₀·q₁: an upper and a lower part that doubles hold exactly, and one rounding of their sum.
#[inline]
fn number([q0, q1]: [u64; 2]) -> impl Fn(Vector, Vector) -> Vector {
    let (half0, half1) = (splat((q0 - 1) / 2), splat((q1 - 1) / 2));
    let (radix, modulus) = (splat(q0), splat(q1));
    let unit = (1u64 << LOWER) as f64;
    let (unit, shift, units) = (f64x2_splat(unit), f64x2_splat(SHIFT), f64x2_splat(q0 as f64 / unit));
    move |low, digit| {
        // Above half the product: a larger digit, or the same one with a larger low part. A comparison that holds gives −1.
        let wraps = i64x2_gt(sub(digit, i64x2_gt(low, half0)), half1);
        let digit = sub(digit, and(wraps, modulus));
        // The product is below 2^99, so the upper part is off by less than ½ + ⅛. The bits of the shift are shifted out.
        let upper = f64x2_add(f64x2_mul(units, from_words(digit)), shift);
        let lower = sub(add(i64x2_mul(radix, digit), low), shift_left::<LOWER>(upper));
        f64x2_add(f64x2_mul(f64x2_sub(upper, shift), unit), from_words(lower))
    }
}

pub(crate) fn to_floats(out: &mut [f64], low: &[u64], digits: &[u64], primes: [u64; 2]) {
    assert!(low.len() == out.len() && digits.len() == out.len());
    if primes.iter().any(|&q| q >> MAX_FLOAT_BITS != 0) {
        return slots::to_floats(out, low, digits, primes);
    }
    let number = number(primes);
    let (vectors, tail) = out.as_chunks_mut::<LANES>();
    let ((low, last_low), (digits, last_digits)) = (low.as_chunks::<LANES>(), digits.as_chunks::<LANES>());
    for ((out, low), digits) in vectors.iter_mut().zip(low).zip(digits) {
        let mut bits: Words = [0; LANES];
        store(&mut bits, number(load(low), load(digits)));
        *out = bits.map(f64::from_bits);
    }
    slots::to_floats(tail, last_low, last_digits, primes);
}
