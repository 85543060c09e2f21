//! The sums of a key switch, all automorphisms and digits at once.
//!
//! A key is read once, straight on; that is what bounds the whole, since keys don't fit the caches. So the sums of a
//! tile of the result stand in the first-level cache while digit after digit is added to them: two streams of the key
//! at a time, which the processor sees coming. Blocks of eight words of a digit are permuted as they're read.

use std::arch::x86_64::{
    __m512i, _MM_HINT_T0, _mm_prefetch, _mm512_add_epi64, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64,
    _mm512_permutexvar_epi64, _mm512_set_epi64, _mm512_setzero_si512, _mm512_srlv_epi64,
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

/// Products that are added while the sums are in registers: fewer wait for the sums' loads and stores, and these many
/// streams of keys are what memory takes to be busy.
const STEP: usize = 3;

/// How many vectors before it's read a key is asked for.
const AHEAD: usize = 8;

/// The sums of one vector: low and high halves for each of the two results.
type Sums = [__m512i; 4];

/// Where the vectors of an image come from; `None` for the identity.
type Blocks<'a> = Option<&'a [BlockMove]>;

/// A residue to be added to the sum at a place.
struct Addend<'a> {
    blocks: Blocks<'a>,
    words: *const Words,
    place: usize,
}

/// A digit and the pair of a key that it's multiplied by.
struct Product<'a> {
    blocks: Blocks<'a>,
    digit: *const Words,
    key: [*const Words; 2],
}

/// The terms as the loops read them: all products, whatever automorphism they belong to, in one list.
struct Terms<'a> {
    addends: Vec<Addend<'a>>,
    products: Vec<Product<'a>>,
}

impl<'a> Terms<'a> {
    /// `None` if a permutation isn't one of blocks.
    fn new(terms: &[SwitchTerm<'a>]) -> Option<Self> {
        let (mut addends, mut products) = (Vec::new(), Vec::new());
        for term in terms {
            let blocks = match term.permutation.map(Permutation::moves) {
                None => None,
                Some(Moves::Blocks(blocks)) => Some(&**blocks),
                Some(Moves::Words(_)) => return None,
            };
            for (place, words) in term.addends.iter().enumerate() {
                addends.extend(words.map(|words| Addend { blocks, words: words.as_ptr().cast(), place }));
            }
            products.extend(term.digits.iter().zip(term.keys).map(|(digit, key)| Product {
                blocks,
                digit: digit.as_ptr().cast(),
                key: key.map(|words| words.as_ptr().cast()),
            }));
        }
        Some(Self { addends, products })
    }
}

/// The vector at an index of the image of some words.
///
/// # Safety
/// There are more vectors, and the source block is among them.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn image(blocks: Blocks<'_>, words: *const Words, at: usize) -> __m512i {
    // SAFETY (all): by the contract of this function; arrays of words are aligned like words.
    let Some(blocks) = blocks else { return load(unsafe { &*words.add(at) }) };
    let source = unsafe { *blocks.get_unchecked(at) };
    // The permuting instruction reads the lower three bits of each lane, and the places have three bits each.
    let shifts = _mm512_set_epi64(21, 18, 15, 12, 9, 6, 3, 0);
    let places = _mm512_srlv_epi64(splat(source.places()), shifts);
    _mm512_permutexvar_epi64(places, load(unsafe { &*words.add(source.block()) }))
}

/// Adds some products to the sums of the vectors from `start` on.
///
/// # Safety
/// All slices have at least `start + sums.len()` vectors, and the source blocks are among theirs.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn add_products<const D: usize>(sums: &mut [Sums], start: usize, products: &[Product<'_>; D]) {
    for (at, sums) in (start..).zip(sums) {
        let [mut low0, mut high0, mut low1, mut high1] = *sums;
        for product in products {
            for words in product.key {
                _mm_prefetch::<_MM_HINT_T0>(words.wrapping_add(at + AHEAD).cast());
            }
            // SAFETY (both): by the contract of this function; arrays of words are aligned like words.
            let digit = unsafe { image(product.blocks, product.digit, at) };
            let [b, a] = product.key.map(|words| load(unsafe { &*words.add(at) }));
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
unsafe fn tiles(out: [&mut [u64]; 2], terms: &Terms<'_>, q: &Modulus) {
    let fold = &Fold::new(q, terms.addends.len() + terms.products.len(), q.bits(), q.bits());
    let [first, second] = out.map(|words| words.as_chunks_mut::<LANES>().0);
    let mut sums = [[_mm512_setzero_si512(); 4]; TILE];
    for (tile, (first, second)) in first.chunks_mut(TILE).zip(second.chunks_mut(TILE)).enumerate() {
        let (sums, start) = (&mut sums[..first.len()], tile * TILE);
        sums.fill([_mm512_setzero_si512(); 4]);
        for addends in terms.addends.chunks(PRODUCTS_PER_REDUCTION - 1) {
            for Addend { blocks, words, place } in addends {
                for (at, sums) in (start..).zip(&mut *sums) {
                    // SAFETY: by the contract of this function.
                    let residue = unsafe { image(*blocks, *words, at) };
                    sums[2 * place] = _mm512_add_epi64(sums[2 * place], residue);
                }
            }
            reduce(sums, fold);
        }
        for products in terms.products.chunks(PRODUCTS_PER_REDUCTION - 1) {
            let (steps, rest) = products.as_chunks::<STEP>();
            // SAFETY (all): by the contract of this function.
            steps.iter().for_each(|products| unsafe { add_products(sums, start, products) });
            match rest {
                [] => {}
                [one] => unsafe { add_products(sums, start, std::array::from_ref(one)) },
                more => {
                    let (pairs, _) = more.as_chunks::<2>();
                    pairs.iter().for_each(|products| unsafe { add_products(sums, start, products) });
                }
            }
            reduce(sums, fold);
        }
        for ((first, second), sums) in first.iter_mut().zip(second).zip(&*sums) {
            store(first, sums[0]);
            store(second, sums[2]);
        }
    }
}

pub(crate) fn switch_sum(out: [&mut [u64]; 2], terms: &[SwitchTerm<'_>], q: &Modulus) {
    let length = out[0].len();
    assert!(out[1].len() == length && terms.iter().all(|term| term.fits(length)));
    match Terms::new(terms).filter(|_| length.is_multiple_of(LANES)) {
        // SAFETY: the lengths were just looked at, and a permutation's sources are all in range. The table of this
        // back-end is handed out only after detection.
        Some(terms) => unsafe { tiles(out, &terms, q) },
        None => scalar::switch_sum(out, terms, q),
    }
}
