//! The size of polynomials' coefficients, computed without big integers.

use rayon::prelude::*;

use super::basis::Basis;

/// Coefficients that one thread takes at a time.
const BLOCK: usize = 1 << 12;

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

    /// Of the polynomial whose fractions c/Q are Σ yᵢ/qᵢ less the nearest integer, by the words of the yᵢ.
    pub(super) fn of(basis: &Basis, residues: &[u64]) -> Self {
        let reciprocals: Vec<f64> = basis.primes().map(|q| 1.0 / q as f64).collect();
        let kernel = basis.backend().kernels(basis.max_bits()).fraction_size;
        let (n, block) = (basis.ring_degree(), BLOCK.min(basis.ring_degree()));
        let (largest, square) = (0..n / block)
            .into_par_iter()
            .map(|index| {
                let range = index * block..(index + 1) * block;
                let inputs: Vec<&[u64]> =
                    (0..basis.len()).map(|i| &residues[i * n..(i + 1) * n][range.clone()]).collect();
                kernel(&inputs, &reciprocals)
            })
            .reduce(|| (0.0, 0.0), |a, b| (a.0.max(b.0), a.1 + b.1));
        Self { largest, euclidean: square.sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backend, Poly};
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
