//! Exact and fast conversion between polynomials and integers modulo a number of any size.

use asanoha_kernels::{Modulus, ShoupFactor};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, ToPrimitive};
use rayon::prelude::*;

use super::{
    basis::Basis,
    cofactors::{Cofactors, Prepared},
    size::RelativeSize,
    work::{Work, for_each_limb},
};
use crate::{
    memory::Words,
    wide::{WideModulus, bits},
};

/// Rows that one thread takes at a time.
const ROWS: usize = 1 << 9;

/// Writes the residues of [`Poly::from_rows`](super::Poly::from_rows).
pub(super) fn write_rows(basis: &Basis, rows: &[u64], t: &WideModulus, out: &mut [u64]) {
    let (n, limbs) = (basis.ring_degree(), t.limbs());
    assert_eq!(rows.len(), n * limbs);
    let width = basis.max_bits();
    let count = t.value().bits().div_ceil(u64::from(width)) as usize;
    let mut digits = vec![0; (count + 1) * n];
    digits.par_chunks_mut(n).enumerate().for_each(|(position, digits)| {
        if position == count {
            digits.iter_mut().zip(rows.chunks_exact(limbs)).for_each(|(d, row)| *d = t.is_negative(row));
        } else {
            let bit = position * width as usize;
            digits.iter_mut().zip(rows.chunks_exact(limbs)).for_each(|(d, row)| *d = bits(row, bit, width));
        }
    });
    let weight = |position| {
        if position == count {
            -BigInt::from(t.value().clone())
        } else {
            BigInt::one() << (width as usize * position)
        }
    };
    let terms: Vec<(&[u64], BigInt)> =
        digits.chunks_exact(n).enumerate().map(|(position, digits)| (digits, weight(position))).collect();
    write_combination(basis, width, &terms, out);
}

/// Writes the residues of [`Poly::combination`](super::Poly::combination).
pub(super) fn write_combination(basis: &Basis, bits: u32, terms: &[(&[u64], BigInt)], out: &mut [u64]) {
    let inputs: Vec<&[u64]> = terms.iter().map(|(input, _)| *input).collect();
    for_each_limb(basis, out, Work::Transform, |_, limb, out| {
        let q = limb.modulus();
        let residue = |weight: &BigInt| {
            let residue = weight.mod_floor(&BigInt::from(q.value()));
            residue.to_u64().expect("below a word-sized modulus")
        };
        let weights: Vec<ShoupFactor> = terms.iter().map(|(_, weight)| q.shoup(residue(weight))).collect();
        (basis.backend().kernels(bits.max(q.bits())).weighted_sum)(out, &inputs, &weights, q);
    });
}

impl Summands {
    /// Those of a polynomial's words in coefficient form, times a factor.
    pub(super) fn new(basis: Basis, words: Words, t: &WideModulus, factor: &BigUint) -> Self {
        let product = basis.product();
        // Q/qᵢ and then −Q, times the factor modulo t.
        let mut weights: Vec<BigUint> =
            basis.primes().map(|q| &product / q % t.value() * factor % t.value()).collect();
        weights.push(t.residue(&-(BigInt::from(product) * BigInt::from(factor.clone()))));
        Self { prepared: Cofactors::new(&basis, true, |_| 1).prepare(basis, words), weights }
    }

    /// The size of the coefficients, relative to Q.
    pub fn relative_size(&self) -> RelativeSize {
        self.prepared.relative_size()
    }

    /// The coefficients (times the factor) as rows of residues modulo t, as [`Poly::into_rows`](super::Poly::into_rows) computes them.
    pub fn into_rows(self, t: &WideModulus) -> Vec<u64> {
        let basis = self.prepared.basis.clone();
        let (n, limbs) = (basis.ring_degree(), t.limbs());
        let summands = self;
        let (inputs, weights): (Vec<&[u64]>, Vec<BigUint>) = summands.terms().into_iter().unzip();
        let mut rows = vec![0; n * limbs];
        if let Some(t) = t.value().to_u64().and_then(|t| Modulus::new(t).ok()) {
            let weight = |w: &BigUint| t.shoup(w.to_u64().expect("below t"));
            let weights: Vec<ShoupFactor> = weights.iter().map(weight).collect();
            let kernels = basis.backend().kernels(basis.max_bits().max(t.bits()));
            (kernels.weighted_sum)(&mut rows, &inputs, &weights, &t);
            return rows;
        }
        let weights: Vec<Vec<u64>> = weights.iter().map(|weight| t.shifted(weight)).collect();
        let terms: Vec<(&[u64], &[u64])> = weights.iter().map(Vec::as_slice).zip(inputs).collect();
        let (pairs, odd) = terms.as_chunks();
        rows.par_chunks_mut(limbs * ROWS).enumerate().for_each(|(block, rows)| {
            let mut sum = vec![0; limbs + 2];
            for (j, row) in rows.chunks_exact_mut(limbs).enumerate() {
                sum.fill(0);
                let at = block * ROWS + j;
                for [(b, v), (c, w)] in pairs {
                    t.add_products(&mut sum, (b, v[at]), (c, w[at]));
                }
                for (b, v) in odd {
                    t.add_products(&mut sum, (b, v[at]), (b, 0));
                }
                t.reduce_shifted(&mut sum, row);
            }
        });
        rows
    }
}

/// Words and weights modulo t of which a polynomial's centred coefficients are the sums of products.
pub struct Summands {
    prepared: Prepared,
    weights: Vec<BigUint>,
}

impl std::fmt::Debug for Summands {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Summands").finish_non_exhaustive()
    }
}

impl Summands {
    /// The words, below the widest prime, each with its weight.
    pub fn terms(&self) -> Vec<(&[u64], BigUint)> {
        self.prepared.inputs().into_iter().zip(self.weights.iter().cloned()).collect()
    }
}
