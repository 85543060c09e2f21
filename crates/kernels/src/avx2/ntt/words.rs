//! Residues as words, for moduli of at most 61 bits.
//!
//! Products are below 4q. Values are below 8K·q, K = 1 for moduli of 61 bits and K = 2 for narrower ones, and a
//! correction brings them below 4K·q. Forward, every layer adds less than 4q, so a correction lasts for K layers;
//! only the X need it, since any word will do for a factor. Inverse, values are below 4K·q between the layers: a
//! sum that could exceed that is corrected at once.

use std::arch::x86_64::{__m256i, _mm256_add_epi64, _mm256_sub_epi64};

use super::arithmetic::{Arithmetic, Four};
use crate::NttTable;
use crate::avx2::vector::{Factor, Prime, reduced_by, splat};

/// K = 1 where `TIGHT`.
#[derive(Clone, Copy)]
pub(super) struct WordResidues<const TIGHT: bool> {
    prime: Prime,
    /// 4K·q.
    half_range: __m256i,
    /// 1/N and 1/N times the last root.
    last_sum: Factor,
    last_difference: Factor,
}

impl<const TIGHT: bool> WordResidues<TIGHT> {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn butterfly<const CORRECT: bool>(&self, x: __m256i, y: __m256i, w: Factor) -> (__m256i, __m256i) {
        let x = if CORRECT { reduced_by(x, self.half_range) } else { x };
        let product = self.prime.mul_lazy(y, w);
        let raised = _mm256_add_epi64(x, self.prime.quadruple);
        (_mm256_add_epi64(x, product), _mm256_sub_epi64(raised, product))
    }

    /// X + Y and X − Y + 4K·q.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn sum_and_difference(&self, x: __m256i, y: __m256i) -> (__m256i, __m256i) {
        let raised = _mm256_add_epi64(x, self.half_range);
        (_mm256_add_epi64(x, y), _mm256_sub_epi64(raised, y))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn inverse_butterfly<const CORRECT: bool>(
        &self,
        x: __m256i,
        y: __m256i,
        w: Factor,
    ) -> (__m256i, __m256i) {
        let (sum, difference) = self.sum_and_difference(x, y);
        let sum = if CORRECT { reduced_by(sum, self.half_range) } else { sum };
        (sum, self.prime.mul_lazy(difference, w))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn last_butterfly(&self, x: __m256i, y: __m256i) -> (__m256i, __m256i) {
        let (sum, difference) = self.sum_and_difference(x, y);
        (self.prime.mul(sum, self.last_sum), self.prime.mul(difference, self.last_difference))
    }
}

// SAFETY (throughout): the contract of the trait.
// Inlined always: only inside a function that enables AVX2 do these become instructions.
#[allow(clippy::inline_always)]
impl<const TIGHT: bool> Arithmetic for WordResidues<TIGHT> {
    const LAYERS: u32 = if TIGHT { 1 } else { 2 };

    #[inline(always)]
    unsafe fn new(table: &NttTable) -> Self {
        let q = table.modulus();
        let k = if TIGHT { 1 } else { 2 };
        unsafe {
            Self {
                prime: Prime::new(q),
                half_range: splat(4 * k * q.value()),
                last_sum: Factor::splat(table.degree_inverse),
                last_difference: Factor::splat(table.last_root_over_degree),
            }
        }
    }

    #[inline(always)]
    unsafe fn enter(&self, v: __m256i) -> __m256i {
        v
    }

    #[inline(always)]
    unsafe fn leave(&self, v: __m256i) -> __m256i {
        unsafe { self.prime.below_octuple(if TIGHT { v } else { reduced_by(v, self.half_range) }) }
    }

    #[inline(always)]
    unsafe fn forward_one(&self, [x, y]: [__m256i; 2], w: Factor) -> [__m256i; 2] {
        unsafe { self.butterfly::<false>(x, y, w).into() }
    }

    #[inline(always)]
    unsafe fn forward_two<const CORRECT: bool>(&self, [a, b, c, d]: Four, [w, z, u]: [Factor; 3]) -> Four {
        unsafe {
            let ((a, c), (b, d)) = (self.butterfly::<CORRECT>(a, c, w), self.butterfly::<CORRECT>(b, d, w));
            let ((a, b), (c, d)) = (self.butterfly::<TIGHT>(a, b, z), self.butterfly::<TIGHT>(c, d, u));
            [a, b, c, d]
        }
    }

    #[inline(always)]
    unsafe fn inverse_two(&self, [a, b, c, d]: Four, [w, z, u]: [Factor; 3]) -> Four {
        unsafe {
            let (a, b) = self.inverse_butterfly::<true>(a, b, z);
            let (c, d) = self.inverse_butterfly::<true>(c, d, u);
            let (a, c) = self.inverse_butterfly::<true>(a, c, w);
            // Both are products of the layer before.
            let (b, d) = self.inverse_butterfly::<TIGHT>(b, d, w);
            [a, b, c, d]
        }
    }

    #[inline(always)]
    unsafe fn last_one(&self, [x, y]: [__m256i; 2]) -> [__m256i; 2] {
        unsafe { self.last_butterfly(x, y).into() }
    }

    #[inline(always)]
    unsafe fn last_two(&self, [a, b, c, d]: Four, [_, z, u]: [Factor; 3]) -> Four {
        unsafe {
            let (a, b) = self.inverse_butterfly::<true>(a, b, z);
            let (c, d) = self.inverse_butterfly::<true>(c, d, u);
            let ((a, c), (b, d)) = (self.last_butterfly(a, c), self.last_butterfly(b, d));
            [a, b, c, d]
        }
    }
}
