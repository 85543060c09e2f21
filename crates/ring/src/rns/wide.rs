//! Exact and fast conversion between polynomials and integers modulo a number of any size.

use asanoha_kernels::{Modulus, ShoupFactor};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, ToPrimitive};
use rayon::prelude::*;

use super::{
    basis::Basis,
    convert::{Cofactors, Prepared},
    poly::{Coefficient, Poly, Work},
    size::RelativeSize,
};
use crate::wide::{WideModulus, bits};

/// Rows that one thread takes at a time.
const ROWS: usize = 1 << 9;

impl Poly<Coefficient> {
    /// The polynomial whose coefficients are the residues of rows modulo t (see [`WideModulus`]), centred in
    /// (−t/2, t/2].
    ///
    /// A row is cut into digits of the primes' width, and one weighted sum for each prime puts them together; t is
    /// subtracted where the residue is in the upper half.
    ///
    /// # Panics
    /// If there aren't N rows.
    pub fn from_rows(basis: &Basis, rows: &[u64], t: &WideModulus) -> Self {
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
                digits
                    .iter_mut()
                    .zip(rows.chunks_exact(limbs))
                    .for_each(|(d, row)| *d = bits(row, bit, width));
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
        Self::combination(basis, width, &terms)
    }

    /// The polynomial Σ wₖ·aₖ for weights wₖ and coefficients aₖ of at most `bits` bits.
    ///
    /// # Panics
    /// If there aren't N coefficients, or they have more than 61 bits.
    pub fn combination(basis: &Basis, bits: u32, terms: &[(&[u64], BigInt)]) -> Self {
        let inputs: Vec<&[u64]> = terms.iter().map(|(input, _)| *input).collect();
        Self::build(basis, Work::Transform, |_, limb, out| {
            let q = limb.modulus();
            let residue = |weight: &BigInt| {
                let residue = weight.mod_floor(&BigInt::from(q.value()));
                residue.to_u64().expect("below a word-sized modulus")
            };
            let weights: Vec<ShoupFactor> =
                terms.iter().map(|(_, weight)| q.shoup(residue(weight))).collect();
            (basis.backend().kernels(bits.max(q.bits())).weighted_sum)(out, &inputs, &weights, q);
        })
    }

    /// What the coefficients, centred modulo Q, are sums of modulo t: as [`Poly::into_rows`] computes them.
    pub fn into_summands(self, t: &WideModulus) -> Summands {
        self.into_scaled_summands(t, &BigUint::one())
    }

    /// As [`Poly::into_summands`], of the coefficients times a factor.
    pub fn into_scaled_summands(self, t: &WideModulus, factor: &BigUint) -> Summands {
        let basis = self.basis().clone();
        let product = basis.product();
        // Q/qᵢ and then −Q, times the factor modulo t.
        let mut weights: Vec<BigUint> =
            basis.primes().map(|q| &product / q % t.value() * factor % t.value()).collect();
        weights.push(t.residue(&-(BigInt::from(product) * BigInt::from(factor.clone()))));
        Summands { prepared: Cofactors::new(&basis, true, |_| 1).prepare(self), weights }
    }

    /// The coefficients, centred modulo Q, as rows of residues modulo t.
    ///
    /// With x = Σ yᵢ·Q/qᵢ − v·Q as in [`crate::Converter`]: exact, except within double precision of ±Q/2.
    pub fn into_rows(self, t: &WideModulus) -> Vec<u64> {
        self.into_summands(t).into_rows(t)
    }
}

impl Summands {
    /// The size of the coefficients, relative to Q.
    pub fn relative_size(&self) -> RelativeSize {
        self.prepared.relative_size()
    }

    /// The coefficients (times the factor) as rows of residues modulo t, as [`Poly::into_rows`] computes them.
    pub fn into_rows(self, t: &WideModulus) -> Vec<u64> {
        let basis = self.prepared.residues.basis().clone();
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
        let Prepared { residues, quotients } = &self.prepared;
        let residues = (0..residues.basis().len()).map(|i| residues.limb(i));
        residues.chain(quotients.as_deref()).zip(self.weights.iter().cloned()).collect()
    }
}
