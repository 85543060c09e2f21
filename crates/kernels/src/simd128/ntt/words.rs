//! Residues as words, for moduli of at most 61 bits.
//!
//! Products are below 4q. Values are below 8K·q, K = 1 for moduli of 61 bits and K = 2 for narrower ones, and a
//! correction brings them below 4K·q. Forward, every layer adds less than 4q, so a correction lasts for K layers;
//! only the X need it, since any word will do for a factor. Inverse, values are below 4K·q between the layers: a
//! sum that could exceed that is corrected at once.

use super::arithmetic::{Arithmetic, Four, Root};
use crate::{
    NttTable,
    simd128::vector::{Factor, Prime, Vector, add, reduced_by, splat, sub},
};

/// K = 1 where `TIGHT`.
#[derive(Clone, Copy)]
pub(super) struct WordResidues<const TIGHT: bool> {
    prime: Prime,
    /// 4K·q.
    half_range: Vector,
    /// 1/N and 1/N times the last root.
    last_sum: Factor,
    last_difference: Factor,
}

impl<const TIGHT: bool> WordResidues<TIGHT> {
    #[inline]
    fn mul(&self, a: Vector, w: Root) -> Vector {
        self.prime.mul_lazy(a, Factor { value: w.value, quotient: w.quotient })
    }

    /// X + Y and X − Y + 4K·q.
    #[inline]
    fn sum_and_difference(&self, x: Vector, y: Vector) -> [Vector; 2] {
        [add(x, y), sub(add(x, self.half_range), y)]
    }

    #[inline]
    fn butterfly<const CORRECT: bool>(&self, x: Vector, y: Vector, w: Root) -> [Vector; 2] {
        let [sum, difference] = self.sum_and_difference(x, y);
        [if CORRECT { reduced_by(sum, self.half_range) } else { sum }, self.mul(difference, w)]
    }

    /// Out: canonical words.
    #[inline]
    fn last(&self, x: Vector, y: Vector) -> [Vector; 2] {
        let [sum, difference] = self.sum_and_difference(x, y);
        [self.prime.mul(sum, self.last_sum), self.prime.mul(difference, self.last_difference)]
    }
}

impl<const TIGHT: bool> Arithmetic for WordResidues<TIGHT> {
    #[inline]
    fn new(table: &NttTable) -> Self {
        let q = table.modulus();
        let k = if TIGHT { 1 } else { 2 };
        Self {
            prime: Prime::new(q),
            half_range: splat(4 * k * q.value()),
            last_sum: Factor::splat(table.degree_inverse),
            last_difference: Factor::splat(table.last_root_over_degree),
        }
    }

    #[inline]
    fn forward<const FRESH: bool>(&self, x: Vector, y: Vector, w: Root) -> [Vector; 2] {
        let x = if TIGHT || !FRESH { reduced_by(x, self.half_range) } else { x };
        let product = self.mul(y, w);
        [add(x, product), sub(add(x, self.prime.quadruple), product)]
    }

    #[inline]
    fn leave(&self, v: Vector) -> Vector {
        self.prime.below_octuple(if TIGHT { v } else { reduced_by(v, self.half_range) })
    }

    #[inline]
    fn inverse_one(&self, x: Vector, y: Vector, w: Root) -> [Vector; 2] {
        self.butterfly::<true>(x, y, w)
    }

    #[inline]
    fn inverse_two(&self, [a, b, c, d]: Four, [w, z, u]: [Root; 3]) -> Four {
        let ([a, b], [c, d]) = (self.butterfly::<true>(a, b, z), self.butterfly::<true>(c, d, u));
        // The latter two are products of the layer before.
        let ([a, c], [b, d]) = (self.butterfly::<true>(a, c, w), self.butterfly::<TIGHT>(b, d, w));
        [a, b, c, d]
    }

    #[inline]
    fn last_two(&self, [a, b, c, d]: Four, [z, u]: [Root; 2]) -> Four {
        let ([a, b], [c, d]) = (self.butterfly::<true>(a, b, z), self.butterfly::<true>(c, d, u));
        let ([a, c], [b, d]) = (self.last(a, c), self.last(b, d));
        [a, b, c, d]
    }
}
