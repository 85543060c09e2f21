//! Vectors of four words, and arithmetic modulo q on them for moduli of at most 61 bits.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi64, _mm256_blend_epi32, _mm256_blendv_pd, _mm256_castpd_si256,
    _mm256_castsi256_pd, _mm256_loadu_si256, _mm256_mul_epu32, _mm256_mullo_epi32, _mm256_set1_epi64x,
    _mm256_setzero_si256, _mm256_shuffle_epi32, _mm256_slli_epi64, _mm256_srli_epi64, _mm256_storeu_si256,
    _mm256_sub_epi32, _mm256_sub_epi64,
};

use crate::{Modulus, ShoupFactor};

/// Words in a vector.
pub(super) const LANES: usize = 4;

/// The words of one vector in memory.
pub(super) type Words = [u64; LANES];

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load(words: &Words) -> __m256i {
    // SAFETY: the reference covers the 32 bytes read; the instruction asks for no alignment.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn store(words: &mut Words, v: __m256i) {
    // SAFETY: the reference covers the 32 bytes written; the instruction asks for no alignment.
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), v) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn splat(word: u64) -> __m256i {
    _mm256_set1_epi64x(word.cast_signed())
}

/// The words of a tail shorter than a vector, with zeros behind.
#[inline]
pub(super) fn padded(tail: &[u64]) -> Words {
    let mut words = [0; LANES];
    words[..tail.len()].copy_from_slice(tail);
    words
}

/// a in the lanes where the upper bit of `selector` is set, b in the others.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn where_negative(selector: __m256i, a: __m256i, b: __m256i) -> __m256i {
    let pick =
        _mm256_blendv_pd(_mm256_castsi256_pd(b), _mm256_castsi256_pd(a), _mm256_castsi256_pd(selector));
    _mm256_castpd_si256(pick)
}

/// Halves exchanged.
#[inline]
#[target_feature(enable = "avx2")]
fn swapped(a: __m256i) -> __m256i {
    _mm256_shuffle_epi32::<0b10_11_00_01>(a)
}

/// ⌊a·b / 2^64⌋ or up to two less: the product of the lower halves is left out, and the others are cut one by one.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn upper_word(a: __m256i, b: __m256i) -> __m256i {
    let (a_upper, b_upper) = (swapped(a), swapped(b));
    let lower = _mm256_srli_epi64::<32>(_mm256_mul_epu32(a_upper, b));
    let middle = _mm256_srli_epi64::<32>(_mm256_mul_epu32(a, b_upper));
    _mm256_add_epi64(_mm256_add_epi64(_mm256_mul_epu32(a_upper, b_upper), lower), middle)
}

/// [`upper_word`] for a, b < 2^63, whose middle products can be added before they're cut: short by at most one
/// from ⌊a·b / 2^64⌋.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn upper_word_of_short(a: __m256i, b: __m256i) -> __m256i {
    let (a_upper, b_upper) = (swapped(a), swapped(b));
    let middle = _mm256_add_epi64(_mm256_mul_epu32(a_upper, b), _mm256_mul_epu32(a, b_upper));
    _mm256_add_epi64(_mm256_mul_epu32(a_upper, b_upper), _mm256_srli_epi64::<32>(middle))
}

/// a·b − c·d modulo 2^64. The lower halves' products of both meet in one word, the cross products in one pair of
/// halves.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn difference_of_products(a: __m256i, b: __m256i, c: __m256i, d: __m256i) -> __m256i {
    let lower = _mm256_sub_epi64(_mm256_mul_epu32(a, b), _mm256_mul_epu32(c, d));
    let cross = _mm256_sub_epi32(_mm256_mullo_epi32(a, swapped(b)), _mm256_mullo_epi32(c, swapped(d)));
    let one = _mm256_slli_epi64::<32>(cross);
    let other = _mm256_blend_epi32::<0b1010_1010>(_mm256_setzero_si256(), cross);
    _mm256_add_epi64(_mm256_add_epi64(lower, one), other)
}

/// a where it's below `bound`, else a − bound. In: a < 2·bound.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn reduced_by(a: __m256i, bound: __m256i) -> __m256i {
    let difference = _mm256_sub_epi64(a, bound);
    where_negative(difference, a, difference)
}

/// A constant w of a product a·w, in every lane or different in each, with ⌊w·2^64/q⌋; both as bits of `f64` and
/// w/q in the double-precision loops.
#[derive(Clone, Copy)]
pub(super) struct Factor {
    pub(super) value: __m256i,
    pub(super) quotient: __m256i,
}

impl Factor {
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn splat(w: ShoupFactor) -> Self {
        Self { value: splat(w.value), quotient: splat(w.quotient) }
    }
}

/// The constants of one modulus.
#[derive(Clone, Copy)]
pub(super) struct Prime {
    pub(super) value: __m256i,
    pub(super) double: __m256i,
    pub(super) quadruple: __m256i,
}

impl Prime {
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn new(q: &Modulus) -> Self {
        let value = q.value();
        Self { value: splat(value), double: splat(2 * value), quadruple: splat(4 * value) }
    }

    /// a mod q. In: a < 4q. Out: < q.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn below_quadruple(&self, a: __m256i) -> __m256i {
        reduced_by(reduced_by(a, self.double), self.value)
    }

    /// a mod q. In: a < 8q. Out: < q.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn below_octuple(&self, a: __m256i) -> __m256i {
        self.below_quadruple(reduced_by(a, self.quadruple))
    }

    /// a·w in [0, 4q). In: any word a.
    ///
    /// The quotient is short by less than three from leaving out and cutting, and by less than a/2^64 from the
    /// cut of the prepared one.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn mul_lazy(&self, a: __m256i, w: Factor) -> __m256i {
        difference_of_products(a, w.value, upper_word(a, w.quotient), self.value)
    }

    /// a·w. In: any word a. Out: < q.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn mul(&self, a: __m256i, w: Factor) -> __m256i {
        self.below_quadruple(self.mul_lazy(a, w))
    }

    /// a + b. In: a, b < q. Out: < q.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn add(&self, a: __m256i, b: __m256i) -> __m256i {
        reduced_by(_mm256_add_epi64(a, b), self.value)
    }

    /// a − b. In: a, b < q. Out: < q.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn sub(&self, a: __m256i, b: __m256i) -> __m256i {
        let difference = _mm256_sub_epi64(a, b);
        where_negative(difference, _mm256_add_epi64(difference, self.value), difference)
    }
}
