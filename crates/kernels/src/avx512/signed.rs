//! Residues of signed words.

use std::arch::x86_64::{
    _mm512_cvtepi64_pd, _mm512_cvtpd_epi64, _mm512_mul_pd, _mm512_mullo_epi64, _mm512_set1_pd,
};

use super::slices::map;
use super::vector::{Vector, non_negative, splat, sub};
use crate::{Modulus, scalar};

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn residue(q: &Modulus) -> impl Fn(Vector) -> Vector {
    let (value, inverse) = (splat(q.value()), _mm512_set1_pd(1.0 / q.value() as f64));
    move |word| {
        // Three roundings of 2^−53 each put the quotient off by less than 0.38, the rounding to an integer by another
        // half: the remainder is in (−q, q).
        let quotient = _mm512_cvtpd_epi64(_mm512_mul_pd(_mm512_cvtepi64_pd(word), inverse));
        non_negative(sub(word, _mm512_mullo_epi64(quotient, value)), value)
    }
}

signed_loops!(#[target_feature(enable = "avx512f,avx512dq")]);
