//! Torus words: digits and rounding.

use std::arch::x86_64::{
    _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT, _mm512_castsi512_pd, _mm512_cvtpd_epi64, _mm512_fnmadd_pd,
    _mm512_mul_pd, _mm512_roundscale_pd, _mm512_set1_pd,
};

use super::fft::fetch;
use super::slices::map;
use super::vector::{Vector, add, and, shift_count, shift_right_by, splat, sub};
use crate::gadget::{Digits, half_unit};

/// 2^64.
const TORUS: f64 = (1u128 << 64) as f64;

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn torus_word() -> impl Fn(Vector) -> Vector {
    let (torus, inverse) = (_mm512_set1_pd(TORUS), _mm512_set1_pd(1.0 / TORUS));
    move |bits| {
        let value = _mm512_castsi512_pd(bits);
        let turns = _mm512_roundscale_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(_mm512_mul_pd(
            value, inverse,
        ));
        // Exact, in [−2^63, 2^63]. The conversion gives the word 2^63 for 2^63 and for NaN, as the contract asks.
        _mm512_cvtpd_epi64(_mm512_fnmadd_pd(turns, torus, value))
    }
}

torus_loops!(#[target_feature(enable = "avx512f,avx512dq")]);

multiples_loops!(#[target_feature(enable = "avx512f,avx512dq,avx512vl")]);
