//! Key switching's work modulo each prime: digits are extended to it and multiplied by keys while they're in the
//! cache.

use std::{
    io,
    ops::{Deref, Range},
    sync::Arc,
};

use asanoha_kernels::{PackedWords, SwitchTerm};
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
            assert_eq!(converter.to().modulus(row), limb.modulus());
            converter.row(prepared, row, limb, out);
            (limb.kernels().ntt_forward)(out, limb.table());
        }
    }

    /// The digits modulo the prime at position i: where they stand already, or in new memory.
    fn modulo(&self, basis: &Basis, i: usize) -> Vec<LimbWords<'_>> {
        let place = |k: usize| match &self.extended {
            Some(extended) => LimbWords::There(limb_of(&extended[k], basis, i)),
            None if self.parts[k].positions.contains(&i) => LimbWords::There(limb_of(self.poly, basis, i)),
            None => {
                let mut words = basis.words();
                self.write(k, i, &basis.limbs()[i], &mut words);
                LimbWords::New(words)
            }
        };
        (0..self.count()).map(place).collect()
    }
}

/// The residues of a polynomial whose prime at a position is that of a basis.
///
/// # Panics
/// If it's another one, or the ring is.
fn limb_of<'a>(poly: &'a Poly<Evaluation>, basis: &Basis, i: usize) -> &'a [u64] {
    assert_same_prime((poly.basis(), i), (basis, i));
    poly.limb(i)
}

/// # Panics
/// Unless the primes at the two positions are the same, and the ring degrees.
fn assert_same_prime(a: (&Basis, usize), b: (&Basis, usize)) {
    assert!(a.0.ring_degree() == b.0.ring_degree() && a.0.modulus(a.1) == b.0.modulus(b.1));
}

/// The residues modulo one prime: where they stand already, or in memory of their own.
enum LimbWords<'a> {
    There(&'a [u64]),
    New(Words),
}

impl Deref for LimbWords<'_> {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        match self {
            Self::There(words) => words,
            Self::New(words) => words,
        }
    }
}

/// Words of a key modulo one prime.
#[derive(Debug)]
pub enum KeyWords<'a> {
    /// Where they stand.
    There(PackedWords<'a>),
    /// Read or computed for one use.
    New(Words),
}

impl KeyWords<'_> {
    /// Where they stand now.
    pub fn packed(&self) -> PackedWords<'_> {
        match self {
            Self::There(words) => *words,
            Self::New(words) => PackedWords::from(&**words),
        }
    }
}

/// A key of key switching, a pair of polynomials for each digit. It's asked for limb by limb, so that it needn't be
/// in memory as a whole.
pub trait SwitchKey: std::fmt::Debug + Sync {
    /// Its primes, of which the special ones are the last.
    fn basis(&self) -> &Basis;

    /// Whether its limbs stand in memory. Those of other keys are dropped after each automorphism's products.
    fn in_memory(&self) -> bool;

    /// The residues of half h (0 or 1) of a digit's pair modulo the prime at a position of the basis.
    ///
    /// # Errors
    /// Where they can't be read.
    fn limb(&self, digit: usize, half: usize, position: usize) -> io::Result<KeyWords<'_>>;
}

/// What one automorphism ψ adds to a pair of sums: ψ(addendₕ) + Σⱼ ψ(digitⱼ)·keyⱼₕ for h = 0 and 1.
#[derive(Clone, Debug)]
pub struct SwitchPart<'a> {
    /// ψ; `None` is the identity.
    pub permutation: Option<&'a EvaluationPermutation>,
    /// Modulo the first primes; 0 modulo those that they don't have.
    pub addends: [Option<&'a Poly<Evaluation>>; 2],
    /// Which of the decomposed polynomials is multiplied, and by which key. A key may have more primes than the
    /// sums: those in between are passed over.
    pub product: Option<(usize, &'a dyn SwitchKey)>,
}

/// Pairs of sums, one for each list of parts, modulo the primes of a basis, of which the last `special` are the last
/// ones of every key. Each prime's digits are extended once for all sums. Each sum is reduced once, if its keys stand
/// in memory.
///
/// # Errors
/// A key that can't be read.
///
/// # Panics
/// If a key has fewer digits than what it's multiplied by, or lacks one of the primes; if an addend, a decomposed
/// polynomial or a permutation belongs to another basis or ring.
pub fn switch_sums(
    basis: &Basis,
    special: usize,
    decomposed: &[Digits<'_>],
    sums: &[Vec<SwitchPart<'_>>],
) -> io::Result<Vec<[Poly<Evaluation>; 2]>> {
    pairs_by_prime(basis, special, decomposed, sums.len(), |prime, outs| {
        outs.into_iter().zip(sums).try_for_each(|(out, parts)| prime.write_sums(out, parts))
    })
}

/// Words that [`image_combinations`] takes at a time: of all images of a group they stay in the second-level cache.
const BLOCK: usize = 1 << 9;

/// Images that are at hand at once, modulo one prime.
const GROUP: usize = 32;

/// Pairs of linear combinations Σₖ pₖ·imageₖₕ for h = 0 and 1, where each image is one [`SwitchPart`] alone, and each
/// combination a list of places of images, in rising order, and polynomials. Those may have more primes than the basis:
/// `special` says how many of the last ones of the basis, and of the polynomials, are special ones, of which the
/// polynomials have those of the basis first.
///
/// The images stand in memory modulo one prime for each thread and a few at a time; a polynomial is read once, and each
/// sum is reduced once a group of images.
///
/// # Panics
/// As [`switch_sums`].
pub fn image_combinations(
    basis: &Basis,
    special: [usize; 2],
    decomposed: &[Digits<'_>],
    images: &[SwitchPart<'_>],
    combinations: &[Vec<(usize, &Runs)>],
) -> io::Result<Vec<[Poly<Evaluation>; 2]>> {
    let n = basis.ring_degree();
    let block = BLOCK.min(n);
    pairs_by_prime(basis, special[0], decomposed, combinations.len(), |prime, mut outs| {
        let limb = prime.limb();
        if images.is_empty() {
            outs.iter_mut().flatten().for_each(|out| out.fill(0));
        }
        let mut scratch = basis.pool().take(GROUP * block);
        let mut sums = [(); 2].map(|()| basis.pool().take(block));
        for (group, parts) in images.chunks(GROUP).enumerate() {
            let first = group * GROUP;
            let images: Vec<[Words; 2]> =
                parts.iter().map(|part| prime.image(part)).collect::<io::Result<_>>()?;
            for start in (0..n).step_by(block) {
                let range = start..start + block;
                for (out, combination) in outs.iter_mut().zip(combinations) {
                    let members =
                        combination.iter().filter(|(k, _)| (first..first + parts.len()).contains(k));
                    let (digits, keys): (Vec<&[u64]>, Vec<[PackedWords<'_>; 2]>) = members
                        .zip(scratch.chunks_mut(block))
                        .map(|((k, poly), scratch)| {
                            let words =
                                poly.words(prime.position(poly.basis(), special[1]), range.clone(), scratch);
                            let image = images[k - first].each_ref().map(|image| &image[range.clone()]);
                            (words, image.map(PackedWords::from))
                        })
                        .unzip();
                    let term =
                        SwitchTerm { permutation: None, addends: [None; 2], digits: &digits, keys: &keys };
                    let kernels = limb.kernels();
                    let out = out.each_mut().map(|out| &mut out[range.clone()]);
                    if group == 0 {
                        (kernels.switch_sum)(out, &[term], limb.modulus());
                    } else if !digits.is_empty() {
                        (kernels.switch_sum)(sums.each_mut().map(|sum| &mut **sum), &[term], limb.modulus());
                        let add = |(out, sum): (&mut [u64], &Words)| {
                            (kernels.add_assign)(out, sum, limb.modulus());
                        };
                        out.into_iter().zip(&sums).for_each(add);
                    }
                }
            }
        }
        Ok(())
    })
}

/// So many pairs of polynomials, of which `f` writes the words modulo each prime.
fn pairs_by_prime(
    basis: &Basis,
    special: usize,
    decomposed: &[Digits<'_>],
    count: usize,
    f: impl Fn(&Prime<'_>, Vec<[&mut [u64]; 2]>) -> io::Result<()> + Send + Sync,
) -> io::Result<Vec<[Poly<Evaluation>; 2]>> {
    let mut pairs: Vec<[Poly<Evaluation>; 2]> =
        (0..count).map(|_| [Poly::any(basis), Poly::any(basis)]).collect();
    // For each prime its words of every result.
    let mut limbs: Vec<Vec<[&mut [u64]; 2]>> = (0..basis.len()).map(|_| Vec::new()).collect();
    for [first, second] in &mut pairs {
        let pairs = first.limbs_mut().zip(second.limbs_mut());
        limbs.iter_mut().zip(pairs).for_each(|(limb, (first, second))| limb.push([first, second]));
    }
    let modulo = |(i, outs): (usize, Vec<[&mut [u64]; 2]>)| {
        let places: Vec<Vec<LimbWords<'_>>> =
            decomposed.iter().map(|digits| digits.modulo(basis, i)).collect();
        let digits: Vec<Vec<&[u64]>> =
            places.iter().map(|places| places.iter().map(Deref::deref).collect()).collect();
        f(&Prime { basis, special, i, digits: &digits }, outs)
    };
    if Work::Transform.is_worth_threads(basis.len() * basis.ring_degree()) {
        limbs.into_par_iter().enumerate().try_for_each(modulo)?;
    } else {
        limbs.into_iter().enumerate().try_for_each(modulo)?;
    }
    Ok(pairs)
}

/// The prime at position i of the sums, with all digits modulo it.
struct Prime<'d> {
    basis: &'d Basis,
    special: usize,
    i: usize,
    digits: &'d [Vec<&'d [u64]>],
}

impl Prime<'_> {
    fn limb(&self) -> &Limb {
        &self.basis.limbs()[self.i]
    }

    /// Where the prime stands in a basis of more primes, the last of which are special ones too. Those that it has more
    /// before the special ones, or after them, are passed over.
    fn position(&self, basis: &Basis, special: usize) -> usize {
        let first = self.basis.len() - self.special;
        let position = if self.i < first { self.i } else { basis.len() - special + (self.i - first) };
        assert_same_prime((basis, position), (self.basis, self.i));
        position
    }

    /// The sum of one part in new memory.
    fn image(&self, part: &SwitchPart<'_>) -> io::Result<[Words; 2]> {
        let mut image = [self.basis.words(), self.basis.words()];
        let [first, second] = &mut image;
        self.write_sums([first, second], std::slice::from_ref(part))?;
        Ok(image)
    }

    /// Writes one pair of sums.
    fn write_sums(&self, out: [&mut [u64]; 2], parts: &[SwitchPart<'_>]) -> io::Result<()> {
        let in_memory = |part: &SwitchPart<'_>| part.product.is_none_or(|(_, key)| key.in_memory());
        if parts.iter().all(in_memory) {
            return self.write_sum(out, parts, None);
        }
        let [first, second] = out;
        first.fill(0);
        second.fill(0);
        let mut before = [self.basis.words(), self.basis.words()];
        for part in parts {
            before[0].copy_from_slice(first);
            before[1].copy_from_slice(second);
            self.write_sum([&mut *first, &mut *second], std::slice::from_ref(part), Some(&before))?;
        }
        Ok(())
    }

    /// Writes the sum of some parts and of what came before.
    fn write_sum(
        &self,
        out: [&mut [u64]; 2],
        parts: &[SwitchPart<'_>],
        before: Option<&[Words; 2]>,
    ) -> io::Result<()> {
        let limb = self.limb();
        let keys: Vec<Vec<[KeyWords<'_>; 2]>> =
            parts.iter().map(|part| self.key(part)).collect::<io::Result<_>>()?;
        let keys: Vec<Vec<[PackedWords<'_>; 2]>> = keys
            .iter()
            .map(|pairs| pairs.iter().map(|pair| pair.each_ref().map(KeyWords::packed)).collect())
            .collect();
        let before = before.map(|before| SwitchTerm {
            permutation: None,
            addends: before.each_ref().map(|words| Some(&**words)),
            digits: &[],
            keys: &[],
        });
        let terms = parts.iter().zip(&keys).map(|(part, keys)| SwitchTerm {
            permutation: part.permutation.map(|permutation| {
                assert_eq!(permutation.0.len(), self.basis.ring_degree());
                &permutation.0
            }),
            addends: part.addends.map(|addend| {
                let addend = addend.filter(|addend| self.i < addend.basis().len());
                addend.map(|addend| limb_of(addend, self.basis, self.i))
            }),
            digits: part.product.map_or(&[], |(k, _)| &self.digits[k]),
            keys,
        });
        let terms: Vec<SwitchTerm<'_>> = before.into_iter().chain(terms).collect();
        (limb.kernels().switch_sum)(out, &terms, limb.modulus());
        Ok(())
    }

    /// The words of a part's key modulo this prime.
    fn key<'a>(&self, part: &SwitchPart<'a>) -> io::Result<Vec<[KeyWords<'a>; 2]>> {
        let Some((k, key)) = part.product else { return Ok(Vec::new()) };
        let position = self.position(key.basis(), self.special);
        (0..self.digits[k].len())
            .map(|digit| Ok([key.limb(digit, 0, position)?, key.limb(digit, 1, position)?]))
            .collect()
    }
}
