//! Residues of signed words.

use std::arch::x86_64::{
    _mm512_add_epi64, _mm512_cvtepi64_pd, _mm512_cvtpd_epi64, _mm512_min_epu64, _mm512_mul_pd,
    _mm512_mullo_epi64, _mm512_set1_pd, _mm512_sub_epi64,
};

use super::slices::map;
use super::vector::splat;
use crate::{Modulus, scalar};

/// From this width on, quotients of signed words are below 2^50.
const MIN_BITS: u32 = 14;

pub(crate) fn from_signed(out: &mut [u64], input: &[i64], q: &Modulus) {
    #[target_feature(enable = "avx512f,avx512dq")]
    fn vectors(out: &mut [u64], input: &[i64], q: &Modulus) {
        let (value, inverse) = (splat(q.value()), _mm512_set1_pd(1.0 / q.value() as f64));
        map(out, input, |word| {
            // Three roundings of 2^−53 each put the quotient off by less than 0.38, the rounding to an integer by
            // another half: the remainder is in (−q, q).
            let quotient = _mm512_cvtpd_epi64(_mm512_mul_pd(_mm512_cvtepi64_pd(word), inverse));
            let remainder = _mm512_sub_epi64(word, _mm512_mullo_epi64(quotient, value));
            // A negative one is a large word, which adding q wraps around.
            _mm512_min_epu64(remainder, _mm512_add_epi64(remainder, value))
        });
    }
    assert_eq!(out.len(), input.len());
    if q.bits() < MIN_BITS {
        scalar::from_signed(out, input, q);
    } else {
        // SAFETY: the table of this back-end is handed out only after detection.
        unsafe { vectors(out, input, q) }
    }
}
