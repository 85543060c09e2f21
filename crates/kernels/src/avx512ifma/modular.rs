//! Element-wise modular arithmetic.

use std::arch::x86_64::{
    __m512i, _mm_cvtsi64_si128, _mm512_add_epi64, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64,
    _mm512_setzero_si512, _mm512_sll_epi64, _mm512_slli_epi64, _mm512_sub_epi64,
};

use super::vector::{Prime, factor};
use crate::avx512::slices::{update, update_by, update_by_two};
use crate::avx512::vector::splat;
use crate::{Modulus, ShoupFactor};

/// Barrett reduction of products of two residues.
struct Barrett {
    prime: Prime,
    /// 52 − bits.
    shift: std::arch::x86_64::__m128i,
    /// ⌊2^(bits+50)/q⌋.
    factor: __m512i,
}

impl Barrett {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn new(q: &Modulus) -> Self {
        Self {
            prime: Prime::new(q),
            shift: _mm_cvtsi64_si128(i64::from(52 - q.bits())),
            factor: splat(q.barrett_product() >> 12),
        }
    }

    /// a·b + c. In: a, b, c < q. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn mul_add(&self, c: __m512i, a: __m512i, b: __m512i) -> __m512i {
        // top = ⌊a·b / 2^(bits−2)⌋ < 2^52. Cutting it costs the quotient at most ½, cutting the factor at most
        // top/2^52 < 1, and the last floor less than 1: with x = q/2^bits the sum 1/(4x) + x² + 1 stays below
        // 2¼, so the remainder is below 3q and with c below 4q ≤ 2^52.
        let zero = _mm512_setzero_si512();
        let top = _mm512_madd52hi_epu64(zero, _mm512_sll_epi64(a, self.shift), _mm512_slli_epi64::<2>(b));
        let quotient = _mm512_madd52hi_epu64(zero, top, self.factor);
        let remainder = _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(c, a, b), quotient, self.prime.negated);
        self.prime.below_quadruple(self.prime.masked(remainder))
    }
}

pub(crate) fn add_assign(a: &mut [u64], b: &[u64], q: &Modulus) {
    #[target_feature(enable = "avx512f")]
    fn vectors(a: &mut [u64], b: &[u64], q: &Modulus) {
        let prime = Prime::new(q);
        update_by(a, b, |a, b| prime.add(a, b));
    }
    assert_eq!(a.len(), b.len());
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(a, b, q) }
}

pub(crate) fn sub_assign(a: &mut [u64], b: &[u64], q: &Modulus) {
    #[target_feature(enable = "avx512f")]
    fn vectors(a: &mut [u64], b: &[u64], q: &Modulus) {
        let prime = Prime::new(q);
        update_by(a, b, |a, b| prime.sub(a, b));
    }
    assert_eq!(a.len(), b.len());
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(a, b, q) }
}

pub(crate) fn neg_assign(a: &mut [u64], q: &Modulus) {
    #[target_feature(enable = "avx512f")]
    fn vectors(a: &mut [u64], q: &Modulus) {
        let prime = Prime::new(q);
        update(a, |a| prime.sub(_mm512_setzero_si512(), a));
    }
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(a, q) }
}

pub(crate) fn mul_assign(a: &mut [u64], b: &[u64], q: &Modulus) {
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn vectors(a: &mut [u64], b: &[u64], q: &Modulus) {
        let barrett = Barrett::new(q);
        update_by(a, b, |a, b| barrett.mul_add(_mm512_setzero_si512(), a, b));
    }
    assert_eq!(a.len(), b.len());
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(a, b, q) }
}

pub(crate) fn fma_assign(c: &mut [u64], a: &[u64], b: &[u64], q: &Modulus) {
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn vectors(c: &mut [u64], a: &[u64], b: &[u64], q: &Modulus) {
        let barrett = Barrett::new(q);
        update_by_two(c, a, b, |c, a, b| barrett.mul_add(c, a, b));
    }
    assert!(c.len() == a.len() && c.len() == b.len());
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(c, a, b, q) }
}

pub(crate) fn mul_scalar_assign(a: &mut [u64], w: ShoupFactor, q: &Modulus) {
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn vectors(a: &mut [u64], w: ShoupFactor, q: &Modulus) {
        let (prime, w) = (Prime::new(q), factor(w));
        update(a, |a| prime.mul(a, w));
    }
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(a, w, q) }
}

pub(crate) fn fma_scalar_assign(c: &mut [u64], a: &[u64], w: ShoupFactor, q: &Modulus) {
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn vectors(c: &mut [u64], a: &[u64], w: ShoupFactor, q: &Modulus) {
        let (prime, w) = (Prime::new(q), factor(w));
        // c < q and the product < 2q: below 3q < 2^52.
        update_by(c, a, |c, a| prime.below_quadruple(prime.masked(prime.mul_add_lazy(c, a, w))));
    }
    assert_eq!(c.len(), a.len());
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(c, a, w, q) }
}

pub(crate) fn sub_mul_scalar_assign(a: &mut [u64], b: &[u64], w: ShoupFactor, q: &Modulus) {
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn vectors(a: &mut [u64], b: &[u64], w: ShoupFactor, q: &Modulus) {
        let (prime, w) = (Prime::new(q), factor(w));
        update_by(a, b, |a, b| prime.mul(_mm512_sub_epi64(_mm512_add_epi64(a, prime.value), b), w));
    }
    assert_eq!(a.len(), b.len());
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(a, b, w, q) }
}
