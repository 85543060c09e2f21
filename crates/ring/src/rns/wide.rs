//! Exact and fast conversion between polynomials and integers modulo a number of any size.

use asanoha_kernels::Modulus;
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use rayon::prelude::*;

use super::{
    basis::Basis,
    convert::{Cofactors, Prepared},
    poly::{Coefficient, Poly, Work},
};
use crate::wide::WideModulus;

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
        let inputs: Vec<&[u64]> = digits.chunks_exact(n).collect();
        Self::build(basis, Work::Transform, |_, limb, out| {
            let q = limb.modulus();
            let step = q.reduce(1 << width);
            let mut weights: Vec<u64> =
                std::iter::successors(Some(1), |&weight| Some(q.mul(weight, step))).take(count).collect();
            let t = (t.value() % q.value()).to_u64().expect("below a word-sized modulus");
            weights.push(q.neg(t));
            (basis.backend().kernels(width).weighted_sum)(out, &inputs, &weights, q);
        })
    }

    /// The coefficients, centred modulo Q, as rows of residues modulo t.
    ///
    /// With x = Σ yᵢ·Q/qᵢ − v·Q as in [`crate::Converter`]: exact, except within double precision of ±Q/2.
    pub fn into_rows(self, t: &WideModulus) -> Vec<u64> {
        let (n, limbs) = (self.basis().ring_degree(), t.limbs());
        let basis = self.basis().clone();
        let product = basis.product();
        // Q/qᵢ and then −Q, modulo t.
        let mut weights: Vec<BigUint> = basis.primes().map(|q| &product / q % t.value()).collect();
        weights.push(t.residue(&-BigInt::from(product)));
        let Prepared { residues, quotients } = Cofactors::new(&basis, true, |_| 1).prepare(self);
        let mut inputs: Vec<&[u64]> = (0..basis.len()).map(|i| residues.limb(i)).collect();
        inputs.extend(quotients.as_deref());
        let mut rows = vec![0; n * limbs];
        if let Some(t) = t.value().to_u64().and_then(|t| Modulus::new(t).ok()) {
            let weights: Vec<u64> = weights.iter().map(|w| w.to_u64().expect("below t")).collect();
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

/// The `width` bits (at most 61) of a row from a bit position on.
fn bits(row: &[u64], position: usize, width: u32) -> u64 {
    let (word, offset) = (position / 64, (position % 64) as u32);
    let low = row[word] >> offset;
    let high = row.get(word + 1).map_or(0, |&next| (next << 1) << (63 - offset));
    (low | high) & ((1 << width) - 1)
}
