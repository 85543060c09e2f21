//! Base conversion.

use std::sync::Arc;

use asanoha_kernels::{Kernels, Modulus, ShoupFactor};
use rayon::prelude::*;

use super::{
    basis::{Basis, Limb},
    cofactors::{Cofactors, Prepared},
    poly::{Coefficient, Evaluation, Poly},
    work::Work,
};
use crate::memory::{Pool, Words};

/// Coefficients that are converted at a time when all rows are computed: their residues stay in the first-level cache
/// while row after row reads them.
const TILE: usize = 1 << 9;

/// Conversion of polynomials from a basis Q = ∏ qᵢ to another basis.
///
/// With yᵢ = [x·(Q/qᵢ)⁻¹] modulo qᵢ, x = Σ yᵢ·Q/qᵢ − v·Q. The exact conversion takes v = ⌊Σ yᵢ/qᵢ + ½⌋ and gives
/// the representative of x in [−Q/2, Q/2] (next to ±Q/2, within double precision, either of the two ends); the
/// approximate one takes v = 0 and gives a representative in [0, k·Q) for k primes.
/// Sources: Halevi, Polyakov, Shoup, "An improved RNS variant of the BFV homomorphic encryption scheme" (CT-RSA 2019),
/// for the exact conversion; Bajard, Eynard, Hasan, Zucca, "A full RNS variant of FV like somewhat homomorphic
/// encryption schemes" (SAC 2016), for the approximate one.
///
/// Two factors g and f folded in at construction convert \[g·x\] modulo Q and multiply the result by f. With g = f⁻¹
/// the result is ≡ x modulo Q and ≡ 0 modulo f, which is what dividing by Q needs in BGV. With g = P and f = −Q⁻¹ it's
/// round(P·x/Q) modulo P, where P is the product of the primes converted to (which don't divide Q).
#[derive(Debug)]
pub struct Converter {
    cofactors: Cofactors,
    to: Basis,
    /// For every target prime p: f·Q/qᵢ modulo p, followed by −f·Q modulo p if the conversion is exact.
    weights: Vec<Vec<ShoupFactor>>,
    kernels: Vec<&'static Kernels>,
}

impl Converter {
    /// The exact conversion.
    pub fn exact(from: &Basis, to: &Basis) -> Self {
        Self::scaled(from, to, |_| 1, |_| 1)
    }

    /// The approximate conversion.
    pub fn approximate(from: &Basis, to: &Basis) -> Self {
        Self::new(from, to, false, |_| 1, |_| 1)
    }

    /// The exact conversion to the representative that is divisible by f, given as its residue modulo each prime.
    ///
    /// # Panics
    /// If f has no inverse modulo a prime of `from`.
    pub fn exact_multiple_of(from: &Basis, to: &Basis, residue: impl Fn(u64) -> u64) -> Self {
        let inverse = |q: &Modulus| q.inverse(residue(q.value())).expect("the factor is a unit");
        Self::scaled(from, to, inverse, |p| residue(p.value()))
    }

    /// The exact conversion of \[before·x\] modulo Q, multiplied by `after`; both are given as residues modulo a
    /// prime, `before` modulo those of `from`, `after` modulo those of `to`.
    pub fn scaled(
        from: &Basis,
        to: &Basis,
        before: impl Fn(&Modulus) -> u64,
        after: impl Fn(&Modulus) -> u64,
    ) -> Self {
        Self::new(from, to, true, before, after)
    }

    fn new(
        from: &Basis,
        to: &Basis,
        exact: bool,
        before: impl Fn(&Modulus) -> u64,
        after: impl Fn(&Modulus) -> u64,
    ) -> Self {
        let weights = |limb: &Arc<Limb>| {
            let p = limb.modulus();
            let f = after(p);
            let mut row = products_without_each(from, p, f);
            if exact {
                row.push(p.neg(p.mul(row[0], p.reduce(from.modulus(0).value()))));
            }
            row.into_iter().map(|weight| p.shoup(weight)).collect()
        };
        let bits = from.max_bits();
        Self {
            cofactors: Cofactors::new(from, exact, before),
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

    /// Converts a polynomial in coefficient form to the target basis.
    pub fn convert(&self, x: &Poly<Coefficient>) -> Poly<Coefficient> {
        self.tiles(x, &self.cofactors.factors)
    }

    /// Converts a polynomial that is given by its yᵢ, for callers that have already multiplied by \[(Q/qᵢ)⁻¹\].
    pub fn convert_prepared(&self, y: &Poly<Coefficient>) -> Poly<Coefficient> {
        self.tiles(y, &[])
    }

    fn tiles(&self, x: &Poly<Coefficient>, prepare: &[ShoupFactor]) -> Poly<Coefficient> {
        assert_eq!(x.basis(), self.from());
        let n = self.to.ring_degree();
        let tile = TILE.min(n);
        let mut converted = Poly::any(&self.to);
        let mut tiles: Vec<Vec<&mut [u64]>> = (0..n / tile).map(|_| Vec::new()).collect();
        for row in converted.limbs_mut() {
            tiles.iter_mut().zip(row.chunks_mut(tile)).for_each(|(rows, piece)| rows.push(piece));
        }
        let run = |(index, rows): (usize, Vec<&mut [u64]>)| {
            // From the operand's pool: the operand may be secret.
            let scratch = x.basis().pool().take((x.basis().len() + 1) * tile);
            let range = index * tile..(index + 1) * tile;
            let inputs: Vec<&[u64]> = (0..self.from().len()).map(|i| &x.limb(i)[range.clone()]).collect();
            self.tile(&inputs, prepare, rows, scratch);
        };
        if Work::Transform.is_worth_threads(n * self.to.len()) {
            tiles.into_par_iter().enumerate().for_each(run);
        } else {
            tiles.into_iter().enumerate().for_each(run);
        }
        converted
    }

    /// Converts a few coefficients to all target primes. `scratch` has room for one row and for one more for each
    /// source prime.
    fn tile(&self, inputs: &[&[u64]], prepare: &[ShoupFactor], rows: Vec<&mut [u64]>, mut scratch: Words) {
        let (from, length) = (self.from(), inputs[0].len());
        let (quotients, prepared) = scratch.split_at_mut(length);
        let mut inputs = inputs.to_vec();
        let factors = prepare.iter().zip(from.limbs());
        for ((input, y), (factor, limb)) in inputs.iter_mut().zip(prepared.chunks_mut(length)).zip(factors) {
            y.copy_from_slice(input);
            (limb.kernels().mul_scalar_assign)(y, *factor, limb.modulus());
            *input = y;
        }
        if let Some(reciprocals) = &self.cofactors.reciprocals {
            (from.backend().kernels(from.max_bits()).rounded_sum)(quotients, &inputs, reciprocals);
            inputs.push(quotients);
        }
        for (i, (row, limb)) in rows.into_iter().zip(self.to.limbs()).enumerate() {
            (self.kernels[i].weighted_sum)(row, &inputs, &self.weights[i], limb.modulus());
        }
    }

    /// The yᵢ, followed by v if the conversion is exact.
    pub(crate) fn prepare(&self, x: Poly<Coefficient>) -> Prepared {
        let basis = x.basis().clone();
        self.cofactors.prepare(basis, x.into_words())
    }

    /// As [`Converter::prepare`], of a polynomial's residues modulo the primes from position `first` on.
    pub(super) fn prepare_part(&self, x: &Poly<Evaluation>, first: usize) -> Prepared {
        let basis = x.basis().range(first..first + self.from().len());
        let pool = x.basis().pool();
        let mut residues = pool.take(basis.len() * basis.ring_degree());
        let quotients =
            self.prepare_values(&mut residues, pool, |i, words| words.copy_from_slice(x.limb(first + i)));
        Prepared { basis, residues, quotients }
    }

    /// Makes the yᵢ of values, in place, and returns v if the conversion is exact. `values(i, words)` makes the values modulo
    /// the prime at position i of what is there.
    pub(super) fn prepare_values(
        &self,
        words: &mut [u64],
        pool: &Arc<Pool>,
        values: impl Fn(usize, &mut [u64]) + Send + Sync,
    ) -> Option<Words> {
        let Cofactors { from, factors, .. } = &self.cofactors;
        let n = from.ring_degree();
        assert_eq!(words.len(), n * from.len());
        let prepare = |(i, words): (usize, &mut [u64])| {
            let limb = &from.limbs()[i];
            values(i, words);
            limb.inverse(words);
            (limb.kernels().mul_scalar_assign)(words, factors[i], limb.modulus());
        };
        if Work::Transform.is_worth_threads(words.len()) {
            words.par_chunks_exact_mut(n).enumerate().for_each(prepare);
        } else {
            words.chunks_exact_mut(n).enumerate().for_each(prepare);
        }
        self.cofactors.quotients(&words.chunks_exact(n).collect::<Vec<_>>(), pool)
    }

    /// The residues modulo the target primes from position `first` on, N words of `outs` for each. The inputs, the yᵢ and v, are
    /// read once for all of them.
    pub(super) fn rows(&self, inputs: &[&[u64]], first: usize, outs: &mut [u64]) {
        let n = self.to.ring_degree();
        let tile = TILE.min(n);
        let rows = self.kernels[first..].iter().zip(&self.weights[first..]).zip(&self.to.limbs()[first..]);
        let mut outs: Vec<_> =
            outs.chunks_exact_mut(n).map(|out| out.chunks_exact_mut(tile)).zip(rows).collect();
        for start in (0..n).step_by(tile) {
            let inputs: Vec<&[u64]> = inputs.iter().map(|input| &input[start..start + tile]).collect();
            for (out, ((kernels, weights), limb)) in &mut outs {
                let out = out.next().expect("as many tiles as the operand has");
                (kernels.weighted_sum)(out, &inputs, weights, limb.modulus());
            }
        }
    }
}

/// f·∏ qₖ over k ≠ i, modulo p, for every i: the products before i times those after.
fn products_without_each(from: &Basis, p: &Modulus, f: u64) -> Vec<u64> {
    let mut products = Vec::with_capacity(from.len());
    let mut before = f;
    for q in from.primes() {
        products.push(before);
        before = p.mul(before, p.reduce(q));
    }
    let mut after = 1 % p.value();
    for (product, q) in products.iter_mut().zip(from.primes()).rev() {
        *product = p.mul(*product, after);
        after = p.mul(after, p.reduce(q));
    }
    products
}
