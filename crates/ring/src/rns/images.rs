//! Sums of products with images: what products of many matrices at once are made of.

use asanoha_kernels::{Modulus, evaluation_exponent};
use rayon::prelude::*;

use super::basis::{Basis, Limb};
use crate::GaloisElement;

/// The automorphisms τₖ: X → X^(1 + 2k·N/d) for k in 0..d, where d is a power of two that divides N.
///
/// They fix Y = X^d, so that polynomials in Y are constants to them, and τₖ(X) = ωᵏ·X for the d-th root of unity
/// ω = X^(2N/d).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixingAutomorphisms {
    pub(super) ring_degree: usize,
    pub(super) count: usize,
}

impl FixingAutomorphisms {
    /// The `count` automorphisms that fix X^count.
    ///
    /// # Panics
    /// Unless the count is a power of two and divides the ring degree.
    pub fn new(ring_degree: usize, count: usize) -> Self {
        assert!(count.is_power_of_two() && ring_degree.is_multiple_of(count));
        Self { ring_degree, count }
    }

    /// How many there are: d.
    pub fn count(&self) -> usize {
        self.count
    }

    /// τₖ.
    pub fn element(&self, k: usize) -> GaloisElement {
        let step = 2 * self.ring_degree / self.count;
        GaloisElement(((1 + k * step) % (2 * self.ring_degree)) as u32)
    }

    /// The j for which τⱼ is τₖ and then another of them.
    ///
    /// # Panics
    /// Unless the other is one of them.
    pub fn composed(&self, k: usize, other: GaloisElement) -> usize {
        let step = 2 * self.ring_degree / self.count;
        let composed = self.element(k).compose(other, self.ring_degree).0 as usize;
        assert_eq!(composed % step, 1);
        composed / step
    }

    /// Where the value of τₖ(a) at an index comes from: it's the value of a at another index of the same block of d.
    fn sources(&self, block: usize) -> Vec<usize> {
        let Self { ring_degree, count } = *self;
        let reverse =
            |j: usize| j.reverse_bits().checked_shr(usize::BITS - count.trailing_zeros()).unwrap_or(0);
        (0..count)
            .flat_map(|k| {
                (0..count).map(move |j| {
                    let exponent = evaluation_exponent(ring_degree, block * count + j);
                    reverse((reverse(j) + k * exponent) % count)
                })
            })
            .collect()
    }
}

/// Computes the sums of [`Poly::sums_of_image_products`](super::Poly::sums_of_image_products), of the words of the polynomials;
/// adds them to `sums` where there are earlier ones.
pub(super) fn sum_image_products(
    automorphisms: &FixingAutomorphisms,
    basis: &Basis,
    left: &[Vec<&[u64]>],
    right: &[Vec<&[u64]>],
    sums: Vec<&mut [u64]>,
    adds: bool,
) {
    let (count, terms) = (automorphisms.count, left[0].len());
    let blocks = basis.ring_degree() / count;
    let sources: Vec<Vec<usize>> =
        (0..blocks).into_par_iter().map(|block| automorphisms.sources(block)).collect();
    // By prime and block: the places of all sums.
    let mut places: Vec<Vec<&mut [u64]>> =
        (0..basis.len() * blocks).map(|_| Vec::with_capacity(sums.len())).collect();
    for sum in sums {
        for (place, words) in places.iter_mut().zip(sum.chunks_exact_mut(count)) {
            place.push(words);
        }
    }
    let scratch = || Scratch::new(terms, count, left.len(), right.len());
    // Blocks of one limb follow one another, so that a thread keeps near what it has just read.
    places.into_par_iter().enumerate().with_min_len(8).for_each_init(scratch, |scratch, (at, mut places)| {
        let (limb, block) = (at / blocks, at % blocks);
        scratch.gather(left, right, at * count..(at + 1) * count);
        let limb: &Limb = &basis.limbs()[limb];
        scratch.multiply(limb, &sources[block], &mut places, adds.then(|| limb.modulus()));
    });
}

/// Columns of a product that are computed at a time: what the kernels take at once, so that their rows stay in the first-level
/// cache until they're in their places.
const TILE: usize = 16;

/// What one thread works in.
struct Scratch {
    count: usize,
    components: [usize; 2],
    /// The left values, a row for each component and place: the weights of a matrix product.
    left: Vec<u64>,
    /// The right values, a row for each term.
    right: Vec<u64>,
    /// Some columns of the product: a row for each component and place on the left.
    product: Vec<u64>,
}

impl Scratch {
    fn new(terms: usize, count: usize, left: usize, right: usize) -> Self {
        Self {
            count,
            components: [left, right],
            left: vec![0; left * count * terms],
            right: vec![0; right * count * terms],
            product: vec![0; left * count * TILE.min(count)],
        }
    }

    /// Copies the values at some words of all polynomials.
    fn gather(&mut self, left: &[Vec<&[u64]>], right: &[Vec<&[u64]>], words: std::ops::Range<usize>) {
        let (terms, width) = (left[0].len(), self.components[1] * self.count);
        for (component, polys) in left.iter().enumerate() {
            let rows = &mut self.left[component * self.count * terms..];
            for (term, poly) in polys.iter().enumerate() {
                for (row, word) in poly[words.clone()].iter().enumerate() {
                    rows[row * terms + term] = *word;
                }
            }
        }
        for (component, polys) in right.iter().enumerate() {
            for (term, poly) in polys.iter().enumerate() {
                let start = term * width + component * self.count;
                self.right[start..start + self.count].copy_from_slice(&poly[words.clone()]);
            }
        }
    }

    /// Computes the product some columns at a time, and writes its values to the places of the sums; adds them, modulo q, where
    /// there are sums already.
    fn multiply(
        &mut self,
        limb: &Limb,
        sources: &[usize],
        places: &mut [&mut [u64]],
        adds: Option<&Modulus>,
    ) {
        let Self { count, components: [_, right], .. } = *self;
        let tile = TILE.min(count);
        for start in (0..right * count).step_by(tile) {
            let rows = self.right.chunks_exact(right * count).map(|row| &row[start..start + tile]);
            (limb.kernels().matrix_product)(
                &mut self.product,
                &rows.collect::<Vec<_>>(),
                &self.left,
                limb.modulus(),
            );
            let columns = start % count..start % count + tile;
            for (p, product) in self.product.chunks_exact(count * tile).enumerate() {
                let pair = p * right + start / count;
                let sums = places.iter_mut().skip(pair).step_by(self.components[0] * right);
                for (out, sources) in sums.zip(sources.chunks_exact(count)) {
                    let sources = sources[columns.clone()].iter().enumerate();
                    let values = sources.map(|(j, &source)| product[source * tile + j]);
                    let out = out[columns.clone()].iter_mut().zip(values);
                    match adds {
                        None => out.for_each(|(out, value)| *out = value),
                        Some(q) => out.for_each(|(out, value)| *out = q.add(*out, value)),
                    }
                }
            }
        }
    }
}
