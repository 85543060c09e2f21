//! Polynomials in RNS form; their type says whether they are in coefficient or in evaluation form.

use std::marker::PhantomData;

use asanoha_kernels::Modulus;
use num_bigint::{BigInt, BigUint};
use num_traits::One;
use rayon::prelude::*;
use zeroize::Zeroize;

use super::{
    basis::{Basis, Limb},
    bigint,
    cofactors::Cofactors,
    form,
    images::{FixingAutomorphisms, sum_image_products},
    scalar::Scalar,
    size::RelativeSize,
    wide::{Summands, write_combination, write_rows},
    work::{Work, for_each_limb},
};
use crate::{EvaluationPermutation, GaloisElement, WideModulus, memory::Words};

/// How a polynomial is represented: [`Coefficient`] or [`Evaluation`].
pub trait Representation: Clone + Send + Sync + 'static {}

/// Coefficient form: a polynomial by its coefficients.
#[derive(Clone, Debug)]
pub struct Coefficient;

/// Evaluation (NTT) form: a polynomial by its values at the odd powers of ψ, in the kernels' evaluation order.
#[derive(Clone, Debug)]
pub struct Evaluation;

impl Representation for Coefficient {}
impl Representation for Evaluation {}

/// A polynomial modulo X^N + 1 and modulo every prime of a basis, stored limb after limb, each of N residues.
///
/// Operations between two polynomials, or a polynomial and a [`Scalar`], panic if their bases differ, also in release
/// builds: callers check parameters and levels before. The check compares two pointers, or the primes where the bases
/// were made separately.
#[derive(Clone)]
pub struct Poly<R> {
    basis: Basis,
    words: Words,
    representation: PhantomData<R>,
}

/// A polynomial a₀ + a₁·s in an indeterminate s, given as (a₀, a₁).
pub type LinearPoly<'a> = [&'a Poly<Evaluation>; 2];

impl<R> std::fmt::Debug for Poly<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Contents may be secret.
        f.debug_struct("Poly")
            .field("ring_degree", &self.basis.ring_degree())
            .field("limbs", &self.basis.len())
            .finish_non_exhaustive()
    }
}

impl<R> Zeroize for Poly<R> {
    fn zeroize(&mut self) {
        self.words.zeroize();
    }
}

impl<R: Representation> Poly<R> {
    /// The zero polynomial.
    pub fn zero(basis: &Basis) -> Self {
        let mut poly = Self::any(basis);
        poly.words.fill(0);
        poly
    }

    /// A polynomial with unspecified words, for callers that write all of them.
    pub(super) fn any(basis: &Basis) -> Self {
        let words = basis.pool().take(basis.len() * basis.ring_degree());
        Self { basis: basis.clone(), words, representation: PhantomData }
    }

    /// A polynomial from residues of outside origin, limb after limb: `None` unless there are N words for each prime,
    /// all of them below it.
    pub fn from_checked_words(basis: &Basis, words: &[u64]) -> Option<Self> {
        let canonical = words.len() == basis.len() * basis.ring_degree()
            && words
                .par_chunks(basis.ring_degree())
                .zip(basis.limbs())
                .all(|(residues, limb)| residues.iter().all(|&word| word < limb.modulus().value()));
        canonical.then(|| {
            let mut poly = Self::any(basis);
            poly.words.copy_from_slice(words);
            poly
        })
    }

    /// The basis.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// All residues, limb after limb.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// All residues, limb after limb, in the memory that they stand in.
    pub(super) fn into_words(self) -> Words {
        self.words
    }

    /// All residues, mutably, limb after limb.
    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// The residues modulo the prime at a position.
    pub fn limb(&self, index: usize) -> &[u64] {
        let n = self.basis.ring_degree();
        &self.words[index * n..(index + 1) * n]
    }

    /// The residues modulo every prime, mutably.
    pub(super) fn limbs_mut(&mut self) -> std::slice::ChunksExactMut<'_, u64> {
        self.words.chunks_exact_mut(self.basis.ring_degree())
    }

    /// Calls `f(position, limb, residues)` for every prime, in parallel if that's worth it.
    pub(crate) fn for_each_limb(&mut self, work: Work, f: impl Fn(usize, &Limb, &mut [u64]) + Send + Sync) {
        for_each_limb(&self.basis, &mut self.words, work, f);
    }

    /// A new polynomial. `f(position, limb, residues)` is called for every prime and must write all residues.
    pub(crate) fn build(
        basis: &Basis,
        work: Work,
        f: impl Fn(usize, &Limb, &mut [u64]) + Send + Sync,
    ) -> Self {
        let mut poly = Self::any(basis);
        poly.for_each_limb(work, f);
        poly
    }

    /// self ← self + other.
    pub fn add_assign(&mut self, other: &Self) {
        assert_eq!(self.basis, other.basis);
        self.for_each_limb(Work::Pass, |i, limb, a| {
            (limb.kernels().add_assign)(a, other.limb(i), limb.modulus());
        });
    }

    /// self ← self − other.
    pub fn sub_assign(&mut self, other: &Self) {
        assert_eq!(self.basis, other.basis);
        self.for_each_limb(Work::Pass, |i, limb, a| {
            (limb.kernels().sub_assign)(a, other.limb(i), limb.modulus());
        });
    }

    /// self ← −self.
    pub fn neg_assign(&mut self) {
        self.for_each_limb(Work::Pass, |_, limb, a| (limb.kernels().neg_assign)(a, limb.modulus()));
    }

    /// self ← self·w for a constant w.
    pub fn mul_scalar_assign(&mut self, w: &Scalar) {
        assert_eq!(self.basis, *w.basis());
        self.for_each_limb(Work::Pass, |i, limb, a| {
            (limb.kernels().mul_scalar_assign)(a, w.factor(i), limb.modulus());
        });
    }

    /// self ← self + a·w for a constant w.
    pub fn fma_scalar_assign(&mut self, a: &Self, w: &Scalar) {
        assert!(self.basis == a.basis && self.basis == *w.basis());
        self.for_each_limb(Work::Pass, |i, limb, c| {
            (limb.kernels().fma_scalar_assign)(c, a.limb(i), w.factor(i), limb.modulus());
        });
    }

    /// self ← self + a·w for a constant w, where the basis of a and w is a prefix of self's: modulo the other primes, w
    /// counts as 0.
    ///
    /// # Panics
    /// If the basis of a isn't a prefix of self's, or w has another basis than a.
    pub fn fma_scalar_prefix_assign(&mut self, a: &Self, w: &Scalar) {
        assert!(a.basis.is_prefix_of(&self.basis) && a.basis == *w.basis());
        self.for_each_limb(Work::Pass, |i, limb, c| {
            if i < w.basis().len() {
                (limb.kernels().fma_scalar_assign)(c, a.limb(i), w.factor(i), limb.modulus());
            }
        });
    }

    /// The residues modulo the first `count` primes only. For coefficients that are small enough that's the same
    /// integer polynomial.
    ///
    /// # Panics
    /// If `count` is 0 or above the number of primes.
    pub fn truncate(mut self, count: usize) -> Self {
        if count < self.basis.len() {
            self.basis = self.basis.range(0..count);
            self.words.truncate(count * self.basis.ring_degree());
        }
        assert_eq!(count, self.basis.len());
        self
    }

    /// The residues modulo the primes of another basis, each of which is a prime of this one's.
    ///
    /// # Panics
    /// If this basis lacks one of them.
    pub fn restrict(&self, basis: &Basis) -> Self {
        let position = |q| self.basis.primes().position(|p| p == q).expect("a prime of this basis");
        Self::build(basis, Work::Pass, |_, limb, out| {
            out.copy_from_slice(self.limb(position(limb.modulus().value())));
        })
    }

    /// The residues modulo the primes at the given positions.
    pub fn range(&self, range: std::ops::Range<usize>) -> Self {
        let n = self.basis.ring_degree();
        let mut part = Self::any(&self.basis.range(range.clone()));
        part.words.copy_from_slice(&self.words[range.start * n..range.end * n]);
        part
    }
}

impl Poly<Coefficient> {
    /// The polynomial of the given signed coefficients, as residues. Takes the same time for all values.
    ///
    /// # Panics
    /// If there aren't N coefficients.
    pub fn from_small(basis: &Basis, coefficients: &[i64]) -> Self {
        assert_eq!(coefficients.len(), basis.ring_degree());
        Self::build(basis, Work::Pass, |_, limb, words| {
            (limb.kernels().from_signed)(words, coefficients, limb.modulus());
        })
    }

    /// Converts to evaluation form, in place.
    pub fn into_evaluation(mut self) -> Poly<Evaluation> {
        self.for_each_limb(Work::Transform, |_, limb, a| limb.forward(a));
        self.transformed()
    }

    /// Declares that the words have been transformed in place: they are values now.
    pub(super) fn transformed(self) -> Poly<Evaluation> {
        Poly { basis: self.basis, words: self.words, representation: PhantomData }
    }

    /// The image under X → X^g.
    ///
    /// # Panics
    /// If g is even.
    pub fn automorphism(&self, g: GaloisElement) -> Self {
        assert!(g.0 % 2 == 1, "X → X^{} is no automorphism", g.0);
        let n = self.basis().ring_degree();
        Self::build(self.basis(), Work::Pass, |i, limb, out| {
            let mut exponent = 0;
            for &word in self.limb(i) {
                let negative = exponent & n != 0;
                out[exponent & (n - 1)] = if negative { limb.modulus().neg(word) } else { word };
                exponent = (exponent + g.0 as usize) & (2 * n - 1);
            }
        })
    }

    /// The polynomial of the given integer coefficients, as residues modulo each prime.
    ///
    /// # Panics
    /// If there aren't N coefficients.
    pub fn from_integers(basis: &Basis, coefficients: &[BigInt]) -> Self {
        assert_eq!(coefficients.len(), basis.ring_degree());
        Self::build(basis, Work::Transform, |_, limb, words| bigint::from_integers(limb, coefficients, words))
    }

    /// The coefficients as integers in (−Q/2, Q/2].
    pub fn to_integers(&self) -> Vec<BigInt> {
        bigint::to_integers(&self.basis, &self.words)
    }

    /// The coefficients in (−Q/2, Q/2] as words, for a Q of one or two primes.
    ///
    /// # Panics
    /// If the basis has more than two primes.
    pub fn to_i128(&self) -> Vec<i128> {
        bigint::to_i128(&self.basis, &self.words)
    }

    /// Writes the coefficients in (−Q/2, Q/2], each rounded to double precision once, for a Q of one or two primes.
    ///
    /// # Panics
    /// If the basis has more than two primes, or `out` hasn't N numbers.
    pub fn write_floats(&self, out: &mut [f64]) {
        bigint::write_floats(&self.basis, &self.words, out);
    }

    /// The size of the centred coefficients of f·self relative to the modulus Q, for an integer f; `factor` gives its
    /// residue modulo a prime. Every coefficient/Q is computed in double precision with an error below
    /// [`RelativeSize::ERROR`].
    ///
    /// With yᵢ = [f·c·(Q/qᵢ)⁻¹] modulo qᵢ, f·c/Q is Σ yᵢ/qᵢ less the nearest integer, which takes one multiplication
    /// and one addition for each word. Copies of residues are erased.
    pub fn relative_size(&self, factor: impl Fn(&Modulus) -> u64) -> RelativeSize {
        Cofactors::new(&self.basis, false, factor)
            .prepare(self.basis.clone(), self.words.clone())
            .relative_size()
    }

    /// The polynomial whose coefficients are the residues of rows modulo t (see [`WideModulus`]), centred in
    /// (−t/2, t/2].
    ///
    /// A row is cut into digits of the primes' width, and one weighted sum for each prime puts them together; t is
    /// subtracted where the residue is in the upper half.
    ///
    /// # Panics
    /// If there aren't N rows.
    pub fn from_rows(basis: &Basis, rows: &[u64], t: &WideModulus) -> Self {
        let mut poly = Self::any(basis);
        write_rows(basis, rows, t, &mut poly.words);
        poly
    }

    /// The polynomial Σ wₖ·aₖ for weights wₖ and coefficients aₖ of at most `bits` bits.
    ///
    /// # Panics
    /// If there aren't N coefficients, or they have more than 61 bits.
    pub fn combination(basis: &Basis, bits: u32, terms: &[(&[u64], BigInt)]) -> Self {
        let mut poly = Self::any(basis);
        write_combination(basis, bits, terms, &mut poly.words);
        poly
    }

    /// What the coefficients, centred modulo Q, are sums of modulo t: as [`Poly::into_rows`] computes them.
    pub fn into_summands(self, t: &WideModulus) -> Summands {
        self.into_scaled_summands(t, &BigUint::one())
    }

    /// As [`Poly::into_summands`], of the coefficients times a factor.
    pub fn into_scaled_summands(self, t: &WideModulus, factor: &BigUint) -> Summands {
        Summands::new(self.basis, self.words, t, factor)
    }

    /// The coefficients, centred modulo Q, as rows of residues modulo t.
    ///
    /// With x = Σ yᵢ·Q/qᵢ − v·Q as in [`crate::Converter`]: exact, except within double precision of ±Q/2.
    pub fn into_rows(self, t: &WideModulus) -> Vec<u64> {
        self.into_summands(t).into_rows(t)
    }
}

impl Poly<Evaluation> {
    /// Converts to coefficient form, in place.
    pub fn into_coefficient(mut self) -> Poly<Coefficient> {
        self.for_each_limb(Work::Transform, |_, limb, a| limb.inverse(a));
        Poly { basis: self.basis, words: self.words, representation: PhantomData }
    }

    /// The polynomial in coefficient form, in new memory.
    pub fn to_coefficient(&self) -> Poly<Coefficient> {
        Poly::build(&self.basis, Work::Transform, |i, limb, out| {
            out.copy_from_slice(self.limb(i));
            limb.inverse(out);
        })
    }

    /// self ← self·other.
    pub fn mul_assign(&mut self, other: &Self) {
        assert_eq!(self.basis, other.basis);
        self.for_each_limb(Work::Pass, |i, limb, a| {
            (limb.kernels().mul_assign)(a, other.limb(i), limb.modulus());
        });
    }

    /// self·other.
    pub fn mul(&self, other: &Self) -> Self {
        let mut product = self.clone();
        product.mul_assign(other);
        product
    }

    /// self ← self + a·b.
    pub fn fma_assign(&mut self, a: &Self, b: &Self) {
        assert!(self.basis == a.basis && self.basis == b.basis);
        self.for_each_limb(Work::Pass, |i, limb, c| {
            (limb.kernels().fma_assign)(c, a.limb(i), b.limb(i), limb.modulus());
        });
    }

    /// Σ aₖ·bₖ over pairs, reduced once.
    pub fn inner_product(basis: &Basis, pairs: &[(&Self, &Self)]) -> Self {
        let [sum] = Self::inner_products(basis, [pairs]);
        sum
    }

    /// [`Poly::inner_product`] of several lists of pairs. All are computed modulo one prime after another, so that what they have
    /// in common is read once.
    pub fn inner_products<const K: usize>(basis: &Basis, sums: [&[(&Self, &Self)]; K]) -> [Self; K] {
        assert!(sums.iter().copied().flatten().all(|(a, b)| a.basis == *basis && b.basis == *basis));
        let mut results = [(); K].map(|()| Self::any(basis));
        let mut limbs: Vec<Vec<&mut [u64]>> = (0..basis.len()).map(|_| Vec::with_capacity(K)).collect();
        for result in &mut results {
            limbs.iter_mut().zip(result.limbs_mut()).for_each(|(limb, words)| limb.push(words));
        }
        let compute = |(i, outs): (usize, Vec<&mut [u64]>)| {
            let limb = &basis.limbs()[i];
            for (out, pairs) in outs.into_iter().zip(sums) {
                let slices: Vec<_> = pairs.iter().map(|(a, b)| (a.limb(i), b.limb(i))).collect();
                (limb.kernels().inner_product)(out, &slices, limb.modulus());
            }
        };
        if Work::Transform.is_worth_threads(basis.len() * basis.ring_degree()) {
            limbs.into_par_iter().enumerate().for_each(compute);
        } else {
            limbs.into_iter().enumerate().for_each(compute);
        }
        results
    }

    /// addend + Σ aₖ·bₖ over pairs, in coefficient form, modulo the primes of a basis with which theirs begin.
    ///
    /// # Panics
    /// If one of their bases begins otherwise.
    pub fn inner_product_coefficients(
        basis: &Basis,
        addend: Option<&Self>,
        pairs: &[(&Self, &Self)],
    ) -> Poly<Coefficient> {
        let polys = addend.into_iter().chain(pairs.iter().flat_map(|&(a, b)| [a, b]));
        polys.for_each(|poly| assert!(basis.is_prefix_of(&poly.basis)));
        Poly::build(basis, Work::Transform, |i, limb, out| {
            let slices: Vec<_> = pairs.iter().map(|(a, b)| (a.limb(i), b.limb(i))).collect();
            (limb.kernels().inner_product)(out, &slices, limb.modulus());
            if let Some(addend) = addend {
                (limb.kernels().add_assign)(out, addend.limb(i), limb.modulus());
            }
            limb.inverse(out);
        })
    }

    /// self ← self + c for a constant polynomial c, given as residues: in evaluation form, c is added to every value.
    pub fn add_scalar_assign(&mut self, c: &Scalar) {
        assert_eq!(self.basis, *c.basis());
        self.for_each_limb(Work::Pass, |i, limb, a| {
            let (q, c) = (limb.modulus(), c.residue(i));
            a.iter_mut().for_each(|a| *a = q.add(*a, c));
        });
    }

    /// The image under an automorphism.
    ///
    /// # Panics
    /// If the permutation was made for another ring degree.
    pub fn permute(&self, permutation: &EvaluationPermutation) -> Self {
        assert_eq!(permutation.0.len(), self.basis().ring_degree());
        Self::build(self.basis(), Work::Pass, |i, limb, out| {
            (limb.kernels().permute)(out, self.limb(i), &permutation.0);
        })
    }

    /// Σ wₖ·aₖ for integers wₖ.
    ///
    /// # Panics
    /// If there are no polynomials, the number of weights differs from theirs, or the bases differ.
    pub fn weighted_sum(inputs: &[&Self], weights: &[i64]) -> Self {
        let basis = inputs[0].basis();
        assert!(inputs.len() == weights.len() && inputs.iter().all(|input| input.basis() == basis));
        Self::build(basis, Work::Transform, |i, limb, out| {
            let inputs: Vec<&[u64]> = inputs.iter().map(|input| input.limb(i)).collect();
            form::weighted_sum(limb, &inputs, weights, out);
        })
    }

    /// Σₖ wᵣₖ·aₖ for every row r of a matrix of constants wᵣₖ, modulo the primes of a basis with which the polynomials' begin. The
    /// constants come row after row.
    ///
    /// Blocks of words of all polynomials go through the matrix one after another, so that each polynomial is read from
    /// memory once, however many rows there are. Every sum is reduced once.
    ///
    /// # Panics
    /// If there are no polynomials, the constants aren't whole rows, one of the polynomials' bases begins otherwise, or a constant has
    /// another basis.
    pub fn linear_forms(basis: &Basis, inputs: &[&Self], weights: &[Scalar]) -> Vec<Self> {
        assert!(!inputs.is_empty() && weights.len().is_multiple_of(inputs.len()));
        assert!(inputs.iter().all(|a| basis.is_prefix_of(a.basis())));
        assert!(weights.iter().all(|w| w.basis() == basis));
        let words: Vec<&[u64]> = inputs.iter().map(|a| a.words()).collect();
        let mut rows: Vec<Self> = (0..weights.len() / inputs.len()).map(|_| Self::any(basis)).collect();
        form::linear_forms(basis, &words, weights, rows.iter_mut().map(Self::words_mut).collect());
        rows
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
        let [left, right] = [left, right].map(words_of_parts);
        let mut parts = [(); 3].map(|()| Self::any(basis));
        form::bilinear_form(basis, &left, weights, &right, parts.each_mut().map(Self::words_mut));
        parts
    }

    /// Σₘ τₖ(leftₘ)·rightₘ for every k and every pair of a component on the left and one on the right:
    /// `result[k][p·(right's components) + q]` for components p and q, of as many polynomials each.
    ///
    /// At the d places of a block of evaluation order, where all τₖ take their values from, that's a product of two
    /// matrices, of (components·d) × m and m × (components·d) entries, whose every entry is one value of one τₖ: d
    /// sums for the price of d, and each value is read once for all of them. Every sum is reduced once.
    ///
    /// Sums of earlier terms are added to, in place.
    ///
    /// # Panics
    /// Unless all components have the same number of polynomials, at least one, all of one basis of the
    /// automorphisms' ring degree.
    pub fn sums_of_image_products(
        automorphisms: &FixingAutomorphisms,
        left: &[&[&Self]],
        right: &[&[&Self]],
        earlier: Option<Vec<Vec<Self>>>,
    ) -> Vec<Vec<Self>> {
        let basis = left[0][0].basis().clone();
        let terms = left[0].len();
        assert!(left.iter().chain(right).all(|polys| polys.len() == terms));
        assert!(left.iter().chain(right).flat_map(|polys| polys.iter()).all(|poly| *poly.basis() == basis));
        assert_eq!(basis.ring_degree(), automorphisms.ring_degree);
        let (count, pairs) = (automorphisms.count, left.len() * right.len());
        let adds = earlier.is_some();
        let mut sums: Vec<Vec<Self>> = earlier
            .unwrap_or_else(|| (0..count).map(|_| (0..pairs).map(|_| Self::any(&basis)).collect()).collect());
        assert!(sums.len() == count && sums.iter().all(|sum| sum.len() == pairs));
        assert!(sums.iter().flatten().all(|sum| sum.basis() == &basis));
        let [left, right] = [left, right].map(words_of_components);
        let words = sums.iter_mut().flatten().map(Self::words_mut).collect();
        sum_image_products(automorphisms, &basis, &left, &right, words, adds);
        sums
    }
}

/// The words of both parts of linear polynomials.
fn words_of_parts<'a>(polys: &[LinearPoly<'a>]) -> Vec<[&'a [u64]; 2]> {
    polys.iter().map(|poly| poly.map(Poly::words)).collect()
}

/// The words of the polynomials of each component.
fn words_of_components<'a>(components: &[&[&'a Poly<Evaluation>]]) -> Vec<Vec<&'a [u64]>> {
    components.iter().map(|polys| polys.iter().map(|poly| poly.words()).collect()).collect()
}
