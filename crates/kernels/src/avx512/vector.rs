//! Vectors of eight words, and arithmetic modulo q on them for moduli of at most 61 bits.

pub(crate) use std::arch::x86_64::{
    __m512i as Vector, _mm512_add_epi64 as add, _mm512_and_si512 as and, _mm512_mul_epu32 as mul_halves,
    _mm512_setzero_si512 as zero, _mm512_sll_epi64 as shift_left_by, _mm512_slli_epi64 as shift_left,
    _mm512_srl_epi64 as shift_right_by, _mm512_srli_epi64 as shift_right, _mm512_sub_epi64 as sub,
};
use std::arch::x86_64::{
    _mm512_loadu_epi64, _mm512_min_epu64, _mm512_mullo_epi64, _mm512_set1_epi64, _mm512_shuffle_epi32,
    _mm512_storeu_epi64,
};

pub(crate) use crate::avx2::{Distance, shift_count};
use crate::{Modulus, ShoupFactor};

/// The type of a shift distance that is encoded in the instruction.
pub(super) type ShiftCount = u32;

/// Words in a vector.
pub(crate) const LANES: usize = 8;

/// The words of one vector in memory.
pub(crate) type Words = [u64; LANES];

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load(words: &Words) -> Vector {
    // SAFETY: the reference covers the 64 bytes read; the instruction asks for no alignment.
    unsafe { _mm512_loadu_epi64(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn store(words: &mut Words, v: Vector) {
    // SAFETY: the reference covers the 64 bytes written; the instruction asks for no alignment.
    unsafe { _mm512_storeu_epi64(words.as_mut_ptr().cast(), v) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn splat(word: u64) -> Vector {
    _mm512_set1_epi64(word.cast_signed())
}

/// The upper half of every word in the lower half; the new upper half is unspecified. A shuffle, because the port for
/// shifts is busy already.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn upper_half(a: Vector) -> Vector {
    _mm512_shuffle_epi32::<0b11_11_01_01>(a)
}

/// a·b − c·d modulo 2^64.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn difference_of_products(a: Vector, b: Vector, c: Vector, d: Vector) -> Vector {
    sub(_mm512_mullo_epi64(a, b), _mm512_mullo_epi64(c, d))
}

/// a where it's below `bound`, else a − bound.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn reduced_by(a: Vector, bound: Vector) -> Vector {
    // Where a is below, the difference wraps around and is the greater one.
    _mm512_min_epu64(a, sub(a, bound))
}

/// a where it's no negative number, else a + q.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn non_negative(a: Vector, q: Vector) -> Vector {
    // A negative one is a large word, which adding q wraps around.
    _mm512_min_epu64(a, add(a, q))
}

word_residues!(#[target_feature(enable = "avx512f,avx512dq")]);
