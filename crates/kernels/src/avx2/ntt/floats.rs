//! Residues in double precision, for moduli of at most 50 bits: integers of either sign, of magnitude at most 2^53.
//!
//! With bounds in units of q, a product of a value below y is below ½ + y·q/2^52, which is ½ + y/4 at 50 bits.
//!
//! Forward, 50 bits: corrected to 0.51 while the Y are below y, values are below 1.01 + y/4 after one layer, and
//! below 3.9 + 0.49·y after four: at most 7.6 always, within the 8 that make 2^53. Up to 48 bits, products are
//! below ½ + y/16, and eighteen layers end below 19, within 32: no correction is ever needed.
//!
//! Inverse: below 2 up to 48 bits (1 where tight) between passes of two layers. Sums of four, below 8 (4), are
//! corrected; products of sums of two and of the differences of such sums are below 2. Where tight, the products
//! below 1½ and the sums of two products below 2 are corrected as well.

use std::arch::x86_64::{
    __m256d, __m256i, _mm256_add_pd, _mm256_castpd_si256, _mm256_castsi256_pd, _mm256_setzero_pd,
    _mm256_setzero_si256, _mm256_sub_pd,
};

use super::arithmetic::{Arithmetic, Four};
use crate::NttTable;
use crate::avx2::float::{FloatFactor, FloatPrime, from_words};
use crate::avx2::vector::Factor;

/// Arithmetic for moduli of at most 50 bits if `TIGHT`, else for moduli of at most 48 bits.
#[derive(Clone, Copy)]
pub(super) struct Floats<const TIGHT: bool> {
    prime: FloatPrime,
    /// 1/N and 1/N times the last root.
    last_sum: FloatFactor,
    last_difference: FloatFactor,
}

// Here and below without closures: they are inlined only after the loops of `map`, which in functions of this size may
// be too late.

/// From the bits of w and of w/q.
#[inline]
#[target_feature(enable = "avx2")]
fn float_factor(w: Factor) -> FloatFactor {
    FloatFactor { value: _mm256_castsi256_pd(w.value), quotient: _mm256_castsi256_pd(w.quotient) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn float_factors<const P: usize>(w: [Factor; P]) -> [FloatFactor; P] {
    let mut factors = [float_factor(w[0]); P];
    for i in 1..P {
        factors[i] = float_factor(w[i]);
    }
    factors
}

#[inline]
#[target_feature(enable = "avx2")]
fn floats<const P: usize>(v: [__m256i; P]) -> [__m256d; P] {
    let mut floats = [_mm256_setzero_pd(); P];
    for i in 0..P {
        floats[i] = _mm256_castsi256_pd(v[i]);
    }
    floats
}

#[inline]
#[target_feature(enable = "avx2")]
fn bits<const P: usize>(v: [__m256d; P]) -> [__m256i; P] {
    let mut bits = [_mm256_setzero_si256(); P];
    for i in 0..P {
        bits[i] = _mm256_castpd_si256(v[i]);
    }
    bits
}

impl<const TIGHT: bool> Floats<TIGHT> {
    /// Butterflies X, Y → X ± W·Y.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn butterflies<const P: usize, const CORRECT: bool>(
        &self,
        mut x: [__m256d; P],
        mut y: [__m256d; P],
        w: [Factor; P],
    ) -> ([__m256d; P], [__m256d; P]) {
        let products = self.prime.mul_all(y, float_factors(w));
        for i in 0..P {
            let raised = if CORRECT { self.prime.corrected(x[i]) } else { x[i] };
            x[i] = _mm256_add_pd(raised, products[i]);
            y[i] = _mm256_sub_pd(raised, products[i]);
        }
        (x, y)
    }

    /// Butterflies X, Y → X + Y, W·(X − Y).
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn inverse_butterflies<const P: usize>(
        &self,
        mut x: [__m256d; P],
        mut y: [__m256d; P],
        w: [Factor; P],
    ) -> ([__m256d; P], [__m256d; P]) {
        for i in 0..P {
            (x[i], y[i]) = (_mm256_add_pd(x[i], y[i]), _mm256_sub_pd(x[i], y[i]));
        }
        (x, self.prime.mul_all(y, float_factors(w)))
    }

    /// Brings the values down to the bound between passes after two inverse layers.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn settled(&self, [a, b, c, d]: [__m256d; 4]) -> Four {
        let a = self.prime.corrected(a);
        if TIGHT {
            bits([a, self.prime.corrected(b), self.prime.corrected(c), d])
        } else {
            bits([a, b, c, d])
        }
    }

    /// Out: canonical words.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn last_butterfly(&self, x: __m256d, y: __m256d) -> (__m256i, __m256i) {
        let finished = |a, w| self.prime.canonical(self.prime.corrected(self.prime.mul(a, w)));
        let (sum, difference) = (_mm256_add_pd(x, y), _mm256_sub_pd(x, y));
        (finished(sum, self.last_sum), finished(difference, self.last_difference))
    }
}

// SAFETY (throughout): the contract of the trait.
// Inlined always: only inside a function that enables AVX2 do these become instructions.
#[allow(clippy::inline_always)]
impl<const TIGHT: bool> Arithmetic for Floats<TIGHT> {
    const LAYERS: u32 = if TIGHT { 4 } else { 18 };

    #[inline(always)]
    unsafe fn new(table: &NttTable) -> Self {
        let q = table.modulus();
        unsafe {
            Self {
                prime: FloatPrime::new(q),
                last_sum: FloatFactor::splat(table.degree_inverse, q),
                last_difference: FloatFactor::splat(table.last_root_over_degree, q),
            }
        }
    }

    #[inline(always)]
    unsafe fn enter(&self, v: __m256i) -> __m256i {
        unsafe { bits([from_words(v)])[0] }
    }

    #[inline(always)]
    unsafe fn leave(&self, v: __m256i) -> __m256i {
        unsafe {
            let [v] = floats([v]);
            self.prime.canonical(self.prime.corrected(v))
        }
    }

    #[inline(always)]
    unsafe fn forward_one(&self, v: [__m256i; 2], w: Factor) -> [__m256i; 2] {
        unsafe {
            let [x, y] = floats(v);
            let product = self.prime.mul(y, float_factor(w));
            bits([_mm256_add_pd(x, product), _mm256_sub_pd(x, product)])
        }
    }

    #[inline(always)]
    unsafe fn forward_two<const CORRECT: bool>(&self, v: Four, [w, z, u]: [Factor; 3]) -> Four {
        unsafe {
            let [a, b, c, d] = floats(v);
            let ([a, b], [c, d]) = self.butterflies::<2, CORRECT>([a, b], [c, d], [w, w]);
            let ([a, c], [b, d]) = self.butterflies::<2, false>([a, c], [b, d], [z, u]);
            bits([a, b, c, d])
        }
    }

    #[inline(always)]
    unsafe fn forward_two_pair<const CORRECT: bool>(
        &self,
        [v, s]: [Four; 2],
        &[[w, z, u], [w_, z_, u_]]: &[[Factor; 3]; 2],
    ) -> [Four; 2] {
        unsafe {
            let ([a, b, c, d], [e, f, g, h]) = (floats(v), floats(s));
            let ([a, b, e, f], [c, d, g, h]) =
                self.butterflies::<4, CORRECT>([a, b, e, f], [c, d, g, h], [w, w, w_, w_]);
            let ([a, c, e, g], [b, d, f, h]) =
                self.butterflies::<4, false>([a, c, e, g], [b, d, f, h], [z, u, z_, u_]);
            [bits([a, b, c, d]), bits([e, f, g, h])]
        }
    }

    #[inline(always)]
    unsafe fn inverse_two(&self, v: Four, [w, z, u]: [Factor; 3]) -> Four {
        unsafe {
            let [a, b, c, d] = floats(v);
            let ([a, c], [b, d]) = self.inverse_butterflies([a, c], [b, d], [z, u]);
            let ([a, b], [c, d]) = self.inverse_butterflies([a, b], [c, d], [w, w]);
            self.settled([a, b, c, d])
        }
    }

    #[inline(always)]
    unsafe fn inverse_two_pair(
        &self,
        [v, s]: [Four; 2],
        &[[w, z, u], [w_, z_, u_]]: &[[Factor; 3]; 2],
    ) -> [Four; 2] {
        unsafe {
            let ([a, b, c, d], [e, f, g, h]) = (floats(v), floats(s));
            let ([a, c, e, g], [b, d, f, h]) =
                self.inverse_butterflies([a, c, e, g], [b, d, f, h], [z, u, z_, u_]);
            let ([a, b, e, f], [c, d, g, h]) =
                self.inverse_butterflies([a, b, e, f], [c, d, g, h], [w, w, w_, w_]);
            [self.settled([a, b, c, d]), self.settled([e, f, g, h])]
        }
    }

    #[inline(always)]
    unsafe fn last_one(&self, v: [__m256i; 2]) -> [__m256i; 2] {
        unsafe {
            let [x, y] = floats(v);
            self.last_butterfly(x, y).into()
        }
    }

    #[inline(always)]
    unsafe fn last_two(&self, v: Four, [_, z, u]: [Factor; 3]) -> Four {
        unsafe {
            let [a, b, c, d] = floats(v);
            let ([a, c], [b, d]) = self.inverse_butterflies([a, c], [b, d], [z, u]);
            let ((a, c), (b, d)) = (self.last_butterfly(a, c), self.last_butterfly(b, d));
            [a, b, c, d]
        }
    }
}
