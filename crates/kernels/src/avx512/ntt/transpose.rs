//! Rows to columns.

use std::arch::x86_64::{_mm512_shuffle_i64x2, _mm512_unpackhi_epi64, _mm512_unpacklo_epi64};

use super::block::Eight;

/// The steps of a transposition: word j of vector i becomes word i of vector j. Between them stand steps of another block's
/// arithmetic, since shuffles and multiplications have ports of their own.
macro_rules! transpose_between {
    ($v:ident, $first:block, $second:block, $third:block) => {
        $first
        $crate::avx512::ntt::transpose::pair_words(&mut $v);
        $second
        $crate::avx512::ntt::transpose::part_quarters(&mut $v);
        $third
        $crate::avx512::ntt::transpose::join_quarters(&mut $v);
    };
}
pub(crate) use transpose_between;

/// Word j of vector i becomes word i of vector j, in both blocks, step by step side by side.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn transpose_both(v: &mut Eight, u: &mut Eight) {
    pair_words(v);
    pair_words(u);
    part_quarters(v);
    part_quarters(u);
    join_quarters(v);
    join_quarters(u);
}

/// First step: words 2k and 2k+1 of two neighbouring rows side by side, in the k-th quarters.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn pair_words(v: &mut Eight) {
    for i in 0..4 {
        let (even, odd) = (v[2 * i], v[2 * i + 1]);
        v[2 * i] = _mm512_unpacklo_epi64(even, odd);
        v[2 * i + 1] = _mm512_unpackhi_epi64(even, odd);
    }
}

const EVEN_QUARTERS: i32 = 0b10_00_10_00;
const ODD_QUARTERS: i32 = 0b11_01_11_01;

/// Second step: even and odd quarters of rows at distance two.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn part_quarters(v: &mut Eight) {
    for i in [0, 1, 4, 5] {
        let (low, high) = (v[i], v[i + 2]);
        v[i] = _mm512_shuffle_i64x2::<EVEN_QUARTERS>(low, high);
        v[i + 2] = _mm512_shuffle_i64x2::<ODD_QUARTERS>(low, high);
    }
}

/// Third step: the same at distance four.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn join_quarters(v: &mut Eight) {
    for i in 0..4 {
        let (low, high) = (v[i], v[i + 4]);
        v[i] = _mm512_shuffle_i64x2::<EVEN_QUARTERS>(low, high);
        v[i + 4] = _mm512_shuffle_i64x2::<ODD_QUARTERS>(low, high);
    }
}
