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
    runs::Runs,
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
    pairs_by_prime(basis, sums.len(), |i, outs| {
        let at = AtPrime::new(basis, special, decomposed, i);
        outs.into_iter().zip(sums).for_each(|(out, parts)| at.sum(out, parts));
    })
}

/// Words that [`image_combinations`] takes at a time: of all images of a group they stay in the second-level cache.
const BLOCK: usize = 1 << 9;

/// Images that are at hand at once, modulo one prime.
const GROUP: usize = 32;

/// Pairs of linear combinations Σₖ pₖ·imageₖₕ for h = 0 and 1, where each image is one [`SwitchPart`] alone, and each
/// combination a list of places of images, in rising order, and polynomials, which may have more primes than the basis,
/// as keys may.
///
/// The images stand in memory modulo one prime for each thread and a few at a time; a polynomial is read once, and each
/// sum is reduced once a group of images.
///
/// # Panics
/// As [`switch_sums`].
pub fn image_combinations(
    basis: &Basis,
    special: usize,
    decomposed: &[Digits<'_>],
    images: &[SwitchPart<'_>],
    combinations: &[Vec<(usize, &Runs)>],
) -> Vec<[Poly<Evaluation>; 2]> {
    let n = basis.ring_degree();
    let block = BLOCK.min(n);
    pairs_by_prime(basis, combinations.len(), |i, mut outs| {
        let at = AtPrime::new(basis, special, decomposed, i);
        if images.is_empty() {
            outs.iter_mut().flatten().for_each(|out| out.fill(0));
        }
        let mut scratch = basis.pool().take(GROUP * block);
        let mut sums = [(); 2].map(|()| basis.pool().take(block));
        for (group, parts) in images.chunks(GROUP).enumerate() {
            let first = group * GROUP;
            let images: Vec<[Words; 2]> = parts.iter().map(|part| at.image(part)).collect();
            for start in (0..n).step_by(block) {
                let range = start..start + block;
                for (out, combination) in outs.iter_mut().zip(combinations) {
                    let members =
                        combination.iter().filter(|(k, _)| (first..first + parts.len()).contains(k));
                    let (digits, keys): (Vec<&[u64]>, Vec<[&[u64]; 2]>) = members
                        .zip(scratch.chunks_mut(block))
                        .map(|((k, poly), scratch)| {
                            let words = poly.words(at.position(poly.basis()), range.clone(), scratch);
                            (words, images[k - first].each_ref().map(|image| &image[range.clone()]))
                        })
                        .unzip();
                    let term =
                        SwitchTerm { permutation: None, addends: [None; 2], digits: &digits, keys: &keys };
                    let kernels = at.limb().kernels();
                    let out = out.each_mut().map(|out| &mut out[range.clone()]);
                    if group == 0 {
                        (kernels.switch_sum)(out, &[term], at.limb().modulus());
                    } else if !digits.is_empty() {
                        (kernels.switch_sum)(
                            sums.each_mut().map(|sum| &mut **sum),
                            &[term],
                            at.limb().modulus(),
                        );
                        let add = |(out, sum): (&mut [u64], &Words)| {
                            (kernels.add_assign)(out, sum, at.limb().modulus());
                        };
                        out.into_iter().zip(&sums).for_each(add);
                    }
                }
            }
        }
    })
}

/// So many pairs of polynomials, of which f(i, words) writes the words modulo the prime at position i.
fn pairs_by_prime(
    basis: &Basis,
    count: usize,
    f: impl Fn(usize, Vec<[&mut [u64]; 2]>) + Send + Sync,
) -> Vec<[Poly<Evaluation>; 2]> {
    let mut pairs: Vec<[Poly<Evaluation>; 2]> =
        (0..count).map(|_| [Poly::any(basis), Poly::any(basis)]).collect();
    // For each prime its words of every result.
    let mut limbs: Vec<Vec<[&mut [u64]; 2]>> = (0..basis.len()).map(|_| Vec::new()).collect();
    for [first, second] in &mut pairs {
        let pairs = first.limbs_mut().zip(second.limbs_mut());
        limbs.iter_mut().zip(pairs).for_each(|(limb, (first, second))| limb.push([first, second]));
    }
    if Work::Transform.is_worth_threads(basis.len() * basis.ring_degree()) {
        limbs.into_par_iter().enumerate().for_each(|(i, words)| f(i, words));
    } else {
        limbs.into_iter().enumerate().for_each(|(i, words)| f(i, words));
    }
    pairs
}

/// The work modulo the prime at position i of a basis.
struct AtPrime<'a> {
    basis: &'a Basis,
    special: usize,
    i: usize,
    /// The digits of everything decomposed.
    places: Vec<Vec<Place<'a>>>,
}

impl<'a> AtPrime<'a> {
    fn new(basis: &'a Basis, special: usize, decomposed: &'a [Digits<'_>], i: usize) -> Self {
        let places = decomposed.iter().map(|digits| digits.modulo(basis, i)).collect();
        Self { basis, special, i, places }
    }

    fn limb(&self) -> &Limb {
        &self.basis.limbs()[self.i]
    }

    /// Where the prime stands in a basis of more primes, of which those in between are passed over.
    fn position(&self, basis: &Basis) -> usize {
        let from_end = self.basis.len() - self.i;
        let position = if from_end > self.special { self.i } else { basis.len() - from_end };
        debug_assert_eq!(basis.modulus(position), self.limb().modulus());
        position
    }

    /// out ← the sum of the parts.
    fn sum(&self, out: [&mut [u64]; 2], parts: &[SwitchPart<'_>]) {
        let digits: Vec<Vec<&[u64]>> =
            self.places.iter().map(|places| places.iter().map(Place::words).collect()).collect();
        let keys: Vec<Vec<[&[u64]; 2]>> = parts
            .iter()
            .map(|part| {
                let pairs = part.product.iter().flat_map(|(_, keys)| keys);
                pairs.map(|pair| pair.map(|key| key.limb(self.position(key.basis())))).collect()
            })
            .collect();
        let terms: Vec<SwitchTerm<'_>> = parts
            .iter()
            .zip(&keys)
            .map(|(part, keys)| SwitchTerm {
                permutation: part.permutation.map(|permutation| &permutation.0),
                addends: part.addends.map(|addend| {
                    addend.filter(|addend| self.i < addend.basis().len()).map(|addend| addend.limb(self.i))
                }),
                digits: part.product.as_ref().map_or(&[], |(k, _)| &digits[*k]),
                keys,
            })
            .collect();
        (self.limb().kernels().switch_sum)(out, &terms, self.limb().modulus());
    }

    /// The sum of one part in new memory.
    fn image(&self, part: &SwitchPart<'_>) -> [Words; 2] {
        let mut image = [(); 2].map(|()| self.basis.pool().take(self.basis.ring_degree()));
        self.sum(image.each_mut().map(|words| &mut **words), std::slice::from_ref(part));
        image
    }
}
