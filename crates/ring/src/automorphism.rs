//! The automorphisms X → X^g of the ring, g odd.

use asanoha_kernels::{Permutation, evaluation_exponent};

/// An odd exponent g modulo 2N: the automorphism X → X^g.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GaloisElement(pub u32);

impl GaloisElement {
    /// The automorphism that rotates slots to the left by `rotation` places: 5^rotation modulo 2N.
    ///
    /// The slots of a row form a cycle of N/2 places; negative rotations go to the right.
    pub fn rotation(ring_degree: usize, rotation: i64) -> Self {
        let order = 2 * ring_degree as u64;
        let mut exponent = rotation.rem_euclid(ring_degree as i64 / 2) as u64;
        let (mut result, mut square) = (1u64, 5u64);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result * square % order;
            }
            square = square * square % order;
            exponent >>= 1;
        }
        Self(result as u32)
    }

    /// The automorphism X → X^−1: complex conjugation in CKKS, the swap of the two rows in BGV and BFV.
    pub fn conjugation(ring_degree: usize) -> Self {
        Self(2 * ring_degree as u32 - 1)
    }

    /// The automorphism that does one and then the other; they commute.
    pub fn compose(self, other: Self, ring_degree: usize) -> Self {
        Self((u64::from(self.0) * u64::from(other.0) % (2 * ring_degree as u64)) as u32)
    }

    /// The automorphism that undoes it: every step of Newton's iteration doubles the bits that are right, of which an odd
    /// number has three to begin with.
    pub fn inverse(self, ring_degree: usize) -> Self {
        let g = self.0;
        let inverse = (0..4).fold(g, |h, _| h.wrapping_mul(2u32.wrapping_sub(g.wrapping_mul(h))));
        Self((u64::from(inverse) % (2 * ring_degree as u64)) as u32)
    }
}

/// An automorphism X → X^g as a permutation of evaluation order: entry i of the image is entry `source[i]`.
#[derive(Clone)]
pub struct EvaluationPermutation(pub(crate) Permutation);

impl std::fmt::Debug for EvaluationPermutation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EvaluationPermutation").field("ring_degree", &self.0.len()).finish_non_exhaustive()
    }
}

impl EvaluationPermutation {
    /// The permutation of X → X^g: the image's value at ψ^e is the value at ψ^(g·e).
    ///
    /// In evaluation order the indices are bit-reversed, so the eight entries of an aligned block differ in the upper
    /// bits of e only, and so do their images: every aligned block comes from one aligned block, and so the permutation
    /// takes few bytes.
    ///
    /// # Panics
    /// If g is even.
    pub fn new(ring_degree: usize, g: GaloisElement) -> Self {
        let mask = 2 * ring_degree - 1;
        let mut index_of = vec![0u32; ring_degree];
        for index in 0..ring_degree {
            index_of[evaluation_exponent(ring_degree, index) / 2] = index as u32;
        }
        let source: Vec<u32> = (0..ring_degree)
            .map(|index| {
                index_of[(evaluation_exponent(ring_degree, index).wrapping_mul(g.0 as usize) & mask) / 2]
            })
            .collect();
        Self(Permutation::new(&source).expect("g is odd"))
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_automorphism_has_an_inverse() {
        for n in [1, 2, 64, 1 << 18] {
            for g in (1..2 * n as u32).step_by(2) {
                let g = GaloisElement(g);
                assert_eq!(g.compose(g.inverse(n), n), GaloisElement(1));
            }
        }
    }
}
