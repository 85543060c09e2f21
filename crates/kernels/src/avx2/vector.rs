//! Vectors of four words, and arithmetic modulo q on them for moduli of at most 61 bits.

use std::arch::x86_64::{
    __m128i, _mm_cvtsi64_si128, _mm256_blend_epi32, _mm256_blendv_pd, _mm256_castpd_si256,
    _mm256_castsi256_pd, _mm256_loadu_si256, _mm256_mullo_epi32, _mm256_set1_epi64x, _mm256_shuffle_epi32,
    _mm256_storeu_si256, _mm256_sub_epi32,
};
pub(super) use std::arch::x86_64::{
    __m256i as Vector, _mm256_add_epi64 as add, _mm256_and_si256 as and, _mm256_mul_epu32 as mul_halves,
    _mm256_setzero_si256 as zero, _mm256_sll_epi64 as shift_left_by, _mm256_slli_epi64 as shift_left,
    _mm256_srl_epi64 as shift_right_by, _mm256_srli_epi64 as shift_right, _mm256_sub_epi64 as sub,
};

use crate::{Modulus, ShoupFactor};

/// The type of a shift distance that is encoded in the instruction.
pub(super) type ShiftCount = i32;

/// The type of a shift distance that an instruction takes from a register.
pub(crate) type Distance = __m128i;

/// Words in a vector.
pub(super) const LANES: usize = 4;

/// The words of one vector in memory.
pub(super) type Words = [u64; LANES];

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load(words: &Words) -> Vector {
    // SAFETY: the reference covers the 32 bytes read; the instruction asks for no alignment.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn store(words: &mut Words, v: Vector) {
    // SAFETY: the reference covers the 32 bytes written; the instruction asks for no alignment.
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), v) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn splat(word: u64) -> Vector {
    _mm256_set1_epi64x(word.cast_signed())
}

/// A shift distance for all words of a vector, for the instructions that take it from a register.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn shift_count(count: u32) -> Distance {
    _mm_cvtsi64_si128(i64::from(count))
}

/// a in the lanes where the upper bit of `selector` is set, b in the others.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn where_negative(selector: Vector, a: Vector, b: Vector) -> Vector {
    let pick =
        _mm256_blendv_pd(_mm256_castsi256_pd(b), _mm256_castsi256_pd(a), _mm256_castsi256_pd(selector));
    _mm256_castpd_si256(pick)
}

/// The upper half of every word in the lower half, and the lower one in the upper.
#[inline]
#[target_feature(enable = "avx2")]
fn upper_half(a: Vector) -> Vector {
    _mm256_shuffle_epi32::<0b10_11_00_01>(a)
}

/// a·b − c·d modulo 2^64. The lower halves' products of both meet in one word, the cross products in one pair of
/// halves.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn difference_of_products(a: Vector, b: Vector, c: Vector, d: Vector) -> Vector {
    let lower = sub(mul_halves(a, b), mul_halves(c, d));
    let cross = _mm256_sub_epi32(_mm256_mullo_epi32(a, upper_half(b)), _mm256_mullo_epi32(c, upper_half(d)));
    let one = shift_left::<32>(cross);
    let other = _mm256_blend_epi32::<0b1010_1010>(zero(), cross);
    add(add(lower, one), other)
}

/// a where it's below `bound`, else a − bound. In: a < 2·bound.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn reduced_by(a: Vector, bound: Vector) -> Vector {
    let difference = sub(a, bound);
    where_negative(difference, a, difference)
}

/// a where it's no negative number, else a + q.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn non_negative(a: Vector, q: Vector) -> Vector {
    where_negative(a, add(a, q), a)
}

word_residues!(#[target_feature(enable = "avx2")]);
