//! Rows to columns.

use std::arch::x86_64::{_mm512_shuffle_i64x2, _mm512_unpackhi_epi64, _mm512_unpacklo_epi64};

use super::roots::Eight;

/// Word j of vector i becomes word i of vector j.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn transposed(rows: &Eight) -> Eight {
    const EVEN: i32 = 0b10_00_10_00;
    const ODD: i32 = 0b11_01_11_01;
    let [r0, r1, r2, r3, r4, r5, r6, r7] = *rows;
    // Words 2k and 2k+1 of two rows side by side, in the k-th quarters.
    let (a0, a1) = (_mm512_unpacklo_epi64(r0, r1), _mm512_unpackhi_epi64(r0, r1));
    let (b0, b1) = (_mm512_unpacklo_epi64(r2, r3), _mm512_unpackhi_epi64(r2, r3));
    let (c0, c1) = (_mm512_unpacklo_epi64(r4, r5), _mm512_unpackhi_epi64(r4, r5));
    let (d0, d1) = (_mm512_unpacklo_epi64(r6, r7), _mm512_unpackhi_epi64(r6, r7));
    // Then the quarters: even ones and odd ones, twice.
    let (ab0, ab2) = (_mm512_shuffle_i64x2::<EVEN>(a0, b0), _mm512_shuffle_i64x2::<ODD>(a0, b0));
    let (ab1, ab3) = (_mm512_shuffle_i64x2::<EVEN>(a1, b1), _mm512_shuffle_i64x2::<ODD>(a1, b1));
    let (cd0, cd2) = (_mm512_shuffle_i64x2::<EVEN>(c0, d0), _mm512_shuffle_i64x2::<ODD>(c0, d0));
    let (cd1, cd3) = (_mm512_shuffle_i64x2::<EVEN>(c1, d1), _mm512_shuffle_i64x2::<ODD>(c1, d1));
    [
        _mm512_shuffle_i64x2::<EVEN>(ab0, cd0),
        _mm512_shuffle_i64x2::<EVEN>(ab1, cd1),
        _mm512_shuffle_i64x2::<EVEN>(ab2, cd2),
        _mm512_shuffle_i64x2::<EVEN>(ab3, cd3),
        _mm512_shuffle_i64x2::<ODD>(ab0, cd0),
        _mm512_shuffle_i64x2::<ODD>(ab1, cd1),
        _mm512_shuffle_i64x2::<ODD>(ab2, cd2),
        _mm512_shuffle_i64x2::<ODD>(ab3, cd3),
    ]
}
