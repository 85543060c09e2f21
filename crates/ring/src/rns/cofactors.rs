//! What conversion out of a basis begins with: x = Σ yᵢ·Q/qᵢ − v·Q.

use std::sync::Arc;

use asanoha_kernels::{Modulus, ShoupFactor};
use rayon::prelude::*;

use super::{
    basis::Basis,
    size::RelativeSize,
    work::{Work, for_each_limb},
};
use crate::memory::{Pool, Words};

/// Coefficients that one thread takes at a time when all primes are read together.
const BLOCK: usize = 1 << 15;

/// The constants that the yᵢ and v are computed with.
#[derive(Debug)]
pub(super) struct Cofactors {
    pub(super) from: Basis,
    /// \[g·(Q/qᵢ)⁻¹\] modulo qᵢ.
    pub(super) factors: Vec<ShoupFactor>,
    /// 1/qᵢ, if v is computed.
    pub(super) reciprocals: Option<Vec<f64>>,
}

impl Cofactors {
    pub(super) fn new(from: &Basis, exact: bool, factor: impl Fn(&Modulus) -> u64) -> Self {
        let inverse = |i: usize| {
            let q = from.modulus(i);
            let inverse = q.inverse(product_without(from, i, q)).expect("distinct primes");
            q.shoup(q.mul(inverse, factor(q)))
        };
        Self {
            from: from.clone(),
            factors: (0..from.len()).map(inverse).collect(),
            reciprocals: exact.then(|| from.primes().map(|q| 1.0 / q as f64).collect()),
        }
    }

    /// The yᵢ of a polynomial's words in coefficient form, followed by v if there are reciprocals.
    pub(super) fn prepare(&self, basis: Basis, mut residues: Words) -> Prepared {
        assert_eq!(basis, self.from);
        let n = self.from.ring_degree();
        for_each_limb(&basis, &mut residues, Work::Pass, |i, limb, words| {
            (limb.kernels().mul_scalar_assign)(words, self.factors[i], limb.modulus());
        });
        let quotients = self.quotients(&residues.chunks_exact(n).collect::<Vec<_>>(), basis.pool());
        Prepared { basis, residues, quotients }
    }

    /// v of the yᵢ, if there are reciprocals.
    pub(super) fn quotients(&self, residues: &[&[u64]], pool: &Arc<Pool>) -> Option<Words> {
        let reciprocals = self.reciprocals.as_ref()?;
        let kernels = self.from.backend().kernels(self.from.max_bits());
        let mut quotients = pool.take(self.from.ring_degree());
        quotients.par_chunks_mut(BLOCK).enumerate().for_each(|(block, out)| {
            let range = block * BLOCK..block * BLOCK + out.len();
            let inputs: Vec<&[u64]> = residues.iter().map(|words| &words[range.clone()]).collect();
            (kernels.rounded_sum)(out, &inputs, reciprocals);
        });
        Some(quotients)
    }
}

/// The yᵢ, and v if the conversion is exact.
pub(crate) struct Prepared {
    pub(super) basis: Basis,
    pub(super) residues: Words,
    pub(super) quotients: Option<Words>,
}

impl Prepared {
    /// The yᵢ and v.
    pub(super) fn inputs(&self) -> Vec<&[u64]> {
        self.residues.chunks_exact(self.basis.ring_degree()).chain(self.quotients.as_deref()).collect()
    }

    /// The size of the polynomial, whose fractions c/Q are Σ yᵢ/qᵢ less the nearest integer.
    pub(super) fn relative_size(&self) -> RelativeSize {
        RelativeSize::of(&self.basis, &self.residues)
    }
}

/// ∏ qₖ over k ≠ excluded, modulo p.
fn product_without(from: &Basis, excluded: usize, p: &Modulus) -> u64 {
    from.primes()
        .enumerate()
        .filter(|(k, _)| *k != excluded)
        .fold(1 % p.value(), |product, (_, q)| p.mul(product, p.reduce(q)))
}
