//! The work of key switching modulo each prime: digits are extended to it (mod-up) and multiplied by keys while they're
//! in the cache.

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

/// A polynomial's residues modulo some of its primes (a digit), ready to be extended to any other prime.
struct Digit {
    /// From the digit's primes to the others.
    converter: Arc<Converter>,
    prepared: Prepared,
    /// The positions of the digit's primes.
    positions: Range<usize>,
}

/// A polynomial cut into digits. A digit is the centred representative of the residues modulo some of the primes: at
/// most half their product in size.
pub struct Digits<'p> {
    poly: &'p Poly<Evaluation>,
    parts: Vec<Digit>,
    /// The digits modulo all primes, after [`Digits::extend`].
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
    /// Cuts a polynomial into digits at the given positions of its primes. Each converter leads from the primes of one
    /// digit to all other primes of `basis` that it will be extended to, in order.
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

    /// Extends the digits to all primes of a basis at once (mod-up). It's worth the memory if they're multiplied by
    /// more than one key.
    pub fn extend(mut self, basis: &Basis) -> Self {
        let extended = |k| Poly::build(basis, Work::Transform, |i, limb, out| self.write(k, i, limb, out));
        self.extended = Some((0..self.count()).map(extended).collect());
        self
    }

    /// Writes a digit modulo the prime at position i.
    fn write(&self, digit: usize, i: usize, limb: &Limb, out: &mut [u64]) {
        let Digit { converter, prepared, positions } = &self.parts[digit];
        if positions.contains(&i) {
            out.copy_from_slice(self.poly.limb(i));
        } else {
            let row = if i < positions.start { i } else { i - positions.len() };
            assert_eq!(converter.to().modulus(row), limb.modulus());
            converter.row(prepared, row, limb, out);
            limb.forward(out);
        }
    }

    /// The digits modulo the prime at position i: borrowed if they were extended before or are residues of the
    /// polynomial itself, else computed in new memory.
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

/// The residues of a polynomial modulo the prime at position i of a basis.
///
/// # Panics
/// If the polynomial's prime at that position, or its ring degree, is another one.
fn limb_of<'a>(poly: &'a Poly<Evaluation>, basis: &Basis, i: usize) -> &'a [u64] {
    assert_same_prime((poly.basis(), i), (basis, i));
    poly.limb(i)
}

/// # Panics
/// Unless the ring degrees, and the primes at the two positions, are the same.
fn assert_same_prime(a: (&Basis, usize), b: (&Basis, usize)) {
    assert!(a.0.ring_degree() == b.0.ring_degree() && a.0.modulus(a.1) == b.0.modulus(b.1));
}

/// The residues of a polynomial modulo one prime: borrowed, or in memory of their own.
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

/// The packed words of a key modulo one prime.
#[derive(Debug)]
pub enum KeyWords<'a> {
    /// Borrowed from a key in memory.
    There(PackedWords<'a>),
    /// Read or computed for one use.
    New(Words),
}

impl KeyWords<'_> {
    /// The words, in their packed form.
    pub fn packed(&self) -> PackedWords<'_> {
        match self {
            Self::There(words) => *words,
            Self::New(words) => PackedWords::from(&**words),
        }
    }
}

/// A key-switching key: a pair of polynomials for each digit. It's read limb by limb, so that it needn't be in memory
/// as a whole.
pub trait SwitchKey: std::fmt::Debug + Sync {
    /// Its primes, the special ones last.
    fn basis(&self) -> &Basis;

    /// Whether its limbs are in memory. Limbs of other keys are dropped after each automorphism's products.
    fn in_memory(&self) -> bool;

    /// The residues, modulo the prime at a position of the basis, of half h (0 or 1) of a digit's pair.
    ///
    /// # Errors
    /// If they can't be read.
    fn limb(&self, digit: usize, half: usize, position: usize) -> io::Result<KeyWords<'_>>;
}

/// What one automorphism ψ adds to a pair of sums: ψ(addendₕ) + Σⱼ ψ(digitⱼ)·keyⱼₕ for h = 0 and 1.
#[derive(Clone, Debug)]
pub struct SwitchPart<'a> {
    /// ψ; `None` is the identity.
    pub permutation: Option<&'a EvaluationPermutation>,
    /// Polynomials modulo the first primes of the sums; modulo the other primes they count as 0.
    pub addends: [Option<&'a Poly<Evaluation>>; 2],
    /// The index of the decomposed polynomial that is multiplied, and the key. A key may have more primes than the
    /// sums: the primes between the sums' ciphertext primes and the special ones are skipped.
    pub product: Option<(usize, &'a dyn SwitchKey)>,
}

/// Pairs of sums, one for each list of parts, modulo the primes of a basis. The last `special` primes of the basis are
/// the last primes of every key. Each prime's digits are extended once for all sums, and each sum is reduced once if
/// its keys are in memory.
///
/// # Errors
/// If a key can't be read.
///
/// # Panics
/// If a key has fewer digits than the polynomial that it's multiplied by, or lacks one of the primes; if an addend, a
/// decomposed polynomial or a permutation belongs to another basis or ring.
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

/// Words that [`image_combinations`] processes at a time: those of all images of a group stay in the second-level
/// cache.
const BLOCK: usize = 1 << 9;

/// The number of images, modulo one prime, that are in memory at once.
const GROUP: usize = 32;

/// Pairs of linear combinations Σₖ pₖ·imageₖₕ for h = 0 and 1. Each image is that of one [`SwitchPart`] alone; each
/// combination is a list of indices k of images, in rising order, with polynomials pₖ. The polynomials may have more
/// primes than the basis. `special` gives the number of special primes, which come last, in the basis and in the
/// polynomials; the polynomials' special primes begin with those of the basis.
///
/// Of the images, each thread keeps only a few in memory at a time, modulo one prime. A polynomial is read once, and
/// each sum is reduced once for each group of images.
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

/// `count` pairs of polynomials, whose words modulo each prime `f` writes.
fn pairs_by_prime(
    basis: &Basis,
    special: usize,
    decomposed: &[Digits<'_>],
    count: usize,
    f: impl Fn(&Prime<'_>, Vec<[&mut [u64]; 2]>) -> io::Result<()> + Send + Sync,
) -> io::Result<Vec<[Poly<Evaluation>; 2]>> {
    let mut pairs: Vec<[Poly<Evaluation>; 2]> =
        (0..count).map(|_| [Poly::any(basis), Poly::any(basis)]).collect();
    // For each prime, the words of every result.
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

    /// The position of this prime in a basis of more primes, the last `special` of which are special ones. The further
    /// ciphertext primes before these, and the further special primes at the end, are skipped.
    fn position(&self, basis: &Basis, special: usize) -> usize {
        let first = self.basis.len() - self.special;
        let position = if self.i < first { self.i } else { basis.len() - special + (self.i - first) };
        assert_same_prime((basis, position), (self.basis, self.i));
        position
    }

    /// The pair of one part alone, in new memory.
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

    /// Writes the sum of some parts, on top of what earlier parts have left there.
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

    /// The words of a part's key modulo this prime, a pair for each digit.
    fn key<'a>(&self, part: &SwitchPart<'a>) -> io::Result<Vec<[KeyWords<'a>; 2]>> {
        let Some((k, key)) = part.product else { return Ok(Vec::new()) };
        let position = self.position(key.basis(), self.special);
        (0..self.digits[k].len())
            .map(|digit| Ok([key.limb(digit, 0, position)?, key.limb(digit, 1, position)?]))
            .collect()
    }
}
