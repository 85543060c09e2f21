//! Arithmetic modulo q on vectors of eight words.

use std::arch::x86_64::{_mm512_madd52hi_epu64, _mm512_madd52lo_epu64};

use crate::avx512::vector::{Factor, Vector, add, and, non_negative, reduced_by, splat, sub, zero};
use crate::{Modulus, ShoupFactor};

/// The widest modulus: two spare bits of the 52 carry the lazy sums.
pub(crate) const MAX_BITS: u32 = 50;

/// A constant for all lanes, with ⌊w·2^52/q⌋.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn factor(w: ShoupFactor) -> Factor {
    Factor { value: splat(w.value), quotient: splat(w.quotient >> 12) }
}

/// The constants of one modulus.
#[derive(Clone, Copy)]
pub(super) struct Prime {
    pub(super) value: Vector,
    pub(super) double: Vector,
    /// 2^52 − q: adding its products subtracts those of q, modulo 2^52.
    pub(super) negated: Vector,
    /// ⌊2^52/q⌋.
    pub(super) ratio: Vector,
    /// 2^52 − 1.
    pub(super) mask: Vector,
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

    /// [`factor`], as the loops of all back-ends ask for it.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn factor(w: ShoupFactor, _: &Modulus) -> Factor {
        factor(w)
    }

    /// a mod q. In: a < 2q. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn below_double(&self, a: Vector) -> Vector {
        reduced_by(a, self.value)
    }

    /// a mod q. In: a < 4q. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn below_quadruple(&self, a: Vector) -> Vector {
        self.below_double(reduced_by(a, self.double))
    }

    /// The low 52 bits.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn masked(&self, a: Vector) -> Vector {
        and(a, self.mask)
    }

    /// A value congruent to a. In: a < 2^52, known modulo 2^52. Out: < 2q, modulo 2^52.
    ///
    /// The quotient is short by less than 1 + a/2^52, since the ratio is short by less than 1.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn corrected(&self, a: Vector) -> Vector {
        let quotient = _mm512_madd52hi_epu64(zero(), a, self.ratio);
        _mm512_madd52lo_epu64(a, quotient, self.negated)
    }

    /// a·w + sum. In: a < 2^52, known modulo 2^52. Out: the product's part is < q + q·a/2^52 ≤ 2q, modulo 2^52.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn mul_add_lazy(&self, sum: Vector, a: Vector, w: Factor) -> Vector {
        let quotient = _mm512_madd52hi_epu64(zero(), a, w.quotient);
        _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(sum, a, w.value), quotient, self.negated)
    }

    /// a·w. In: a < 2^52, known modulo 2^52. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn mul(&self, a: Vector, w: Factor) -> Vector {
        self.below_double(self.masked(self.mul_add_lazy(zero(), a, w)))
    }

    /// c + a·w. In: c < q, a < 2^52. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn mul_add(&self, c: Vector, a: Vector, w: Factor) -> Vector {
        // c < q and the product < 2q: below 3q < 2^52.
        self.below_quadruple(self.masked(self.mul_add_lazy(c, a, w)))
    }

    /// a + b. In: a, b < q. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn add(&self, a: Vector, b: Vector) -> Vector {
        self.below_double(add(a, b))
    }

    /// a − b. In: a, b < q. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn sub(&self, a: Vector, b: Vector) -> Vector {
        non_negative(sub(a, b), self.value)
    }
}
