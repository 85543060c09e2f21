//! Vectors of two words, and arithmetic modulo q on them for moduli of at most 61 bits.

pub(super) use std::arch::wasm32::{
    i64x2_add as add, i64x2_sub as sub, u64x2_shl as shift_left_by, u64x2_splat as splat, v128 as Vector,
    v128_and as and,
};
use std::arch::wasm32::{i64x2_lt, i64x2_mul, u64x2_shl, u64x2_shr, u64x2_splat, v128_load, v128_store};

use crate::{Modulus, ShoupFactor};

/// The type of a shift distance that is encoded in the instruction.
pub(super) type ShiftCount = u32;

/// The type of a shift distance for all words of a vector.
pub(super) type Distance = u32;

/// Words in a vector.
pub(super) const LANES: usize = 2;

/// The words of one vector in memory.
pub(super) type Words = [u64; LANES];

#[inline]
pub(super) fn load(words: &Words) -> Vector {
    // SAFETY: the reference covers the 16 bytes read; the instruction asks for no alignment.
    unsafe { v128_load(words.as_ptr().cast()) }
}

#[inline]
pub(super) fn store(words: &mut Words, v: Vector) {
    // SAFETY: the reference covers the 16 bytes written; the instruction asks for no alignment.
    unsafe { v128_store(words.as_mut_ptr().cast(), v) }
}

#[inline]
pub(super) fn zero() -> Vector {
    splat(0)
}

#[inline]
pub(super) fn shift_left<const COUNT: ShiftCount>(a: Vector) -> Vector {
    u64x2_shl(a, COUNT)
}

#[inline]
pub(super) fn shift_right<const COUNT: ShiftCount>(a: Vector) -> Vector {
    u64x2_shr(a, COUNT)
}

/// A shift distance for all words of a vector.
#[inline]
fn shift_count(count: u32) -> Distance {
    count
}

/// The upper half of every word in the lower half.
#[inline]
fn upper_half(a: Vector) -> Vector {
    shift_right::<32>(a)
}

/// The products of the lower halves.
///
/// By products of words: the intrinsic for halves takes them side by side, and with the shuffles it was slower.
#[inline]
pub(super) fn mul_halves(a: Vector, b: Vector) -> Vector {
    let lower = splat(0xffff_ffff);
    i64x2_mul(and(a, lower), and(b, lower))
}

/// a·b − c·d modulo 2^64.
#[inline]
pub(super) fn difference_of_products(a: Vector, b: Vector, c: Vector, d: Vector) -> Vector {
    sub(i64x2_mul(a, b), i64x2_mul(c, d))
}

/// a where it's below `bound`, else a − bound. In: a < 2·bound.
#[inline]
pub(super) fn reduced_by(a: Vector, bound: Vector) -> Vector {
    non_negative(sub(a, bound), bound)
}

/// a where it's no negative number, else a + q.
#[inline]
pub(super) fn non_negative(a: Vector, q: Vector) -> Vector {
    add(a, and(i64x2_lt(a, u64x2_splat(0)), q))
}

word_residues!(#[target_feature(enable = "simd128")]);
