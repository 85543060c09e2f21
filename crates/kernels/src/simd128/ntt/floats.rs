//! Residues with quotients in double precision, for moduli of at most 50 bits: integers of either sign. Factors have a
//! magnitude of at most 2^51.
//!
//! With bounds in units of q, a product of a value of at most y is at most ½ + y·q/2^52, which is ½ + y/4 at 50 bits and
//! ½ + y/32 at 47 bits.
//!
//! Forward, tight: X of at most 2 are corrected to 1, products of such Y are at most 1, so sums are at most 2, which
//! makes 2^51. Up to 47 bits eighteen layers end below 14, within 16: no correction is ever needed.
//!
//! Inverse, tight: at most 1, after the correction of every sum. Up to 47 bits: at most 2 between the passes. Sums of
//! four, at most 8, are corrected to 2; products are at most ½ + 8/32, and sums of two of them at most 1½.

use super::arithmetic::{Arithmetic, Four, Root};
use crate::{
    NttTable,
    simd128::{
        float::{FloatFactor, FloatPrime, halved},
        vector::{Vector, add, splat, sub},
    },
};

/// The widest moduli without corrections of sums forward, in bits.
pub(super) const MAX_LAZY_BITS: u32 = 47;

/// Arithmetic for moduli of at most 50 bits if `TIGHT`, else for moduli of at most [`MAX_LAZY_BITS`].
#[derive(Clone, Copy)]
pub(super) struct Floats<const TIGHT: bool> {
    prime: FloatPrime,
    /// The bound of inverse passes and twice as much.
    bound: Vector,
    double: Vector,
    /// 1/N and 1/N times the last root.
    last_sum: FloatFactor,
    last_difference: FloatFactor,
}

impl<const TIGHT: bool> Floats<TIGHT> {
    #[inline]
    fn mul(&self, a: Vector, w: Root) -> Vector {
        self.prime.mul_lazy(a, FloatFactor { value: w.value, quotient: w.quotient })
    }

    /// X + Y, corrected if `CORRECT`, and W·(X − Y).
    #[inline]
    fn butterfly<const CORRECT: bool>(&self, x: Vector, y: Vector, w: Root) -> [Vector; 2] {
        let sum = add(x, y);
        [if CORRECT { halved(sum, self.bound) } else { sum }, self.mul(sub(x, y), w)]
    }

    /// Out: canonical words.
    #[inline]
    fn last(&self, x: Vector, y: Vector) -> [Vector; 2] {
        [self.prime.mul(add(x, y), self.last_sum), self.prime.mul(sub(x, y), self.last_difference)]
    }
}

impl<const TIGHT: bool> Arithmetic for Floats<TIGHT> {
    #[inline]
    fn new(table: &NttTable) -> Self {
        let q = table.modulus();
        let bound = if TIGHT { q.value() } else { 2 * q.value() };
        Self {
            prime: FloatPrime::new(q),
            bound: splat(bound),
            double: splat(2 * bound),
            last_sum: FloatFactor::splat(table.degree_inverse, q),
            last_difference: FloatFactor::splat(table.last_root_over_degree, q),
        }
    }

    #[inline]
    fn forward<const FRESH: bool>(&self, x: Vector, y: Vector, w: Root) -> [Vector; 2] {
        let x = if TIGHT { halved(x, self.bound) } else { x };
        let product = self.mul(y, w);
        [add(x, product), sub(x, product)]
    }

    #[inline]
    fn leave(&self, v: Vector) -> Vector {
        self.prime.canonical(self.prime.corrected(v))
    }

    #[inline]
    fn inverse_one(&self, x: Vector, y: Vector, w: Root) -> [Vector; 2] {
        self.butterfly::<true>(x, y, w)
    }

    #[inline]
    fn inverse_two(&self, [a, b, c, d]: Four, [w, z, u]: [Root; 3]) -> Four {
        let ([a, b], [c, d]) = (self.butterfly::<TIGHT>(a, b, z), self.butterfly::<TIGHT>(c, d, u));
        let ([a, c], [b, d]) = (self.butterfly::<TIGHT>(a, c, w), self.butterfly::<TIGHT>(b, d, w));
        let a = if TIGHT { a } else { halved(halved(a, self.double), self.bound) };
        [a, b, c, d]
    }

    #[inline]
    fn last_two(&self, [a, b, c, d]: Four, [z, u]: [Root; 2]) -> Four {
        let ([a, b], [c, d]) = (self.butterfly::<TIGHT>(a, b, z), self.butterfly::<TIGHT>(c, d, u));
        let ([a, c], [b, d]) = (self.last(a, c), self.last(b, d));
        [a, b, c, d]
    }
}
