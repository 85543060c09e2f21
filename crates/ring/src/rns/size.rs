//! The size of polynomials' coefficients, computed without big integers.

use std::ops::Range;

use asanoha_kernels::Modulus;
use rayon::prelude::*;
use zeroize::Zeroize;

use super::{
    convert::Cofactors,
    poly::{Coefficient, Poly},
};

/// Coefficients that are processed together: their residues and sums stay in the first-level cache.
const BLOCK: usize = 1 << 9;

/// The size of a polynomial's centred coefficients relative to its modulus Q.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RelativeSize {
    /// The largest |coefficient|/Q, at most ½.
    pub largest: f64,
    /// The Euclidean norm of the coefficients, divided by Q.
    pub euclidean: f64,
}

impl RelativeSize {
    /// The largest error of any coefficient/Q: k summands below 1, each rounded twice, make at most k² roundings of
    /// 2^−53, and there are fewer than 180 primes.
    pub const ERROR: f64 = 1.0 / (1u64 << 38) as f64;
}

/// The sum of this and a double of magnitude at most 2^51, less this, is the nearest integer; that's faster than
/// rounding.
const TO_INTEGER: f64 = 1.5 * (1u64 << 52) as f64;

impl Poly<Coefficient> {
    /// The size of the centred coefficients of f·self relative to the modulus Q, for an integer f; `factor` gives its
    /// residue modulo a prime. Every coefficient/Q is computed in double precision with an error below
    /// [`RelativeSize::ERROR`].
    ///
    /// With yᵢ = [f·c·(Q/qᵢ)⁻¹] modulo qᵢ, f·c/Q is Σ yᵢ/qᵢ less the nearest integer, which takes one multiplication
    /// and one addition for each word. Copies of residues are erased.
    pub fn relative_size(&self, factor: impl Fn(&Modulus) -> u64) -> RelativeSize {
        let (basis, n) = (self.basis(), self.basis().ring_degree());
        let cofactors = Cofactors::new(basis, false, factor);
        let block = BLOCK.min(n);
        let largest_and_square = |start: usize| self.block_size(&cofactors, start..start + block);
        let (largest, square) = (0..n / block)
            .into_par_iter()
            .map(|index| largest_and_square(index * block))
            .reduce(|| (0.0, 0.0), |a, b| (a.0.max(b.0), a.1 + b.1));
        RelativeSize { largest, euclidean: square.sqrt() }
    }

    /// The largest |c|/Q of some coefficients c, and the sum of the squares of c/Q.
    fn block_size(&self, cofactors: &Cofactors, range: Range<usize>) -> (f64, f64) {
        let (mut words, mut sums) = ([0u64; BLOCK], [0f64; BLOCK]);
        let (words, sums) = (&mut words[..range.len()], &mut sums[..range.len()]);
        for (i, (limb, &factor)) in self.basis().limbs().iter().zip(cofactors.factors()).enumerate() {
            words.copy_from_slice(&self.limb(i)[range.clone()]);
            (limb.kernels().mul_scalar_assign)(words, factor, limb.modulus());
            let reciprocal = 1.0 / limb.modulus().value() as f64;
            sums.iter_mut().zip(&*words).for_each(|(sum, &y)| *sum += y as f64 * reciprocal);
        }
        let size = sums.iter().fold((0.0, 0.0), |(largest, square): (f64, f64), sum| {
            let fraction = sum - ((sum + TO_INTEGER) - TO_INTEGER);
            (largest.max(fraction.abs()), square + fraction * fraction)
        });
        words.zeroize();
        sums.zeroize();
        size
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backend, Basis};
    use num_bigint::BigInt;

    #[test]
    fn relative_sizes_are_those_of_the_centred_integers() {
        for primes in [&[257][..], &[257, 641], &[1_125_899_906_840_833, 257, 641, 769]] {
            let basis = Basis::new(64, primes, Backend::detect().unwrap()).unwrap();
            let q = basis.log2_product().exp2();
            let half = BigInt::from(basis.product()) >> 1;
            // From nothing to next to ±Q/2.
            for part in [0, 1, 1000, 999_999, 1_000_000] {
                let largest: BigInt = &half * part / 1_000_000;
                let mut integers = vec![BigInt::from(0); 64];
                (integers[3], integers[40]) = (largest.clone(), -largest.clone());
                let size = Poly::from_integers(&basis, &integers).relative_size(|_| 1);
                let expected = largest.to_string().parse::<f64>().unwrap() / q;
                let error = (size.largest - expected).abs();
                assert!(error < 1e-12, "{primes:?}, {part}: {error:e}");
                assert!((size.euclidean - 2f64.sqrt() * expected).abs() < 1e-11);
            }
        }
    }
}
