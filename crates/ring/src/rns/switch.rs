//! Key switching's work modulo each prime: digits are extended to it and multiplied by keys while they're in the
//! cache.

use std::{ops::Range, sync::Arc};

use asanoha_kernels::SwitchTerm;
use rayon::prelude::*;

use super::{
    basis::{Basis, Limb},
    convert::{Converter, Prepared},
    memory::Words,
    poly::{Evaluation, Poly, Work},
};
use crate::EvaluationPermutation;

/// A polynomial's residues modulo a part of its primes, ready to be extended to any other.
struct Digit {
    /// From its primes to the others.
    converter: Arc<Converter>,
    prepared: Prepared,
    /// The positions of its primes.
    positions: Range<usize>,
}

/// A polynomial cut into digits, each a representative of its residues modulo some of the primes, at most half their
/// product in size.
pub struct Digits<'p> {
    poly: &'p Poly<Evaluation>,
    parts: Vec<Digit>,
    /// The digits modulo all primes, if they were extended once and for all.
    extended: Option<Vec<Poly<Evaluation>>>,
}

impl std::fmt::Debug for Digits<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Digits")
            .field("count", &self.count())
            .field("extended", &self.extended.is_some())
            .finish_non_exhaustive()
    }
}

impl<'p> Digits<'p> {
    /// Cuts a polynomial at the given positions of its primes. Each converter leads from the primes of one digit to
    /// all others of `basis` that it will be extended to, in order.
    pub fn new(
        poly: &'p Poly<Evaluation>,
        parts: impl IntoIterator<Item = (Range<usize>, Arc<Converter>)>,
    ) -> Self {
        let digit = |(positions, converter): (Range<usize>, Arc<Converter>)| {
            let prepared = converter.prepare(poly.range(positions.clone()).into_coefficient());
            Digit { converter, prepared, positions }
        };
        Self { poly, parts: parts.into_iter().map(digit).collect(), extended: None }
    }

    /// The number of digits.
    pub fn count(&self) -> usize {
        self.parts.len()
    }

    /// The digits modulo all primes of a basis. Worth their memory if they're multiplied by keys more than once.
    pub fn extend(mut self, basis: &Basis) -> Self {
        let extended = |k| Poly::build(basis, Work::Transform, |i, limb, out| self.write(k, i, limb, out));
        self.extended = Some((0..self.count()).map(extended).collect());
        self
    }

    /// A digit modulo the prime at position i.
    fn write(&self, digit: usize, i: usize, limb: &Limb, out: &mut [u64]) {
        let Digit { converter, prepared, positions } = &self.parts[digit];
        if positions.contains(&i) {
            out.copy_from_slice(self.poly.limb(i));
        } else {
            let row = if i < positions.start { i } else { i - positions.len() };
            debug_assert_eq!(converter.to().modulus(row), limb.modulus());
            converter.row(prepared, row, limb, out);
            (limb.kernels().ntt_forward)(out, limb.table());
        }
    }

    /// The digits modulo the prime at position i: where they stand already, or in new memory.
    fn modulo(&self, basis: &Basis, i: usize) -> Vec<Place<'_>> {
        let place = |k: usize| match &self.extended {
            Some(extended) => Place::There(extended[k].limb(i)),
            None if self.parts[k].positions.contains(&i) => Place::There(self.poly.limb(i)),
            None => {
                let mut words = basis.pool().take(basis.ring_degree());
                self.write(k, i, &basis.limbs()[i], &mut words);
                Place::New(words)
            }
        };
        (0..self.count()).map(place).collect()
    }
}

enum Place<'a> {
    There(&'a [u64]),
    New(Words),
}

impl Place<'_> {
    fn words(&self) -> &[u64] {
        match self {
            Self::There(words) => words,
            Self::New(words) => words,
        }
    }
}

/// What one automorphism ψ adds to a pair of sums: ψ(addendₕ) + Σⱼ ψ(digitⱼ)·keyⱼₕ for h = 0 and 1.
#[derive(Clone, Debug)]
pub struct SwitchPart<'a> {
    /// ψ; `None` is the identity.
    pub permutation: Option<&'a EvaluationPermutation>,
    /// Modulo the first primes; 0 modulo those that they don't have.
    pub addends: [Option<&'a Poly<Evaluation>>; 2],
    /// Which of the decomposed polynomials is multiplied, and by which keys. A key may have more primes than the
    /// sums: those in between are passed over.
    pub product: Option<(usize, Vec<[&'a Poly<Evaluation>; 2]>)>,
}

/// Pairs of sums, one for each list of parts, modulo the primes of a basis, of which the last `special` are the last
/// ones of every key. Each prime's digits are extended once for all sums, and each sum is reduced once.
///
/// # Panics
/// If a key has fewer digits than what it's multiplied by.
pub fn switch_sums(
    basis: &Basis,
    special: usize,
    decomposed: &[Digits<'_>],
    sums: &[Vec<SwitchPart<'_>>],
) -> Vec<[Poly<Evaluation>; 2]> {
    let mut results: Vec<[Poly<Evaluation>; 2]> =
        sums.iter().map(|_| [Poly::any(basis), Poly::any(basis)]).collect();
    // For each prime its words of every result.
    let mut limbs: Vec<Vec<[&mut [u64]; 2]>> = (0..basis.len()).map(|_| Vec::new()).collect();
    for [first, second] in &mut results {
        let pairs = first.limbs_mut().zip(second.limbs_mut());
        limbs.iter_mut().zip(pairs).for_each(|(limb, (first, second))| limb.push([first, second]));
    }
    let modulo = |(i, outs): (usize, Vec<[&mut [u64]; 2]>)| {
        let limb = &basis.limbs()[i];
        let places: Vec<Vec<Place<'_>>> = decomposed.iter().map(|digits| digits.modulo(basis, i)).collect();
        let digits: Vec<Vec<&[u64]>> =
            places.iter().map(|places| places.iter().map(Place::words).collect()).collect();
        for (out, parts) in outs.into_iter().zip(sums) {
            let keys: Vec<Vec<[&[u64]; 2]>> =
                parts.iter().map(|part| part.keys_at(basis, special, i)).collect();
            let terms: Vec<SwitchTerm<'_>> = parts
                .iter()
                .zip(&keys)
                .map(|(part, keys)| SwitchTerm {
                    permutation: part.permutation.map(|permutation| &permutation.0),
                    addends: part.addends.map(|addend| {
                        addend.filter(|addend| i < addend.basis().len()).map(|addend| addend.limb(i))
                    }),
                    digits: part.product.as_ref().map_or(&[], |(k, _)| &digits[*k]),
                    keys,
                })
                .collect();
            (limb.kernels().switch_sum)(out, &terms, limb.modulus());
        }
    };
    if Work::Transform.is_parallel(basis.len() * basis.ring_degree()) {
        limbs.into_par_iter().enumerate().for_each(modulo);
    } else {
        limbs.into_iter().enumerate().for_each(modulo);
    }
    results
}

impl SwitchPart<'_> {
    /// The key's words modulo the prime at position i of a basis.
    fn keys_at(&self, basis: &Basis, special: usize, i: usize) -> Vec<[&[u64]; 2]> {
        let from_end = basis.len() - i;
        let position = |poly: &Poly<Evaluation>| {
            let position = if from_end > special { i } else { poly.basis().len() - from_end };
            debug_assert_eq!(poly.basis().modulus(position), basis.modulus(i));
            position
        };
        self.product
            .iter()
            .flat_map(|(_, keys)| keys)
            .map(|pair| pair.map(|poly| poly.limb(position(poly))))
            .collect()
    }
}
