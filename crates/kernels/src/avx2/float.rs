//! Modular arithmetic in double precision, for moduli of at most 50 bits.
//!
//! Residues are integers of either sign held exactly, of magnitude at most 2^53. A product a·b = h + l, h rounded
//! and l its error, has the remainder (h − c·q) + l for any integer c near a·b/q: both steps are exact, since the
//! results are integers below 2^53.

use std::arch::x86_64::{
    __m256d, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT, _mm256_add_pd, _mm256_castpd_si256,
    _mm256_castsi256_pd, _mm256_fmsub_pd, _mm256_fnmadd_pd, _mm256_mul_pd, _mm256_or_si256, _mm256_round_pd,
    _mm256_set1_pd, _mm256_sub_pd,
};

use super::slices::{update, update_by, update_by_two};
use super::vector::{Vector, add, non_negative, reduced_by, splat, sub};
use crate::{Modulus, ShoupFactor};

/// 2^52: the lower bits of its sum with a smaller non-negative integer are that integer.
const SHIFT: f64 = (1u64 << 52) as f64;
/// 2^52 + 2^51, for integers of either sign below 2^51.
const SIGNED_SHIFT: f64 = 1.5 * SHIFT;

/// Words to doubles. In: < 2^52.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn from_words(words: Vector) -> __m256d {
    let shift = _mm256_set1_pd(SHIFT);
    let sum = _mm256_or_si256(words, _mm256_castpd_si256(shift));
    _mm256_sub_pd(_mm256_castsi256_pd(sum), shift)
}

/// A constant w of products a·w, with w/q rounded to double precision.
#[derive(Clone, Copy)]
pub(super) struct FloatFactor {
    pub(super) value: __m256d,
    pub(super) quotient: __m256d,
}

impl FloatFactor {
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn splat(w: ShoupFactor, q: &Modulus) -> Self {
        let (value, q) = (w.value as f64, q.value() as f64);
        Self { value: _mm256_set1_pd(value), quotient: _mm256_set1_pd(value / q) }
    }
}

/// The constants of one modulus.
#[derive(Clone, Copy)]
pub(super) struct FloatPrime {
    pub(super) value: __m256d,
    /// 1/q, rounded.
    inverse: __m256d,
    /// q.
    word: Vector,
}

#[inline]
#[target_feature(enable = "avx2")]
fn rounded(a: __m256d) -> __m256d {
    _mm256_round_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a)
}

impl FloatPrime {
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn new(q: &Modulus) -> Self {
        let value = q.value() as f64;
        Self { value: _mm256_set1_pd(value), inverse: _mm256_set1_pd(1.0 / value), word: splat(q.value()) }
    }

    /// A value congruent to a·w. In: |a| ≤ 2^53. Out: at most q/2 + q·|a|/2^52.
    ///
    /// The quotient's two roundings cost it at most a·2^−52, the one to an integer ½.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn mul(&self, a: __m256d, w: FloatFactor) -> __m256d {
        let high = _mm256_mul_pd(a, w.value);
        let low = _mm256_fmsub_pd(a, w.value, high);
        let quotient = rounded(_mm256_mul_pd(a, w.quotient));
        _mm256_add_pd(_mm256_fnmadd_pd(quotient, self.value, high), low)
    }

    /// [`Self::mul`] of several, step by step side by side: the processor looks ahead over few waiting
    /// instructions, so chains one after the other would leave the ports idle.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn mul_all<const P: usize>(&self, a: [__m256d; P], w: [FloatFactor; P]) -> [__m256d; P] {
        let (mut quotients, mut highs, mut lows) = (a, a, a);
        for i in 0..P {
            quotients[i] = _mm256_mul_pd(a[i], w[i].quotient);
            highs[i] = _mm256_mul_pd(a[i], w[i].value);
        }
        for i in 0..P {
            quotients[i] = rounded(quotients[i]);
            lows[i] = _mm256_fmsub_pd(a[i], w[i].value, highs[i]);
        }
        for i in 0..P {
            highs[i] = _mm256_fnmadd_pd(quotients[i], self.value, highs[i]);
        }
        for i in 0..P {
            highs[i] = _mm256_add_pd(highs[i], lows[i]);
        }
        highs
    }

    /// A value congruent to a·b. In: 0 ≤ a, b < q. Out: below 0.9·q.
    ///
    /// The quotient's three roundings cost it at most 2^50 · 3·2^−53, the one to an integer ½.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn mul_residues(&self, a: __m256d, b: __m256d) -> __m256d {
        let high = _mm256_mul_pd(a, b);
        let low = _mm256_fmsub_pd(a, b, high);
        let quotient = rounded(_mm256_mul_pd(high, self.inverse));
        _mm256_add_pd(_mm256_fnmadd_pd(quotient, self.value, high), low)
    }

    /// A value congruent to a, of magnitude at most 0.51·q. In: |a| ≤ 2^53 and at most a few multiples of q.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn corrected(&self, a: __m256d) -> __m256d {
        _mm256_fnmadd_pd(rounded(_mm256_mul_pd(a, self.inverse)), self.value, a)
    }

    /// Integers in double precision to signed words. In: |a| < 2^51.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn to_signed(a: __m256d) -> Vector {
        let shift = _mm256_set1_pd(SIGNED_SHIFT);
        sub(_mm256_castpd_si256(_mm256_add_pd(a, shift)), _mm256_castpd_si256(shift))
    }

    /// Canonical words. In: −q < a < q.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn canonical(&self, a: __m256d) -> Vector {
        non_negative(Self::to_signed(a), self.word)
    }

    /// The canonical residue of a + c. In: −q < a < q; words c < q.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn add_canonical(&self, c: Vector, a: __m256d) -> Vector {
        reduced_by(add(self.canonical(a), c), self.word)
    }
}

/// Residues as words, multiplied in double precision.
struct Words(FloatPrime);

impl Words {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(q: &Modulus) -> Self {
        Self(FloatPrime::new(q))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn product(&self, a: Vector, b: Vector) -> Vector {
        self.0.canonical(self.0.mul_residues(from_words(a), from_words(b)))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn add_product(&self, c: Vector, a: Vector, b: Vector) -> Vector {
        self.0.add_canonical(c, self.0.mul_residues(from_words(a), from_words(b)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn factor(w: ShoupFactor, q: &Modulus) -> FloatFactor {
        FloatFactor::splat(w, q)
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn mul(&self, a: Vector, w: FloatFactor) -> Vector {
        self.0.canonical(self.0.mul(from_words(a), w))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn mul_add(&self, c: Vector, a: Vector, w: FloatFactor) -> Vector {
        self.0.add_canonical(c, self.0.mul(from_words(a), w))
    }
}

modular_products!(
    #[target_feature(enable = "avx2,fma")]
    Words,
    Words,
    |words, a, b, w| { words.0.canonical(words.0.mul(_mm256_sub_pd(from_words(a), from_words(b)), w)) }
);
