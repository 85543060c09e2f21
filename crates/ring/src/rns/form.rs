//! Linear and bilinear forms of many polynomials: sums of hundreds of products with few reductions.

use std::ops::Range;

use asanoha_kernels::{Modulus, ShoupFactor};
use rayon::prelude::*;

use super::basis::{Basis, Limb};
use super::scalar::Scalar;
use super::work::Work;

/// Words of a limb that are processed at a time: a few hundred rows of them fit the second-level cache.
const BLOCK: usize = 64;

/// The most words of the inputs' blocks that go through a matrix of constants at a time: they fit the second-level cache.
const MATRIX_WORDS: usize = 1 << 16;

/// A block of every part of some linear polynomials.
type Blocks<'a> = [Vec<&'a [u64]>; 2];

/// Writes Σ wₖ·aₖ modulo one prime.
pub(super) fn weighted_sum(limb: &Limb, inputs: &[&[u64]], weights: &[i64], out: &mut [u64]) {
    let q = limb.modulus();
    let weights: Vec<ShoupFactor> = residues(weights, q).into_iter().map(|w| q.shoup(w)).collect();
    (limb.kernels().weighted_sum)(out, inputs, &weights, q);
}

/// Writes the rows of [`Poly::linear_forms`](super::Poly::linear_forms), of the words of the polynomials.
pub(super) fn linear_forms(basis: &Basis, inputs: &[&[u64]], weights: &[Scalar], rows: Vec<&mut [u64]>) {
    let (n, count) = (basis.ring_degree(), rows.len());
    let most = MATRIX_WORDS / inputs.len();
    let size = (1 << most.max(1).ilog2()).clamp(BLOCK.min(n), n);
    let mut blocks: Vec<Vec<&mut [u64]>> = Vec::new();
    blocks.resize_with(basis.len() * n / size, || Vec::with_capacity(count));
    for row in rows {
        blocks.iter_mut().zip(row.chunks_exact_mut(size)).for_each(|(block, words)| block.push(words));
    }
    let factors = |limb: usize| weights.iter().map(|weight| weight.factor(limb)).collect();
    let factors: Vec<Vec<ShoupFactor>> = (0..basis.len()).map(factors).collect();
    let values = |factors: &Vec<ShoupFactor>| factors.iter().map(|factor| factor.value).collect();
    let residues: Vec<Vec<u64>> = factors.iter().map(values).collect();
    let multiply = |sums: &mut Vec<u64>, (index, mut rows): (usize, Vec<&mut [u64]>)| {
        let at = index * size / n;
        let words = index * size..(index + 1) * size;
        let inputs: Vec<&[u64]> = inputs.iter().map(|input| &input[words.clone()]).collect();
        let (kernels, q) = (basis.limbs()[at].kernels(), basis.limbs()[at].modulus());
        if let [row] = &mut rows[..] {
            (kernels.weighted_sum)(row, &inputs, &factors[at], q);
        } else {
            (kernels.matrix_product)(sums, &inputs, &residues[at], q);
            rows.into_iter().zip(sums.chunks_exact(size)).for_each(|(row, sum)| row.copy_from_slice(sum));
        }
    };
    let scratch = || vec![0; count * size];
    if Work::Pass.is_worth_threads(basis.len() * n * weights.len()) {
        blocks.into_par_iter().enumerate().for_each_init(scratch, multiply);
    } else {
        let mut sums = scratch();
        blocks.into_iter().enumerate().for_each(|block| multiply(&mut sums, block));
    }
}

/// Writes the parts of [`Poly::bilinear_form`](super::Poly::bilinear_form), of the words of the polynomials.
pub(super) fn bilinear_form(
    basis: &Basis,
    left: &[[&[u64]; 2]],
    weights: &[i64],
    right: &[[&[u64]; 2]],
    parts: [&mut [u64]; 3],
) {
    let n = basis.ring_degree();
    let size = BLOCK.min(n);
    let residues: Vec<Vec<u64>> =
        basis.limbs().iter().map(|limb| residues(weights, limb.modulus())).collect();
    let [c0, c1, c2] = parts.map(|part| part.par_chunks_mut(size));
    // The blocks of one limb follow one another, so that a thread keeps the weights in its cache.
    c0.zip(c1).zip(c2).enumerate().for_each_init(
        || [(); 2].map(|()| vec![0; left.len() * size]),
        |combined, (index, ((c0, c1), c2))| {
            let limb = index * size / n;
            let words = index * size..(index + 1) * size;
            let (left, right) = (blocks(left, &words), blocks(right, &words));
            form(&basis.limbs()[limb], &left, &residues[limb], &right, combined, [c0, c1, c2]);
        },
    );
}

/// The given words of both parts of all polynomials.
fn blocks<'a>(polys: &[[&'a [u64]; 2]], words: &Range<usize>) -> Blocks<'a> {
    [0, 1].map(|part| polys.iter().map(|poly| &poly[part][words.clone()]).collect())
}

/// One block of [`bilinear_form`], with scratch memory for the linear combinations.
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
