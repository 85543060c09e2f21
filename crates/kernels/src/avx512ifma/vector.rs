//! Arithmetic modulo q on vectors of eight words.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64,
    _mm512_min_epu64, _mm512_setzero_si512, _mm512_sub_epi64,
};

use crate::avx512::vector::{Factor, splat};
use crate::{Modulus, ShoupFactor};

/// A constant for all lanes, with ⌊w·2^52/q⌋.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn factor(w: ShoupFactor) -> Factor {
    Factor { value: splat(w.value), quotient: splat(w.quotient >> 12) }
}

/// The constants of one modulus.
#[derive(Clone, Copy)]
pub(super) struct Prime {
    pub(super) value: __m512i,
    pub(super) double: __m512i,
    /// 2^52 − q: adding its products subtracts those of q, modulo 2^52.
    pub(super) negated: __m512i,
    /// ⌊2^52/q⌋.
    pub(super) ratio: __m512i,
    /// 2^52 − 1.
    pub(super) mask: __m512i,
}

impl Prime {
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn new(q: &Modulus) -> Self {
        let value = q.value();
        Self {
            value: splat(value),
            double: splat(2 * value),
            negated: splat((1 << 52) - value),
            ratio: splat((1 << 52) / value),
            mask: splat((1 << 52) - 1),
        }
    }

    /// a mod q. In: a < 2q. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn below_double(&self, a: __m512i) -> __m512i {
        // Where a < q the difference wraps around and is the greater one.
        _mm512_min_epu64(a, _mm512_sub_epi64(a, self.value))
    }

    /// a mod q. In: a < 4q. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn below_quadruple(&self, a: __m512i) -> __m512i {
        self.below_double(_mm512_min_epu64(a, _mm512_sub_epi64(a, self.double)))
    }

    /// The low 52 bits.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn masked(&self, a: __m512i) -> __m512i {
        _mm512_and_si512(a, self.mask)
    }

    /// A value congruent to a. In: a < 2^52 modulo 2^52. Out: < 2q modulo 2^52.
    ///
    /// The quotient is short by less than 1 + a/2^52, since the ratio is short by less than 1.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn corrected(&self, a: __m512i) -> __m512i {
        let quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), a, self.ratio);
        _mm512_madd52lo_epu64(a, quotient, self.negated)
    }

    /// a·w + sum. In: a < 2^52 modulo 2^52. Out: the product's part is < q + q·a/2^52 ≤ 2q, modulo 2^52.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn mul_add_lazy(&self, sum: __m512i, a: __m512i, w: Factor) -> __m512i {
        let quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), a, w.quotient);
        _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(sum, a, w.value), quotient, self.negated)
    }

    /// a·w. In: a < 2^52 modulo 2^52. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn mul(&self, a: __m512i, w: Factor) -> __m512i {
        self.below_double(self.masked(self.mul_add_lazy(_mm512_setzero_si512(), a, w)))
    }

    /// a + b. In: a, b < q. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn add(&self, a: __m512i, b: __m512i) -> __m512i {
        self.below_double(_mm512_add_epi64(a, b))
    }

    /// a − b. In: a, b < q. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn sub(&self, a: __m512i, b: __m512i) -> __m512i {
        let difference = _mm512_sub_epi64(a, b);
        // Where a ≥ b the difference is the smaller one; elsewhere it has wrapped around.
        _mm512_min_epu64(difference, _mm512_add_epi64(difference, self.value))
    }
}
