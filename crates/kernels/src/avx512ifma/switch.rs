//! The sums of a key switch, all automorphisms and digits at once.
//!
//! The key is read once, in order, and this bounds the time, since keys don't fit the caches. So the sums of a tile of
//! the result stay in the first-level cache while digit after digit is added to them, and the key is read in two
//! streams at a time, which the processor prefetches. Sums of a few products stay in registers. Blocks of eight words of a digit are permuted as they're read,
//! and the key's words are unpacked: eight words of b bits take b bytes.

use std::arch::x86_64::{
    __m512i, __mmask64, _MM_HINT_T0, _mm_prefetch, _mm512_add_epi64, _mm512_and_si512, _mm512_loadu_epi8,
    _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_maskz_loadu_epi8, _mm512_permutexvar_epi8,
    _mm512_setzero_si512, _mm512_srlv_epi64,
};

use super::rns::{Fold, PRODUCTS_PER_REDUCTION};
use super::vector::MAX_BITS;
use crate::avx512::moved;
use crate::avx512::vector::{LANES, Words, load, splat, store};
use crate::{
    Modulus, PackedWords, Permutation, SwitchTerm,
    permutation::{BlockMove, Moves},
    scalar,
};

/// Vectors of a tile: for each key at most a page of 4 KiB.
const TILE: usize = 64;

/// Products that are added while the sums are in registers: with fewer, the loads and stores of the sums take the time,
/// and this many streams of keys keep the memory busy.
const STEP: usize = 3;

/// How many vectors ahead of its use a key is prefetched.
const AHEAD: usize = 8;

/// The sums of one vector: low and high halves for each of the two results.
type Sums = [__m512i; 4];

/// The source blocks of an image; `None` for the identity.
type Blocks<'a> = Option<&'a [BlockMove]>;

/// A residue to be added to the sum at a place.
struct Addend<'a> {
    blocks: Blocks<'a>,
    words: *const Words,
    place: usize,
}

/// A digit and the pair of a key that it's multiplied by, packed.
#[derive(Clone, Copy)]
struct Product<'a> {
    blocks: Blocks<'a>,
    digit: *const Words,
    key: [*const u8; 2],
}

/// How the vectors of a key are unpacked; all words have one width. `PLAIN` keys have words of 64 bits.
#[derive(Clone, Copy)]
struct Unpack<const PLAIN: bool> {
    /// Bytes of a vector in memory, which is the width of a word in bits.
    bytes: usize,
    /// The mask of the `bytes` bytes that are loaded.
    loaded: __mmask64,
    /// For each lane, the eight bytes from the one in which its word begins.
    places: __m512i,
    /// For each lane, the bit of that first byte at which its word begins.
    shifts: __m512i,
    /// In each lane, as many ones as a word has bits.
    mask: __m512i,
}

impl<const PLAIN: bool> Unpack<PLAIN> {
    /// For words of at most [`MAX_BITS`] bits, or plain ones.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn new(bits: u32) -> Self {
        let bit = |lane: usize| lane * bits as usize;
        let place = |byte: usize| (bit(byte / LANES) / 8 + byte % LANES) as u8;
        let places: [u8; 64] = std::array::from_fn(place);
        Self {
            bytes: bits as usize,
            loaded: u64::MAX >> (u64::BITS - bits),
            places: load(&std::array::from_fn(|lane| {
                u64::from_le_bytes(std::array::from_fn(|byte| places[LANES * lane + byte]))
            })),
            shifts: load(&std::array::from_fn(|lane| (bit(lane) % 8) as u64)),
            mask: splat(u64::MAX >> (u64::BITS - bits)),
        }
    }

    /// The vector of index `at`.
    ///
    /// # Safety
    /// The key has more than `at` vectors.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn read(self, key: *const u8, at: usize) -> __m512i {
        // SAFETY (all): by the contract of this function. Only the bytes that the mask selects are read.
        if PLAIN {
            return unsafe { _mm512_loadu_epi8(key.add(at * size_of::<Words>()).cast()) };
        }
        let packed = unsafe { _mm512_maskz_loadu_epi8(self.loaded, key.add(at * self.bytes).cast()) };
        let shifted = _mm512_srlv_epi64(_mm512_permutexvar_epi8(self.places, packed), self.shifts);
        _mm512_and_si512(shifted, self.mask)
    }
}

/// The terms as the loops read them: the products of all automorphisms in one list.
struct Terms<'a> {
    addends: Vec<Addend<'a>>,
    products: Vec<Product<'a>>,
}

impl<'a> Terms<'a> {
    /// `None` if a permutation isn't by blocks.
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
                key: key.map(|words| words.bytes().as_ptr()),
            }));
        }
        Some(Self { addends, products })
    }
}

/// The vector of index `at` of the image of `words`.
///
/// # Safety
/// The image has more than `at` vectors, and the source block lies within `words`.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn image(blocks: Blocks<'_>, words: *const Words, at: usize) -> __m512i {
    // SAFETY (both): by the contract of this function; arrays of words are aligned like words.
    let Some(blocks) = blocks else { return load(unsafe { &*words.add(at) }) };
    unsafe { moved(words, *blocks.get_unchecked(at)) }
}

/// Adds some products to the sums of the vector of index `at`.
///
/// # Safety
/// All slices have more than `at` vectors, and the source blocks are among theirs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
unsafe fn with_products<const PLAIN: bool, const D: usize>(
    [mut low0, mut high0, mut low1, mut high1]: Sums,
    at: usize,
    products: &[Product<'_>; D],
    unpack: Unpack<PLAIN>,
) -> Sums {
    for product in products {
        for words in product.key {
            _mm_prefetch::<_MM_HINT_T0>(words.wrapping_add((at + AHEAD) * unpack.bytes).cast());
        }
        // SAFETY (both): by the contract of this function; arrays of words are aligned like words.
        let digit = unsafe { image(product.blocks, product.digit, at) };
        let [b, a] = product.key;
        let (b, a) = unsafe { (unpack.read(b, at), unpack.read(a, at)) };
        low0 = _mm512_madd52lo_epu64(low0, digit, b);
        high0 = _mm512_madd52hi_epu64(high0, digit, b);
        low1 = _mm512_madd52lo_epu64(low1, digit, a);
        high1 = _mm512_madd52hi_epu64(high1, digit, a);
    }
    [low0, high0, low1, high1]
}

/// Adds some products to the sums of the vectors from `start` on.
///
/// # Safety
/// All slices have at least `start + sums.len()` vectors, and the source blocks are among theirs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
unsafe fn add_products<const PLAIN: bool, const D: usize>(
    sums: &mut [Sums],
    start: usize,
    products: &[Product<'_>; D],
    unpack: Unpack<PLAIN>,
) {
    for (at, sums) in (start..).zip(sums) {
        // SAFETY: by the contract of this function.
        *sums = unsafe { with_products(*sums, at, products, unpack) };
    }
}

/// The sums of so few products that they stay in registers.
///
/// # Safety
/// As [`tiles`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
unsafe fn few<const PLAIN: bool, const D: usize>(
    [first, second]: [&mut [Words]; 2],
    addends: &[Addend<'_>],
    products: &[Product<'_>; D],
    unpack: Unpack<PLAIN>,
    fold: &Fold,
) {
    for (at, (first, second)) in first.iter_mut().zip(second).enumerate() {
        let mut sums = [_mm512_setzero_si512(); 4];
        for Addend { blocks, words, place } in addends {
            // SAFETY: by the contract of this function.
            sums[2 * place] = _mm512_add_epi64(sums[2 * place], unsafe { image(*blocks, *words, at) });
        }
        // SAFETY: by the contract of this function.
        let [low0, high0, low1, high1] = unsafe { with_products(sums, at, products, unpack) };
        store(first, fold.reduce(low0, high0));
        store(second, fold.reduce(low1, high1));
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
/// All slices of the terms have as many words as the results, a multiple of [`LANES`], and the keys' words have `bits`
/// bits.
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
unsafe fn tiles<const PLAIN: bool>(out: [&mut [u64]; 2], terms: &Terms<'_>, bits: u32, q: &Modulus) {
    let unpack = Unpack::<PLAIN>::new(bits);
    let fold = &Fold::new(q, terms.addends.len() + terms.products.len(), q.bits(), q.bits());
    let out = out.map(|words| words.as_chunks_mut::<LANES>().0);
    // SAFETY (all): by the contract of this function.
    match (&*terms.addends, &*terms.products) {
        (addends, [a]) if addends.len() <= 2 => return unsafe { few(out, addends, &[*a], unpack, fold) },
        (addends, [a, b]) if addends.len() <= 2 => {
            return unsafe { few(out, addends, &[*a, *b], unpack, fold) };
        }
        (addends, [a, b, c]) if addends.len() <= 2 => {
            return unsafe { few(out, addends, &[*a, *b, *c], unpack, fold) };
        }
        _ => {}
    }
    let [first, second] = out;
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
            steps.iter().for_each(|products| unsafe { add_products(sums, start, products, unpack) });
            match rest {
                [] => {}
                [one] => unsafe { add_products(sums, start, std::array::from_ref(one), unpack) },
                more => {
                    let (pairs, _) = more.as_chunks::<2>();
                    pairs.iter().for_each(|products| unsafe { add_products(sums, start, products, unpack) });
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
    let mut widths = terms.iter().flat_map(|term| term.keys).flatten().map(PackedWords::bits);
    let bits = widths.next().unwrap_or(u64::BITS);
    let readable = length.is_multiple_of(LANES)
        && (bits <= MAX_BITS || bits == u64::BITS)
        && widths.all(|other| other == bits);
    match Terms::new(terms).filter(|_| readable) {
        // SAFETY (both): the lengths and widths were just checked, and a permutation's sources are all in range. The
        // table of this back-end is handed out only after detection.
        Some(terms) if bits == u64::BITS => unsafe { tiles::<true>(out, &terms, bits, q) },
        Some(terms) => unsafe { tiles::<false>(out, &terms, bits, q) },
        None => scalar::switch_sum(out, terms, q),
    }
}
