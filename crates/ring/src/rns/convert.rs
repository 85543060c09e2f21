//! Base conversion.

use asanoha_kernels::{Kernels, ShoupFactor};
use rayon::prelude::*;

use super::{
    basis::{Basis, Limb},
    memory::Words,
    poly::{Coefficient, Poly, Work},
};

/// Coefficients that one thread takes at a time where all primes are read together.
const BLOCK: usize = 1 << 15;

/// Conversion of polynomials from a basis Q = ∏ qᵢ to another basis.
///
/// With yᵢ = [x·(Q/qᵢ)⁻¹] modulo qᵢ, x = Σ yᵢ·Q/qᵢ − v·Q. The exact conversion takes v = ⌊Σ yᵢ/qᵢ + ½⌋ and gives
/// the representative of x in [−Q/2, Q/2] (next to ±Q/2, within double precision, either of the two ends); the
/// approximate one takes v = 0 and gives a representative in [0, k·Q) for k primes.
/// Source: Halevi, Polyakov, Shoup 2018 (exact); Bajard, Eynard, Hasan, Zucca 2016 (approximate).
///
/// A factor f folded in at construction converts \[f⁻¹·x\] modulo Q and multiplies the result by f again: the
/// result is then ≡ x modulo Q and ≡ 0 modulo f, which is what dividing by Q needs in BGV.
#[derive(Debug)]
pub struct Converter {
    cofactors: Cofactors,
    to: Basis,
    /// For every target prime p: f·Q/qᵢ modulo p and then, where the conversion is exact, −f·Q modulo p.
    weights: Vec<Vec<u64>>,
    kernels: Vec<&'static Kernels>,
}

impl Converter {
    /// The exact conversion.
    pub fn exact(from: &Basis, to: &Basis) -> Self {
        Self::new(from, to, true, |_| 1)
    }

    /// The approximate conversion.
    pub fn approximate(from: &Basis, to: &Basis) -> Self {
        Self::new(from, to, false, |_| 1)
    }

    /// The exact conversion to the representative that is divisible by f, given as its residue modulo each prime.
    ///
    /// # Panics
    /// If f has no inverse modulo a prime of `from`.
    pub fn exact_multiple_of(from: &Basis, to: &Basis, residue: impl Fn(u64) -> u64) -> Self {
        Self::new(from, to, true, residue)
    }

    fn new(from: &Basis, to: &Basis, exact: bool, factor: impl Fn(u64) -> u64) -> Self {
        let weights = |limb: &std::sync::Arc<Limb>| {
            let p = limb.modulus();
            let f = factor(p.value());
            let mut row: Vec<u64> = (0..from.len()).map(|i| p.mul(f, product_without(from, i, p))).collect();
            if exact {
                row.push(p.neg(p.mul(f, product_without(from, from.len(), p))));
            }
            row
        };
        let bits = from.max_bits();
        Self {
            cofactors: Cofactors::new(from, exact, &factor),
            to: to.clone(),
            weights: to.limbs().iter().map(weights).collect(),
            kernels: to
                .limbs()
                .iter()
                .map(|limb| to.backend().kernels(bits.max(limb.modulus().bits())))
                .collect(),
        }
    }

    /// The basis converted from.
    pub fn from(&self) -> &Basis {
        &self.cofactors.from
    }

    /// The basis converted to.
    pub fn to(&self) -> &Basis {
        &self.to
    }

    /// Converts. The polynomial is used up: its words serve as scratch.
    pub fn convert(&self, x: Poly<Coefficient>) -> Poly<Coefficient> {
        let prepared = self.prepare(x);
        Poly::build(&self.to, Work::Transform, |i, limb, out| self.row(&prepared, i, limb, out))
    }

    /// The yᵢ, and v after them where the conversion is exact.
    pub(crate) fn prepare(&self, x: Poly<Coefficient>) -> Prepared {
        self.cofactors.prepare(x)
    }

    /// The residues modulo the target prime at position i.
    pub(crate) fn row(&self, prepared: &Prepared, i: usize, limb: &Limb, out: &mut [u64]) {
        let mut inputs: Vec<&[u64]> = (0..self.from().len()).map(|k| prepared.residues.limb(k)).collect();
        inputs.extend(prepared.quotients.as_deref());
        (self.kernels[i].weighted_sum)(out, &inputs, &self.weights[i], limb.modulus());
    }
}

/// What the yᵢ and v are computed with.
#[derive(Debug)]
pub(super) struct Cofactors {
    from: Basis,
    /// \[f⁻¹·(Q/qᵢ)⁻¹\] modulo qᵢ.
    inverses: Vec<ShoupFactor>,
    /// 1/qᵢ, where v is wanted.
    reciprocals: Option<Vec<f64>>,
}

impl Cofactors {
    pub(super) fn new(from: &Basis, exact: bool, factor: impl Fn(u64) -> u64) -> Self {
        let inverse = |i: usize| {
            let q = from.modulus(i);
            let others = product_without(from, i, q);
            let inverse = q.inverse(q.mul(others, factor(q.value()))).expect("the factor is a unit");
            q.shoup(inverse)
        };
        Self {
            from: from.clone(),
            inverses: (0..from.len()).map(inverse).collect(),
            reciprocals: exact.then(|| from.primes().map(|q| 1.0 / q as f64).collect()),
        }
    }

    /// The yᵢ, and v after them where the conversion is exact.
    pub(super) fn prepare(&self, mut x: Poly<Coefficient>) -> Prepared {
        assert_eq!(*x.basis(), self.from);
        x.for_each_limb(Work::Pass, |i, limb, words| {
            (limb.kernels().mul_scalar_assign)(words, self.inverses[i], limb.modulus());
        });
        let n = self.from.ring_degree();
        let quotients = self.reciprocals.as_ref().map(|reciprocals| {
            let kernels = self.from.backend().kernels(self.from.max_bits());
            let mut quotients = self.from.pool().take(n);
            quotients.par_chunks_mut(BLOCK).enumerate().for_each(|(block, out)| {
                let range = block * BLOCK..block * BLOCK + out.len();
                let inputs: Vec<&[u64]> = (0..self.from.len()).map(|i| &x.limb(i)[range.clone()]).collect();
                (kernels.rounded_sum)(out, &inputs, reciprocals);
            });
            quotients
        });
        Prepared { residues: x, quotients }
    }
}

/// The yᵢ, and v where it's wanted.
pub(crate) struct Prepared {
    pub(super) residues: Poly<Coefficient>,
    pub(super) quotients: Option<Words>,
}

/// ∏ qₖ over k ≠ excluded, modulo p.
fn product_without(from: &Basis, excluded: usize, p: &asanoha_kernels::Modulus) -> u64 {
    from.primes()
        .enumerate()
        .filter(|(k, _)| *k != excluded)
        .fold(1 % p.value(), |product, (_, q)| p.mul(product, p.reduce(q)))
}
