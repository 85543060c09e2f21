//! Element-wise modular arithmetic.

use std::arch::x86_64::{__m128i, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64};

use super::vector::Prime;
use crate::avx512::slices::{update, update_by, update_by_two};
use crate::avx512::vector::{Vector, add, shift_count, shift_left, shift_left_by, splat, sub, zero};
use crate::{Modulus, ShoupFactor};

/// Barrett reduction of products of two residues.
struct Barrett {
    prime: Prime,
    /// 52 − bits.
    shift: __m128i,
    /// ⌊2^(bits+50)/q⌋.
    factor: Vector,
}

impl Barrett {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn new(q: &Modulus) -> Self {
        Self {
            prime: Prime::new(q),
            shift: shift_count(52 - q.bits()),
            factor: splat(q.barrett_product() >> 12),
        }
    }

    /// c + a·b. In: a, b, c < q. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn add_product(&self, c: Vector, a: Vector, b: Vector) -> Vector {
        // top = ⌊a·b / 2^(bits−2)⌋ < 2^52. Cutting it costs the quotient at most ½, cutting the factor at most
        // top/2^52 < 1, and the last floor less than 1: with x = q/2^bits the sum 1/(4x) + x² + 1 stays below
        // 2¼, so the remainder is below 3q and with c below 4q ≤ 2^52.
        let top = _mm512_madd52hi_epu64(zero(), shift_left_by(a, self.shift), shift_left::<2>(b));
        let quotient = _mm512_madd52hi_epu64(zero(), top, self.factor);
        let remainder = _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(c, a, b), quotient, self.prime.negated);
        self.prime.below_quadruple(self.prime.masked(remainder))
    }

    /// a·b. In: a, b < q. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn product(&self, a: Vector, b: Vector) -> Vector {
        self.add_product(zero(), a, b)
    }
}

modular_sums!(#[target_feature(enable = "avx512f")]);
modular_products!(
    #[target_feature(enable = "avx512f,avx512ifma")]
    Barrett,
    Prime,
    |prime, a, b, w| { prime.mul(sub(add(a, prime.value), b), w) }
);
