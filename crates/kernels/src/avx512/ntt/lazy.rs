//! Arithmetic modulo q between the layers of a transform.

use std::arch::x86_64::{__m512i, _mm512_add_epi64, _mm512_sub_epi64};

use super::block::Eight;
use super::factors::Factors;
use crate::Modulus;
use crate::avx512::vector::{Factor, Prime, reduced_by, splat};

/// Leaves the inputs X of a forward layer, or the sums of an inverse one, as they are.
pub(super) const KEEP: bool = false;
/// Corrects the inputs X of a forward layer, or the sums of an inverse one, which are below 8K·q, to below 4K·q.
pub(super) const CORRECT: bool = true;

/// How the values of a transform are kept in words.
///
/// Products are below 4q. A value lasts for K layers between corrections, K = 1 for moduli of 61 bits and K = 2
/// for narrower ones: it's below 8K·q, and a correction brings it below 4K·q.
pub(super) struct Lazy {
    pub(super) prime: Prime,
    /// 4K·q.
    half_range: __m512i,
}

/// Whether K = 1.
pub(super) fn is_tight(q: &Modulus) -> bool {
    q.bits() == Modulus::MAX_BITS
}

impl Lazy {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn new(q: &Modulus) -> Self {
        let k = if is_tight(q) { 1 } else { 2 };
        Self { prime: Prime::new(q), half_range: splat(4 * k * q.value()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn butterfly<const ENTRY: bool>(
        &self,
        x: __m512i,
        y: __m512i,
        w: Factor,
    ) -> (__m512i, __m512i) {
        let x = if ENTRY == CORRECT { reduced_by(x, self.half_range) } else { x };
        let product = self.prime.mul_lazy(y, w);
        let raised = _mm512_add_epi64(x, self.prime.quadruple);
        (_mm512_add_epi64(x, product), _mm512_sub_epi64(raised, product))
    }

    /// Vectors 1 to 7 times the powers of the twist. Out: below 4K·q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn twist(&self, v: &mut Eight, roots: Factors<'_>) {
        v[0] = reduced_by(v[0], self.half_range);
        for (j, v) in v.iter_mut().enumerate().skip(1) {
            *v = self.prime.mul_lazy(*v, roots.twist(j));
        }
    }

    /// Canonical residues. In: below 16q, or below 8q if `TIGHT`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn make_canonical<const TIGHT: bool>(&self, v: &mut Eight) {
        for v in v {
            if !TIGHT {
                *v = reduced_by(*v, self.half_range);
            }
            *v = self.prime.below_octuple(*v);
        }
    }

    /// X + Y < 4K·q, and X − Y + 4K·q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn sum_and_difference<const SUM: bool>(&self, x: __m512i, y: __m512i) -> (__m512i, __m512i) {
        let sum = _mm512_add_epi64(x, y);
        let sum = if SUM == CORRECT { reduced_by(sum, self.half_range) } else { sum };
        (sum, _mm512_sub_epi64(_mm512_add_epi64(x, self.half_range), y))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn inverse_butterfly<const SUM: bool>(
        &self,
        x: __m512i,
        y: __m512i,
        w: Factor,
    ) -> (__m512i, __m512i) {
        let (sum, difference) = self.sum_and_difference::<SUM>(x, y);
        (sum, self.prime.mul_lazy(difference, w))
    }
}
