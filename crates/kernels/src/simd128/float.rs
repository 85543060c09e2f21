//! Modular arithmetic with quotients in double precision, for moduli of at most 50 bits.
//!
//! Residues are integers of either sign, in words. A product a·b less c·q, for an integer c near a·b/q, is small, so the
//! lower 64 bits of both have all of it.

use std::arch::wasm32::{f64x2_add, f64x2_mul, f64x2_splat, f64x2_sub, i64x2_gt, i64x2_mul};

use super::slices::{fill, read, read_last, update, update_by, update_by_two};
use super::vector::{Vector, add, and, non_negative, reduced_by, splat, sub, zero};
use crate::{Modulus, ShoupFactor};

/// 2^52 + 2^51: the lower bits of its sum with an integer of either sign below 2^51 are that integer.
pub(super) const SHIFT: f64 = (3u64 << 51) as f64;

/// Words to doubles. In: −2^51 ≤ a < 2^51.
#[inline]
pub(super) fn to_floats(a: Vector) -> Vector {
    let shift = f64x2_splat(SHIFT);
    f64x2_sub(add(a, shift), shift)
}

/// A constant w of products a·w, with w/q rounded to double precision.
#[derive(Clone, Copy)]
pub(super) struct FloatFactor {
    pub(super) value: Vector,
    pub(super) quotient: Vector,
}

impl FloatFactor {
    #[inline]
    pub(super) fn splat(w: ShoupFactor, q: &Modulus) -> Self {
        Self { value: splat(w.value), quotient: f64x2_splat(w.value as f64 / q.value() as f64) }
    }
}

/// The constants of one modulus.
#[derive(Clone, Copy)]
pub(super) struct FloatPrime {
    /// q.
    value: Vector,
    /// 1/q, rounded.
    inverse: Vector,
    /// The product of q and the bits of [`SHIFT`], modulo 2^64.
    excess: Vector,
}

impl FloatPrime {
    #[inline]
    pub(super) fn new(q: &Modulus) -> Self {
        let value = q.value();
        Self {
            value: splat(value),
            inverse: f64x2_splat(1.0 / value as f64),
            excess: splat(SHIFT.to_bits().wrapping_mul(value)),
        }
    }

    /// a less the multiple of q by the nearest integer to `quotient`.
    #[inline]
    fn remainder(&self, a: Vector, quotient: Vector) -> Vector {
        // The quotient comes with the bits of the shift; their product is put back.
        let quotient = f64x2_add(quotient, f64x2_splat(SHIFT));
        sub(add(a, self.excess), i64x2_mul(quotient, self.value))
    }

    /// A value congruent to a·w, of magnitude at most q/2 + q·|a|/2^52. In: −2^51 ≤ a < 2^51.
    ///
    /// The quotient's two roundings cost it at most a·2^−52, the one to an integer ½.
    #[inline]
    pub(super) fn mul_lazy(&self, a: Vector, w: FloatFactor) -> Vector {
        self.remainder(i64x2_mul(a, w.value), f64x2_mul(to_floats(a), w.quotient))
    }

    /// A value congruent to a·b, of magnitude below 0.9·q. In: 0 ≤ a, b < q.
    ///
    /// The quotient's three roundings cost it at most 2^50 · 3·2^−53, the one to an integer ½.
    #[inline]
    fn product_lazy(&self, a: Vector, b: Vector) -> Vector {
        let quotient = f64x2_mul(f64x2_mul(to_floats(a), to_floats(b)), self.inverse);
        self.remainder(i64x2_mul(a, b), quotient)
    }

    /// A value congruent to a, of magnitude at most 0.51·q. In: −2^51 ≤ a < 2^51, and at most a few multiples of q.
    #[inline]
    pub(super) fn corrected(&self, a: Vector) -> Vector {
        self.remainder(a, f64x2_mul(to_floats(a), self.inverse))
    }

    /// Canonical words. In: −q < a < q.
    #[inline]
    pub(super) fn canonical(&self, a: Vector) -> Vector {
        non_negative(a, self.value)
    }

    /// The canonical residue of c + a. In: −q < a < q; 0 ≤ c < q.
    #[inline]
    fn add_canonical(&self, c: Vector, a: Vector) -> Vector {
        reduced_by(add(self.canonical(a), c), self.value)
    }

    /// a·b. In: a, b < q. Out: < q.
    #[inline]
    fn product(&self, a: Vector, b: Vector) -> Vector {
        self.canonical(self.product_lazy(a, b))
    }

    /// c + a·b. In: a, b, c < q. Out: < q.
    #[inline]
    fn add_product(&self, c: Vector, a: Vector, b: Vector) -> Vector {
        self.add_canonical(c, self.product_lazy(a, b))
    }

    #[inline]
    fn factor(w: ShoupFactor, q: &Modulus) -> FloatFactor {
        FloatFactor::splat(w, q)
    }

    /// a·w. In: −q < a < 2^50. Out: < q.
    #[inline]
    pub(super) fn mul(&self, a: Vector, w: FloatFactor) -> Vector {
        self.canonical(self.mul_lazy(a, w))
    }

    /// c + a·w. In: a < 2^50, c < q. Out: < q.
    #[inline]
    fn mul_add(&self, c: Vector, a: Vector, w: FloatFactor) -> Vector {
        self.add_canonical(c, self.mul_lazy(a, w))
    }
}

/// Vectors summed side by side.
const STRIP: usize = 1;

/// Σ of terms of magnitude below q, canonical.
#[inline]
fn sum_of<T>(terms: impl Iterator<Item = T>, q: Vector, product: impl Fn(T) -> [Vector; 1]) -> [Vector; 1] {
    let sum = terms.fold(zero(), |sum, term| halved(add(sum, product(term)[0]), q));
    [reduced_by(non_negative(sum, q), q)]
}

pub(crate) fn inner_product(out: &mut [u64], pairs: &[(&[u64], &[u64])], q: &Modulus) {
    assert!(pairs.iter().all(|(a, b)| a.len() == out.len() && b.len() == out.len()));
    let prime = FloatPrime::new(q);
    fill_with_sums!(out, |vectors| sum_of(pairs.iter(), prime.value, |(a, b)| {
        let ([a], [b]) = (vectors(a), vectors(b));
        [prime.product_lazy(a, b)]
    }));
}

pub(crate) fn weighted_sum(out: &mut [u64], inputs: &[&[u64]], weights: &[ShoupFactor], q: &Modulus) {
    assert!(inputs.len() == weights.len() && inputs.iter().all(|input| input.len() == out.len()));
    let prime = FloatPrime::new(q);
    let terms: Vec<(&[u64], FloatFactor)> =
        inputs.iter().copied().zip(weights.iter().map(|&w| FloatFactor::splat(w, q))).collect();
    fill_with_sums!(out, |vectors| sum_of(terms.iter(), prime.value, |&(a, w)| {
        let [a] = vectors(a);
        [prime.mul_lazy(a, w)]
    }));
}

pub(crate) fn matrix_product(out: &mut [u64], inputs: &[&[u64]], weights: &[u64], q: &Modulus) {
    crate::matrix::by_rows(weighted_sum, out, inputs, weights, q);
}

/// A value congruent to a, of magnitude at most `multiple`, which is one of q. In: |a| ≤ 2·multiple.
#[inline]
pub(super) fn halved(a: Vector, multiple: Vector) -> Vector {
    sub(add(a, multiple), and(i64x2_gt(a, zero()), add(multiple, multiple)))
}

modular_products!(
    #[target_feature(enable = "simd128")]
    FloatPrime,
    FloatPrime,
    |prime, a, b, w| { prime.mul(sub(a, b), w) }
);
