//! Polynomials in RNS form; their type says whether they are in coefficient or in evaluation form.

use std::marker::PhantomData;

use asanoha_kernels::ShoupFactor;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use rayon::prelude::*;
use zeroize::Zeroize;

use super::{
    basis::{Basis, Limb},
    memory::Words,
};

/// How much an operation does for each word. It decides from how many words on other threads are woken, which takes
/// tens of microseconds.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    /// A few multiplications a word.
    Pass,
    /// An NTT, or as much work.
    Transform,
}

impl Work {
    /// Whether `words` words are enough for several threads.
    pub(super) fn is_worth_threads(self, words: usize) -> bool {
        match self {
            Self::Pass => words >= 1 << 20,
            Self::Transform => words >= 1 << 17,
        }
    }
}

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

/// A constant as residues modulo every prime of a basis, prepared for multiplication.
#[derive(Clone, Debug)]
pub struct Scalar {
    basis: Basis,
    factors: Vec<ShoupFactor>,
}

impl Scalar {
    /// The residues of an integer, prepared.
    pub fn new(basis: &Basis, value: &BigInt) -> Self {
        let residue = |limb: &std::sync::Arc<Limb>| {
            let q = BigInt::from(limb.modulus().value());
            let residue = ((value % &q) + &q) % &q;
            limb.modulus().shoup(residue.to_u64().expect("below a word-sized modulus"))
        };
        Self { basis: basis.clone(), factors: basis.limbs().iter().map(residue).collect() }
    }

    /// The primes.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// The constant modulo the prime at a position.
    pub(super) fn residue(&self, position: usize) -> u64 {
        self.factors[position].value
    }

    /// This constant modulo the primes at the given positions, 0 modulo the others.
    pub fn keep(mut self, positions: std::ops::Range<usize>) -> Self {
        for (i, factor) in self.factors.iter_mut().enumerate() {
            if !positions.contains(&i) {
                *factor = ShoupFactor { value: 0, quotient: 0 };
            }
        }
        self
    }

    /// The factor modulo the prime at a position.
    pub fn factor(&self, index: usize) -> ShoupFactor {
        self.factors[index]
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
        let n = self.basis.ring_degree();
        let limbs = self.basis.limbs();
        if work.is_worth_threads(self.words.len()) {
            self.words
                .par_chunks_mut(n)
                .zip(limbs)
                .enumerate()
                .for_each(|(i, (words, limb))| f(i, limb, words));
        } else {
            self.words.chunks_mut(n).zip(limbs).enumerate().for_each(|(i, (words, limb))| f(i, limb, words));
        }
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
        assert_eq!(self.basis, w.basis);
        self.for_each_limb(Work::Pass, |i, limb, a| {
            (limb.kernels().mul_scalar_assign)(a, w.factors[i], limb.modulus());
        });
    }

    /// self ← self + a·w for a constant w.
    pub fn fma_scalar_assign(&mut self, a: &Self, w: &Scalar) {
        assert!(self.basis == a.basis && self.basis == w.basis);
        self.for_each_limb(Work::Pass, |i, limb, c| {
            (limb.kernels().fma_scalar_assign)(c, a.limb(i), w.factors[i], limb.modulus());
        });
    }

    /// self ← self + a·w for a constant w, where the basis of a and w is a prefix of self's: modulo the other primes, w
    /// counts as 0.
    ///
    /// # Panics
    /// If the basis of a isn't a prefix of self's, or w has another basis than a.
    pub fn fma_scalar_prefix_assign(&mut self, a: &Self, w: &Scalar) {
        assert!(a.basis.is_prefix_of(&self.basis) && a.basis == w.basis);
        self.for_each_limb(Work::Pass, |i, limb, c| {
            if i < w.factors.len() {
                (limb.kernels().fma_scalar_assign)(c, a.limb(i), w.factors[i], limb.modulus());
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
        assert_eq!(self.basis, c.basis);
        self.for_each_limb(Work::Pass, |i, limb, a| {
            let (q, c) = (limb.modulus(), c.factors[i].value);
            a.iter_mut().for_each(|a| *a = q.add(*a, c));
        });
    }
}
