//! Linear and bilinear forms of many polynomials: sums of hundreds of products with few reductions.

use std::ops::Range;

use asanoha_kernels::{Modulus, ShoupFactor};
use rayon::prelude::*;

use super::{
    basis::{Basis, Limb},
    poly::{Evaluation, Poly, Scalar, Work},
};

/// Words of a limb that are processed at a time: a few hundred rows of them fit the second-level cache.
const BLOCK: usize = 64;

/// A polynomial a₀ + a₁·s in an indeterminate s, given as (a₀, a₁).
pub type LinearPoly<'a> = [&'a Poly<Evaluation>; 2];

/// A block of every part of some [`LinearPoly`]s.
type Blocks<'a> = [Vec<&'a [u64]>; 2];

impl Poly<Evaluation> {
    /// Σ wₖ·aₖ for integers wₖ.
    ///
    /// # Panics
    /// If there are no polynomials, the number of weights differs from theirs, or the bases differ.
    pub fn weighted_sum(inputs: &[&Self], weights: &[i64]) -> Self {
        let basis = inputs[0].basis();
        assert!(inputs.len() == weights.len() && inputs.iter().all(|input| input.basis() == basis));
        Self::build(basis, Work::Transform, |i, limb, out| {
            let inputs: Vec<&[u64]> = inputs.iter().map(|input| input.limb(i)).collect();
            let q = limb.modulus();
            let weights: Vec<ShoupFactor> = residues(weights, q).into_iter().map(|w| q.shoup(w)).collect();
            (limb.kernels().weighted_sum)(out, &inputs, &weights, q);
        })
    }

    /// Σ wₖ·aₖ for constants wₖ, modulo the primes of a basis with which the polynomials' begin.
    ///
    /// # Panics
    /// If one of their bases begins otherwise, or a constant has another basis.
    pub fn sum_of_multiples(basis: &Basis, terms: &[(&Self, Scalar)]) -> Self {
        assert!(terms.iter().all(|(a, w)| basis.is_prefix_of(a.basis()) && w.basis() == basis));
        Self::build(basis, Work::Transform, |i, limb, out| {
            let inputs: Vec<&[u64]> = terms.iter().map(|(a, _)| a.limb(i)).collect();
            let weights: Vec<ShoupFactor> = terms.iter().map(|(_, w)| w.factor(i)).collect();
            (limb.kernels().weighted_sum)(out, &inputs, &weights, limb.modulus());
        })
    }

    /// The bilinear form Σⱼₖ wⱼₖ·leftⱼ·rightₖ = c₀ + c₁·s + c₂·s² for integers wⱼₖ, as \[c₀, c₁, c₂\]. The weights are
    /// given row by row: row j has one weight for each polynomial of `right`.
    ///
    /// The linear combinations gⱼ = Σₖ wⱼₖ·rightₖ are computed block by block of words and multiplied by leftⱼ while
    /// they're in the cache, so they are never written to memory. Every sum is reduced once.
    ///
    /// # Panics
    /// If there are no polynomials, the number of weights isn't that of `left` times that of `right`, or the bases
    /// differ.
    pub fn bilinear_form(left: &[LinearPoly], weights: &[i64], right: &[LinearPoly]) -> [Self; 3] {
        let basis = left[0][0].basis();
        assert_eq!(weights.len(), left.len() * right.len());
        assert!(left.iter().chain(right).flatten().all(|part| part.basis() == basis));
        let n = basis.ring_degree();
        let size = BLOCK.min(n);
        let residues: Vec<Vec<u64>> =
            basis.limbs().iter().map(|limb| residues(weights, limb.modulus())).collect();
        let mut parts = [(); 3].map(|()| Self::any(basis));
        let [c0, c1, c2] = parts.each_mut().map(|part| part.words_mut().par_chunks_mut(size));
        // The blocks of one limb follow one another, so that a thread keeps the weights in its cache.
        c0.zip(c1).zip(c2).enumerate().for_each_init(
            || [(); 2].map(|()| vec![0; left.len() * size]),
            |combined, (index, ((c0, c1), c2))| {
                let (limb, start) = (index * size / n, index * size % n);
                let words = start..start + size;
                let (left, right) = (blocks(left, limb, &words), blocks(right, limb, &words));
                form(&basis.limbs()[limb], &left, &residues[limb], &right, combined, [c0, c1, c2]);
            },
        );
        parts
    }
}

/// The given words of one limb, of both parts of all polynomials.
fn blocks<'a>(polys: &[LinearPoly<'a>], limb: usize, words: &Range<usize>) -> Blocks<'a> {
    [0, 1].map(|part| polys.iter().map(|poly| &poly[part].limb(limb)[words.clone()]).collect())
}

/// One block of [`Poly::bilinear_form`], with scratch memory for the linear combinations.
fn form(
    limb: &Limb,
    left: &Blocks,
    weights: &[u64],
    right: &Blocks,
    combined: &mut [Vec<u64>; 2],
    [c0, c1, c2]: [&mut [u64]; 3],
) {
    let (kernels, q) = (limb.kernels(), limb.modulus());
    for (combined, right) in combined.iter_mut().zip(right) {
        (kernels.matrix_product)(combined, right, weights, q);
    }
    let size = c0.len();
    let pairs = |part: usize, other: usize| -> Vec<(&[u64], &[u64])> {
        left[part].iter().copied().zip(combined[other].chunks_exact(size)).collect()
    };
    (kernels.inner_product)(c0, &pairs(0, 0), q);
    (kernels.inner_product)(c1, &[pairs(0, 1), pairs(1, 0)].concat(), q);
    (kernels.inner_product)(c2, &pairs(1, 1), q);
}

fn residues(weights: &[i64], q: &Modulus) -> Vec<u64> {
    weights.iter().map(|&weight| q.reduce_i64(weight)).collect()
}
