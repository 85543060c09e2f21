//! Element-wise modular arithmetic.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi64_si128, _mm256_add_epi64, _mm256_setzero_si256, _mm256_sll_epi64,
    _mm256_slli_epi64, _mm256_sub_epi64,
};

use super::slices::{update, update_by, update_by_two};
use super::vector::{Factor, Prime, difference_of_products, splat, upper_word, upper_word_of_short};
use crate::{Modulus, ShoupFactor};

/// Barrett reduction of products of two residues.
struct Barrett {
    prime: Prime,
    /// 64 − bits.
    shift: __m128i,
    /// ⌊2^(bits+62)/q⌋ < 2^63.
    factor: __m256i,
}

impl Barrett {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(q: &Modulus) -> Self {
        Self {
            prime: Prime::new(q),
            shift: _mm_cvtsi64_si128(i64::from(64 - q.bits())),
            factor: splat(q.barrett_product()),
        }
    }

    /// A value in [0, 4q) congruent to a·b. In: a, b < q.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn mul_lazy(&self, a: __m256i, b: __m256i) -> __m256i {
        // top is short of a·b / 2^(bits−2) < 2^63 by less than 3, which costs the quotient less than 3/2; cutting
        // the factor costs it less than ½, the estimate of its upper word less than 2.
        let top = upper_word(_mm256_sll_epi64(a, self.shift), _mm256_slli_epi64::<2>(b));
        let quotient = upper_word_of_short(top, self.factor);
        difference_of_products(a, b, quotient, self.prime.value)
    }
}

pub(crate) fn add_assign(a: &mut [u64], b: &[u64], q: &Modulus) {
    #[target_feature(enable = "avx2")]
    fn vectors(a: &mut [u64], b: &[u64], q: &Modulus) {
        let prime = Prime::new(q);
        update_by(a, b, |a, b| prime.add(a, b));
    }
    assert_eq!(a.len(), b.len());
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(a, b, q) }
}

pub(crate) fn sub_assign(a: &mut [u64], b: &[u64], q: &Modulus) {
    #[target_feature(enable = "avx2")]
    fn vectors(a: &mut [u64], b: &[u64], q: &Modulus) {
        let prime = Prime::new(q);
        update_by(a, b, |a, b| prime.sub(a, b));
    }
    assert_eq!(a.len(), b.len());
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(a, b, q) }
}

pub(crate) fn neg_assign(a: &mut [u64], q: &Modulus) {
    #[target_feature(enable = "avx2")]
    fn vectors(a: &mut [u64], q: &Modulus) {
        let prime = Prime::new(q);
        update(a, |a| prime.sub(_mm256_setzero_si256(), a));
    }
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(a, q) }
}

pub(crate) fn mul_assign(a: &mut [u64], b: &[u64], q: &Modulus) {
    #[target_feature(enable = "avx2")]
    fn vectors(a: &mut [u64], b: &[u64], q: &Modulus) {
        let barrett = Barrett::new(q);
        update_by(a, b, |a, b| barrett.prime.below_quadruple(barrett.mul_lazy(a, b)));
    }
    assert_eq!(a.len(), b.len());
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(a, b, q) }
}

pub(crate) fn fma_assign(c: &mut [u64], a: &[u64], b: &[u64], q: &Modulus) {
    #[target_feature(enable = "avx2")]
    fn vectors(c: &mut [u64], a: &[u64], b: &[u64], q: &Modulus) {
        let barrett = Barrett::new(q);
        update_by_two(c, a, b, |c, a, b| {
            barrett.prime.below_octuple(_mm256_add_epi64(c, barrett.mul_lazy(a, b)))
        });
    }
    assert!(c.len() == a.len() && c.len() == b.len());
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(c, a, b, q) }
}

pub(crate) fn mul_scalar_assign(a: &mut [u64], w: ShoupFactor, q: &Modulus) {
    #[target_feature(enable = "avx2")]
    fn vectors(a: &mut [u64], w: ShoupFactor, q: &Modulus) {
        let (prime, w) = (Prime::new(q), Factor::splat(w));
        update(a, |a| prime.mul(a, w));
    }
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(a, w, q) }
}

pub(crate) fn fma_scalar_assign(c: &mut [u64], a: &[u64], w: ShoupFactor, q: &Modulus) {
    #[target_feature(enable = "avx2")]
    fn vectors(c: &mut [u64], a: &[u64], w: ShoupFactor, q: &Modulus) {
        let (prime, w) = (Prime::new(q), Factor::splat(w));
        update_by(c, a, |c, a| prime.below_octuple(_mm256_add_epi64(c, prime.mul_lazy(a, w))));
    }
    assert_eq!(c.len(), a.len());
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(c, a, w, q) }
}

pub(crate) fn sub_mul_scalar_assign(a: &mut [u64], b: &[u64], w: ShoupFactor, q: &Modulus) {
    #[target_feature(enable = "avx2")]
    fn vectors(a: &mut [u64], b: &[u64], w: ShoupFactor, q: &Modulus) {
        let (prime, w) = (Prime::new(q), Factor::splat(w));
        update_by(a, b, |a, b| prime.mul(_mm256_sub_epi64(_mm256_add_epi64(a, prime.value), b), w));
    }
    assert_eq!(a.len(), b.len());
    // SAFETY: the table of this back-end is handed out only after detection.
    unsafe { vectors(a, b, w, q) }
}
