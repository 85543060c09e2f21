//! Vectors of eight words, and arithmetic modulo q on them for moduli of at most 61 bits.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_loadu_epi64, _mm512_min_epu64, _mm512_mul_epu32, _mm512_mullo_epi64,
    _mm512_set1_epi64, _mm512_shuffle_epi32, _mm512_srli_epi64, _mm512_storeu_epi64, _mm512_sub_epi64,
};

use crate::{Modulus, ShoupFactor};

/// Words in a vector.
pub(crate) const LANES: usize = 8;

/// The words of one vector in memory.
pub(crate) type Words = [u64; LANES];

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load(words: &Words) -> __m512i {
    // SAFETY: the reference covers the 64 bytes read; the instruction asks for no alignment.
    unsafe { _mm512_loadu_epi64(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn store(words: &mut Words, v: __m512i) {
    // SAFETY: the reference covers the 64 bytes written; the instruction asks for no alignment.
    unsafe { _mm512_storeu_epi64(words.as_mut_ptr().cast(), v) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn splat(word: u64) -> __m512i {
    _mm512_set1_epi64(word.cast_signed())
}

/// The words of a tail shorter than a vector, with zeros behind.
#[inline]
pub(crate) fn padded(tail: &[u64]) -> Words {
    let mut words = [0; LANES];
    words[..tail.len()].copy_from_slice(tail);
    words
}

/// A constant w of a product a·w, in every lane or different in each, with its quotient: here ⌊w·2^64/q⌋.
#[derive(Clone, Copy)]
pub(crate) struct Factor {
    pub(crate) value: __m512i,
    pub(crate) quotient: __m512i,
}

impl Factor {
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn splat(w: ShoupFactor) -> Self {
        Self { value: splat(w.value), quotient: splat(w.quotient) }
    }
}

/// The upper half of every word in the lower half; the new upper half is of no use. A shuffle, because the port
/// that shifts has enough to do.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn upper_half(a: __m512i) -> __m512i {
    _mm512_shuffle_epi32::<0b11_11_01_01>(a)
}

/// ⌊a·b / 2^64⌋ or up to two less: the product of the lower halves is left out, and the others are cut one by one.
///
/// The exact upper word costs five instructions more; the residues have the room for the difference.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn upper_word(a: __m512i, b: __m512i) -> __m512i {
    let (a_upper, b_upper) = (upper_half(a), upper_half(b));
    let lower = _mm512_srli_epi64::<32>(_mm512_mul_epu32(a_upper, b));
    let middle = _mm512_srli_epi64::<32>(_mm512_mul_epu32(a, b_upper));
    _mm512_add_epi64(_mm512_add_epi64(_mm512_mul_epu32(a_upper, b_upper), lower), middle)
}

/// [`upper_word`] for a, b < 2^63, whose middle products can be added before they're cut: short by at most one
/// from ⌊a·b / 2^64⌋.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn upper_word_of_short(a: __m512i, b: __m512i) -> __m512i {
    let (a_upper, b_upper) = (upper_half(a), upper_half(b));
    let middle = _mm512_add_epi64(_mm512_mul_epu32(a_upper, b), _mm512_mul_epu32(a, b_upper));
    _mm512_add_epi64(_mm512_mul_epu32(a_upper, b_upper), _mm512_srli_epi64::<32>(middle))
}

/// a where it's below `bound`, else a − bound.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn reduced_by(a: __m512i, bound: __m512i) -> __m512i {
    // Where a is below, the difference wraps around and is the greater one.
    _mm512_min_epu64(a, _mm512_sub_epi64(a, bound))
}

/// The constants of one modulus.
#[derive(Clone, Copy)]
pub(super) struct Prime {
    pub(super) value: __m512i,
    pub(super) double: __m512i,
    pub(super) quadruple: __m512i,
}

impl Prime {
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn new(q: &Modulus) -> Self {
        let value = q.value();
        Self { value: splat(value), double: splat(2 * value), quadruple: splat(4 * value) }
    }

    /// a mod q. In: a < 4q. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn below_quadruple(&self, a: __m512i) -> __m512i {
        reduced_by(reduced_by(a, self.double), self.value)
    }

    /// a mod q. In: a < 8q. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn below_octuple(&self, a: __m512i) -> __m512i {
        self.below_quadruple(reduced_by(a, self.quadruple))
    }

    /// a·w in [0, 4q). In: any word a.
    ///
    /// The quotient is short by less than three from leaving out and cutting, and by less than a/2^64 from the
    /// cut of the prepared one.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn mul_lazy(&self, a: __m512i, w: Factor) -> __m512i {
        let quotient = upper_word(a, w.quotient);
        _mm512_sub_epi64(_mm512_mullo_epi64(a, w.value), _mm512_mullo_epi64(quotient, self.value))
    }

    /// a·w. In: any word a. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn mul(&self, a: __m512i, w: Factor) -> __m512i {
        self.below_quadruple(self.mul_lazy(a, w))
    }

    /// a + b. In: a, b < q. Out: < q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn add(&self, a: __m512i, b: __m512i) -> __m512i {
        reduced_by(_mm512_add_epi64(a, b), self.value)
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
