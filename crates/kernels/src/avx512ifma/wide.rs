//! Residues of several words, eight lanes at a time.

use std::arch::x86_64::{_mm512_madd52hi_epu64 as high, _mm512_madd52lo_epu64 as low, _mm512_srai_epi64};

use crate::avx512::vector::{LANES, Vector, Words, add, and, load, shift_right, splat, store, sub, zero};

#[inline]
#[target_feature(enable = "avx512f")]
fn carry(a: Vector) -> Vector {
    _mm512_srai_epi64::<52>(a)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn sign(a: Vector) -> Vector {
    _mm512_srai_epi64::<63>(a)
}

wide_loops!("avx512ifma", #[target_feature(enable = "avx512f,avx512ifma")]);
