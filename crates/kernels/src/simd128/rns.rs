//! Sums of many products with one reduction.

use std::arch::wasm32::{
    f64x2_add as add_floats, f64x2_mul as mul_floats, f64x2_pmax as max_floats, f64x2_splat as splat_float,
    f64x2_sub as sub_floats,
};
use std::arch::wasm32::{f64x2_floor, v128_or, v128_xor};

use super::slices::{fill, read, read_last};
use super::vector::{
    Factor, LANES, Prime, ShiftCount, Vector, add, and, load, mul_halves, shift_left, shift_right, splat,
    store, zero,
};
use crate::Modulus;

/// Vectors summed side by side.
const STRIP: usize = 1;

/// 2^84.
const UPPER: f64 = (1u128 << 84) as f64;
/// 2^52.
const LOWER: f64 = (1u64 << 52) as f64;

/// Words to double precision, rounded as a cast in Rust does.
#[inline]
fn to_floats(words: Vector) -> Vector {
    // Halves below the leading bits of 2^84 and of 2^52: both differences are exact, so the sum rounds once.
    let upper = v128_or(shift_right::<32>(words), splat_float(UPPER));
    let lower = v128_or(and(words, splat(0xffff_ffff)), splat_float(LOWER));
    add_floats(sub_floats(upper, splat_float(UPPER + LOWER)), lower)
}

/// The floors of numbers as words. In: 0 ≤ number < 2^52.
#[inline]
fn floors(floats: Vector) -> Vector {
    // The floors are the lower bits of their sums with 2^52.
    let lower = splat_float(LOWER);
    v128_xor(add_floats(f64x2_floor(floats), lower), lower)
}

#[inline]
fn zero_float() -> Vector {
    zero()
}

/// The bits of doubles as words: vectors have one type.
#[inline]
fn bits(floats: Vector) -> Vector {
    floats
}

digit_sums!(#[target_feature(enable = "simd128")]);
rounded_sums!(#[target_feature(enable = "simd128")]);
