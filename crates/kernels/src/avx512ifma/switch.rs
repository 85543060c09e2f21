//! The sums of a key switch, all automorphisms and digits at once.
//!
//! A key is read once, straight on; that is what bounds the whole, since keys don't fit the caches. So the sums of a
//! tile of the result stand in the first-level cache while digit after digit is added to them: two streams of the key
//! at a time, which the processor sees coming. Blocks of eight words of a digit are permuted as they're read.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_permutexvar_epi64,
    _mm512_set_epi64, _mm512_setzero_si512, _mm512_srlv_epi64,
};

use super::rns::{Fold, PRODUCTS_PER_REDUCTION};
use crate::avx512::vector::{LANES, Words, load, splat, store};
use crate::{
    Modulus, Permutation, SwitchTerm,
    permutation::{BlockMove, Moves},
    scalar,
};

/// Vectors of a tile: a page of every key.
const TILE: usize = 64;

/// Digits that are multiplied while the sums are in registers.
const STEP: usize = 3;

/// The sums of one vector: low and high halves for each of the two results.
type Sums = [__m512i; 4];

/// A term as its loops read it.
struct Term<'a> {
    blocks: Option<&'a [BlockMove]>,
    addends: [Option<*const Words>; 2],
    digits: Vec<*const Words>,
    keys: Vec<[*const Words; 2]>,
}

impl<'a> Term<'a> {
    /// `None` if the permutation isn't one of blocks.
    fn new(term: &SwitchTerm<'a>) -> Option<Self> {
        let blocks = match term.permutation.map(Permutation::moves) {
            None => None,
            Some(Moves::Blocks(blocks)) => Some(&**blocks),
            Some(Moves::Words(_)) => return None,
        };
        Some(Self {
            blocks,
            addends: term.addends.map(|words| words.map(|words| words.as_ptr().cast())),
            digits: term.digits.iter().map(|words| words.as_ptr().cast()).collect(),
            keys: term.keys.iter().map(|pair| pair.map(|words| words.as_ptr().cast())).collect(),
        })
    }

    /// How many products and residues are added to each sum.
    fn summands(&self) -> usize {
        self.digits.len() + 1
    }

    /// Adds this term to the sums of the vectors from `start` on.
    ///
    /// # Safety
    /// All slices have at least `start + sums.len()` vectors, and the source blocks are among theirs.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn add_to(&self, sums: &mut [Sums], start: usize) {
        // The permuting instruction reads the lower three bits of each lane, and the places have three bits each.
        let shifts = _mm512_set_epi64(21, 18, 15, 12, 9, 6, 3, 0);
        match self.blocks {
            // SAFETY (all): by the contract of this function; arrays of words are aligned like words.
            None => unsafe { self.add_images(sums, start, |words, at| load(&*words.add(at))) },
            Some(blocks) => unsafe {
                self.add_images(sums, start, |words, at| {
                    let source = *blocks.get_unchecked(at);
                    let places = _mm512_srlv_epi64(splat(source.places()), shifts);
                    _mm512_permutexvar_epi64(places, load(&*words.add(source.block())))
                });
            },
        }
    }

    /// # Safety
    /// As for [`Term::add_to`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn add_images(
        &self,
        sums: &mut [Sums],
        start: usize,
        image: impl Fn(*const Words, usize) -> __m512i,
    ) {
        for (h, addend) in self.addends.iter().enumerate() {
            if let Some(addend) = *addend {
                for (at, sums) in (start..).zip(&mut *sums) {
                    sums[2 * h] = _mm512_add_epi64(sums[2 * h], image(addend, at));
                }
            }
        }
        let (digits, mut rest) = self.digits.as_chunks::<STEP>();
        let (keys, mut rest_keys) = self.keys.as_chunks::<STEP>();
        for (digits, keys) in digits.iter().zip(keys) {
            // SAFETY: by the contract of this function.
            unsafe { add_products(sums, start, digits, keys, &image) };
        }
        while let (Some((digit, digits)), Some((key, keys))) = (rest.split_first(), rest_keys.split_first()) {
            // SAFETY: by the contract of this function.
            unsafe { add_products(sums, start, &[*digit], &[*key], &image) };
            (rest, rest_keys) = (digits, keys);
        }
    }
}

/// Adds the products of some digits to sums while these are in registers.
///
/// # Safety
/// All slices have at least `start + sums.len()` vectors.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn add_products<const D: usize>(
    sums: &mut [Sums],
    start: usize,
    digits: &[*const Words; D],
    keys: &[[*const Words; 2]; D],
    image: impl Fn(*const Words, usize) -> __m512i,
) {
    for (at, sums) in (start..).zip(sums) {
        let [mut low0, mut high0, mut low1, mut high1] = *sums;
        for k in 0..D {
            let digit = image(digits[k], at);
            // SAFETY: by the contract of this function; arrays of words are aligned like words.
            let [b, a] = keys[k].map(|words| load(unsafe { &*words.add(at) }));
            low0 = _mm512_madd52lo_epu64(low0, digit, b);
            high0 = _mm512_madd52hi_epu64(high0, digit, b);
            low1 = _mm512_madd52lo_epu64(low1, digit, a);
            high1 = _mm512_madd52hi_epu64(high1, digit, a);
        }
        *sums = [low0, high0, low1, high1];
    }
}

/// Reduces the sums.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn reduce(sums: &mut [Sums], fold: &Fold) {
    for sums in sums {
        let [low0, high0, low1, high1] = *sums;
        let zero = _mm512_setzero_si512();
        *sums = [fold.reduce(low0, high0), zero, fold.reduce(low1, high1), zero];
    }
}

/// # Safety
/// All slices of the terms have as many words as the results, a multiple of [`LANES`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn tiles(out: [&mut [u64]; 2], terms: &[Term<'_>], q: &Modulus) {
    let summands: usize = terms.iter().map(Term::summands).sum();
    let fold = &Fold::new(q, summands, q.bits(), q.bits());
    let [first, second] = out.map(|words| words.as_chunks_mut::<LANES>().0);
    let mut sums = [[_mm512_setzero_si512(); 4]; TILE];
    for (tile, (first, second)) in first.chunks_mut(TILE).zip(second.chunks_mut(TILE)).enumerate() {
        let sums = &mut sums[..first.len()];
        sums.fill([_mm512_setzero_si512(); 4]);
        let mut added = 1;
        for term in terms {
            if added + term.summands() > PRODUCTS_PER_REDUCTION {
                reduce(sums, fold);
                added = 1;
            }
            added += term.summands();
            // SAFETY: by the contract of this function.
            unsafe { term.add_to(sums, tile * TILE) };
        }
        reduce(sums, fold);
        for ((first, second), sums) in first.iter_mut().zip(second).zip(&*sums) {
            store(first, sums[0]);
            store(second, sums[2]);
        }
    }
}

pub(crate) fn switch_sum(out: [&mut [u64]; 2], terms: &[SwitchTerm<'_>], q: &Modulus) {
    let length = out[0].len();
    assert!(out[1].len() == length && terms.iter().all(|term| term.fits(length)));
    let fit = length.is_multiple_of(LANES)
        && terms.iter().all(|term| term.digits.len() + 1 < PRODUCTS_PER_REDUCTION);
    let prepared: Option<Vec<Term<'_>>> = if fit { terms.iter().map(Term::new).collect() } else { None };
    match prepared {
        // SAFETY: the lengths were just looked at, and a permutation's sources are all in range. The table of this
        // back-end is handed out only after detection.
        Some(terms) => unsafe { tiles(out, &terms, q) },
        None => scalar::switch_sum(out, terms, q),
    }
}
