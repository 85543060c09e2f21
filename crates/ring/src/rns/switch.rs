//! The work of key switching modulo a few primes at a time: digits are extended to them (mod-up) and multiplied by keys
//! while they're in the cache.

use std::{io, ops::Range, sync::Arc};

use asanoha_kernels::{PackedWords, SwitchTerm};
use rayon::prelude::*;

use super::{
    basis::{Basis, Limb},
    cofactors::Prepared,
    convert::Converter,
    groups::{for_each_group, group_size},
    poly::{Evaluation, Poly},
    runs::Runs,
    work::Work,
};
use crate::EvaluationPermutation;
use crate::memory::Words;

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
            let prepared = converter.prepare_part(poly, positions.start);
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
        let n = basis.ring_degree();
        let extended = |k: usize| {
            let mut extended = Poly::any(basis);
            for_each_group(basis, extended.words_mut(), |first, limbs, words| {
                let places = first..first + limbs.len();
                let own = &self.parts[k].positions;
                let (before, after) = (own.start.clamp(first, places.end), own.end.clamp(first, places.end));
                let (outside, rest) = words.split_at_mut((before - first) * n);
                let (inside, behind) = rest.split_at_mut((after - before) * n);
                inside
                    .chunks_exact_mut(n)
                    .zip(before..)
                    .for_each(|(out, i)| out.copy_from_slice(self.poly.limb(i)));
                self.write(k, basis, first..before, outside);
                self.write(k, basis, after..places.end, behind);
            });
            extended
        };
        self.extended = Some((0..self.count()).map(extended).collect());
        self
    }

    /// Writes a digit modulo primes at neighbouring positions, none of which is the digit's own.
    fn write(&self, digit: usize, basis: &Basis, places: Range<usize>, out: &mut [u64]) {
        if places.is_empty() {
            return;
        }
        let Digit { converter, prepared, positions } = &self.parts[digit];
        let row = if places.start < positions.start { places.start } else { places.start - positions.len() };
        let limbs = &basis.limbs()[places];
        let targets = &converter.to().limbs()[row..row + limbs.len()];
        assert!(targets.iter().zip(limbs).all(|(target, limb)| target.modulus() == limb.modulus()));
        converter.rows(&prepared.inputs(), row, out);
        out.chunks_exact_mut(basis.ring_degree()).zip(limbs).for_each(|(out, limb)| limb.forward(out));
    }

    /// The digits modulo the primes at neighbouring positions: borrowed if they were extended before or are residues of the
    /// polynomial itself, else computed in new memory.
    fn modulo(&self, basis: &Basis, places: &Range<usize>) -> Vec<Extension<'_>> {
        let n = basis.ring_degree();
        let digit = |k: usize| {
            if let Some(extended) = &self.extended {
                return Extension { poly: &extended[k], own: places.clone(), words: None };
            }
            let own = &self.parts[k].positions;
            let own = own.start.clamp(places.start, places.end)..own.end.clamp(places.start, places.end);
            let outside = places.len() - own.len();
            let words = (outside > 0).then(|| {
                let mut words = basis.pool().take(outside * n);
                let (before, after) = words.split_at_mut((own.start - places.start) * n);
                self.write(k, basis, places.start..own.start, before);
                self.write(k, basis, own.end..places.end, after);
                words
            });
            Extension { poly: self.poly, own, words: words.map(|words| (places.start, words)) }
        };
        (0..self.count()).map(digit).collect()
    }
}

/// A digit modulo some neighbouring primes.
struct Extension<'a> {
    /// What is borrowed, and at which positions.
    poly: &'a Poly<Evaluation>,
    own: Range<usize>,
    /// The words at the other positions, from the first of all on.
    words: Option<(usize, Words)>,
}

impl Extension<'_> {
    /// The residues modulo the prime at position i.
    fn limb(&self, basis: &Basis, i: usize) -> &[u64] {
        match &self.words {
            Some((first, words)) if !self.own.contains(&i) => {
                let n = basis.ring_degree();
                let row = i - first - if i < self.own.start { 0 } else { self.own.len() };
                &words[row * n..(row + 1) * n]
            }
            _ => limb_of(self.poly, basis, i),
        }
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
    let parallel = Work::Transform.is_worth_threads(basis.len() * basis.ring_degree());
    let size = group_size(limbs.len(), parallel);
    let modulo = |(group, outs): (usize, &mut [Vec<[&mut [u64]; 2]>])| {
        let places = group * size..group * size + outs.len();
        let extensions: Vec<Vec<Extension<'_>>> =
            decomposed.iter().map(|digits| digits.modulo(basis, &places)).collect();
        places.zip(outs).try_for_each(|(i, outs)| {
            let digits: Vec<Vec<&[u64]>> = extensions
                .iter()
                .map(|extensions| extensions.iter().map(|extension| extension.limb(basis, i)).collect())
                .collect();
            f(&Prime { basis, special, i, digits: &digits }, std::mem::take(outs))
        })
    };
    if parallel {
        limbs.par_chunks_mut(size).enumerate().try_for_each(modulo)?;
    } else {
        limbs.chunks_mut(size).enumerate().try_for_each(modulo)?;
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
