//! Transforms of columns of residues, eight at a time, and sums that they start from.

use std::ops::Range;

use asanoha_kernels::{Backend, MAX_WIDE_LIMBS, WIDE_LANES, WideKernels, WideTable};
use num_bigint::BigUint;
use num_traits::One;
use zeroize::{Zeroize, Zeroizing};

use super::{
    WideModulus,
    ntt::{place_of_power, roots_of_unity},
};
use crate::memory::Words;

/// Bits of a word of the kernels.
const WORD_BITS: u32 = 52;

/// The negacyclic NTT of M residues modulo an odd prime t, eight columns at a time, and sums of products modulo t: what
/// [`super::WideNtt`] and [`WideModulus`] do row by row. The fastest kernels are those of processors with AVX-512 IFMA.
///
/// Within, residues are words of 52 bits that are reduced late: a modulus leaves 20 bits of the last word.
#[derive(Debug)]
pub struct WideColumns {
    modulus: WideModulus,
    size: usize,
    table: WideTable,
    kernels: &'static WideKernels,
    /// R modulo t, then ψ^reverse(i)·R at i.
    roots: Vec<u64>,
    /// R/M modulo t, then ψ^−reverse(i)·R at i.
    inverse_roots: Vec<u64>,
}

/// Eight columns of M residues, as the kernels take them. They are erased on drop.
pub struct Strip(Zeroizing<Vec<u64>>);

impl std::fmt::Debug for Strip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Strip(..)")
    }
}

/// Numbers known modulo t, one for each place, in words of 52 bits that may have carries of either sign: word after word for
/// all places. They are erased on drop.
#[derive(Clone)]
pub struct WidePlanes {
    words: Words,
    length: usize,
}

impl std::fmt::Debug for WidePlanes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WidePlanes").field("length", &self.length).finish_non_exhaustive()
    }
}

impl WidePlanes {
    /// The number of places.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are no places.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// (self, other) ← (self + other, X^(−exponent)·(self − other)), as polynomials modulo X^len + 1. The numbers' bounds
    /// double.
    ///
    /// # Panics
    /// If the lengths differ, or the exponent isn't below them.
    pub fn butterfly(&mut self, other: &mut Self, exponent: usize) {
        let length = self.length;
        assert!(other.length == length && exponent < length);
        let mut difference = Zeroizing::new(vec![0; length]);
        for (a, b) in self.words.chunks_exact_mut(length).zip(other.words.chunks_exact_mut(length)) {
            for ((a, b), difference) in a.iter_mut().zip(&*b).zip(&mut *difference) {
                *difference = a.wrapping_sub(*b);
                *a = a.wrapping_add(*b);
            }
            let (wrapped, kept) = difference.split_at(exponent);
            let (low, high) = b.split_at_mut(length - exponent);
            low.copy_from_slice(kept);
            high.iter_mut().zip(wrapped).for_each(|(b, word)| *b = word.wrapping_neg());
        }
    }
}

impl WideColumns {
    /// How many combinations can be added and subtracted: so many words of 52 bits fit a signed one with their carries.
    pub const LARGEST_SUM: usize = 1 << 10;

    /// For an odd prime and a size; `None` if the prime is too wide for the kernels (above 3,300 bits).
    ///
    /// # Panics
    /// Unless the size is a power of two up to 2^17 and t ≡ 1 modulo twice the size, or the size is 1.
    pub fn new(prime: &WideModulus, size: usize, backend: Backend) -> Option<Self> {
        let t = prime.value();
        let limbs = WideTable::limbs_of(t.bits());
        if limbs > MAX_WIDE_LIMBS {
            return None;
        }
        let words = |residue: &BigUint| split(&residue.to_u64_digits(), limbs);
        let montgomery = |x: BigUint| words(&((x << (WORD_BITS as usize * limbs)) % t));
        // The power with exponent 0 makes place for a factor.
        let table = |factor: &BigUint, root: &BigUint| {
            let mut rows = vec![0; size * limbs];
            let mut power = factor.clone();
            for exponent in 0..size {
                let row = place_of_power(size, exponent);
                rows[row * limbs..][..limbs].copy_from_slice(&montgomery(power.clone()));
                power = if exponent == 0 { root.clone() } else { power * root % t };
            }
            rows
        };
        let [root, inverse_root] = roots_of_unity(t, size);
        let size_inverse = BigUint::from(size).modinv(t).expect("t is odd");
        Some(Self {
            modulus: prime.clone(),
            size,
            table: WideTable::new(&words(t)),
            kernels: backend.wide_kernels(),
            roots: table(&BigUint::one(), &root),
            inverse_roots: table(&size_inverse, &inverse_root),
        })
    }

    /// The modulus.
    pub fn modulus(&self) -> &WideModulus {
        &self.modulus
    }

    /// The number of rows M.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Eight columns of zeros.
    pub fn strip(&self) -> Strip {
        Strip(Zeroizing::new(vec![0; self.size * self.table.limbs() * WIDE_LANES]))
    }

    /// Σ wₖ·aₖ modulo t at every place, for words aₖ of at most 52 bits: below (k + 1)·t for k terms.
    ///
    /// # Panics
    /// If there are none, or 2^10 or more, or their lengths differ or aren't multiples of 8.
    pub fn combination(&self, terms: &[(&[u64], BigUint)]) -> WidePlanes {
        let limbs = self.table.limbs();
        let length = terms[0].0.len();
        let inputs: Vec<&[u64]> = terms.iter().map(|(input, _)| *input).collect();
        let weights: Vec<u64> = terms
            .iter()
            .flat_map(|(_, weight)| {
                let weight = (weight << WORD_BITS) % self.modulus.value();
                split(&weight.to_u64_digits(), limbs)
            })
            .collect();
        let mut words = Words::secret(limbs * length);
        (self.kernels.weighted_sum)(&mut words, &inputs, &weights, &self.table);
        WidePlanes { words, length }
    }

    /// Takes the residues of eight columns or fewer: rows of [`WideModulus`]; what's missing is zero.
    ///
    /// # Panics
    /// If there are more than eight columns, or more than M rows of one.
    pub fn put(&self, strip: &mut Strip, columns: &[&[u64]]) {
        assert!(columns.len() <= WIDE_LANES);
        strip.0.fill(0);
        match (self.modulus.limbs(), self.table.limbs()) {
            (1, 2) => self.put_rows::<1, 2>(strip, columns),
            (2, 3) => self.put_rows::<2, 3>(strip, columns),
            (4, 6) => self.put_rows::<4, 6>(strip, columns),
            _ => self.put_rows::<0, 0>(strip, columns),
        }
    }

    /// For rows of A words and of B words in the kernels, or any if that's 0.
    fn put_rows<const A: usize, const B: usize>(&self, strip: &mut Strip, columns: &[&[u64]]) {
        let (limbs, words) = self.counts::<A, B>();
        for (lane, column) in columns.iter().enumerate() {
            assert!(column.len() <= self.size * limbs);
            let rows = strip.0.chunks_exact_mut(words * WIDE_LANES);
            for (row, residue) in rows.zip(column.chunks_exact(limbs)) {
                for j in 0..words {
                    row[j * WIDE_LANES + lane] = bits(residue, j * WORD_BITS as usize, WORD_BITS);
                }
            }
        }
    }

    fn counts<const A: usize, const B: usize>(&self) -> (usize, usize) {
        if A == 0 { (self.modulus.limbs(), self.table.limbs()) } else { (A, B) }
    }

    /// Gives the canonical residues of the first columns, as rows; as many as there's room for.
    ///
    /// # Panics
    /// If there is room for more than eight columns.
    pub fn take(&self, strip: &Strip, columns: &mut [&mut [u64]]) {
        assert!(columns.len() <= WIDE_LANES);
        // Whole columns of these widths are unrolled.
        match (self.modulus.limbs(), self.table.limbs()) {
            (1, 2) => self.take_rows::<1, 2>(strip, columns),
            (2, 3) => self.take_rows::<2, 3>(strip, columns),
            (4, 6) => self.take_rows::<4, 6>(strip, columns),
            _ => self.take_rows::<0, 0>(strip, columns),
        }
    }

    fn take_rows<const A: usize, const B: usize>(&self, strip: &Strip, columns: &mut [&mut [u64]]) {
        let (limbs, words) = self.counts::<A, B>();
        for (lane, column) in columns.iter_mut().enumerate() {
            let rows = strip.0.chunks_exact(words * WIDE_LANES);
            for (row, residue) in rows.zip(column.chunks_exact_mut(limbs)) {
                join(|j| row[j * WIDE_LANES + lane], words, residue);
            }
        }
    }

    /// Gives residues as coefficients of a polynomial: row y of column l to the place range.start + l + y·stride, as digits of
    /// some bits, a slice of the polynomial's length for each, and as 1 in the last slice where a residue represents a
    /// negative integer.
    ///
    /// # Panics
    /// If there isn't room for all digits, or a place is beyond the length.
    pub fn take_digits(
        &self,
        strip: &Strip,
        width: u32,
        digits: &mut [u64],
        range: Range<usize>,
        stride: usize,
    ) {
        let words = self.table.limbs();
        let count = self.modulus.value().bits().div_ceil(width.into()) as usize;
        let length = digits.len() / (count + 1);
        let mut residue = vec![0; self.modulus.limbs()];
        for (y, row) in strip.0.chunks_exact(words * WIDE_LANES).enumerate() {
            for (lane, place) in range.clone().enumerate() {
                let place = place + y * stride;
                join(|j| row[j * WIDE_LANES + lane], words, &mut residue);
                for position in 0..count {
                    digits[position * length + place] = bits(&residue, position * width as usize, width);
                }
                digits[count * length + place] = self.modulus.is_negative(&residue);
            }
        }
        residue.zeroize();
    }

    /// Takes coefficients of a polynomial: row y of column l is the coefficient at l + y·stride beyond `first`, modulo
    /// X^N + 1.
    ///
    /// # Panics
    /// If there are more than eight columns, or a place is beyond 2N.
    pub fn put_coefficients(&self, strip: &mut Strip, polynomial: &WidePlanes, first: usize, stride: usize) {
        let (length, words) = (polynomial.length, self.table.limbs());
        for (y, row) in strip.0.chunks_exact_mut(words * WIDE_LANES).enumerate() {
            let start = first + y * stride;
            for (lanes, plane) in
                row.as_chunks_mut::<WIDE_LANES>().0.iter_mut().zip(polynomial.words.chunks_exact(length))
            {
                if let Some(source) = plane.get(start..start + WIDE_LANES) {
                    lanes.copy_from_slice(source);
                } else {
                    for (lane, word) in lanes.iter_mut().enumerate() {
                        let place = start + lane;
                        let value = plane[place % length];
                        *word = if place / length % 2 == 1 { value.wrapping_neg() } else { value };
                    }
                }
            }
        }
    }

    /// Transforms eight columns to values at ψ^e, in evaluation order. In: sums of at most [`WideColumns::LARGEST_SUM`]
    /// combinations of at most 255 terms. Out: residues.
    pub fn forward(&self, strip: &mut Strip) {
        (self.kernels.ntt_forward)(&mut strip.0, &self.roots, &self.table);
    }

    /// The inverse, from residues to residues.
    pub fn inverse(&self, strip: &mut Strip) {
        (self.kernels.ntt_inverse)(&mut strip.0, &self.inverse_roots, &self.table);
    }
}

/// The words of 52 bits of a number.
fn split(row: &[u64], words: usize) -> Vec<u64> {
    (0..words).map(|j| bits(row, j * WORD_BITS as usize, WORD_BITS)).collect()
}

/// `width` bits (at most 63) of a row from a bit position on; zeros beyond its end.
#[inline]
pub(crate) fn bits(row: &[u64], position: usize, width: u32) -> u64 {
    let (word, offset) = (position / 64, (position % 64) as u32);
    let low = row.get(word).map_or(0, |&low| low >> offset);
    let high = row.get(word + 1).map_or(0, |&next| (next << 1) << (63 - offset));
    (low | high) & ((1 << width) - 1)
}

/// The words of 64 bits of a number that is given by words of 52 bits.
#[inline]
fn join(word: impl Fn(usize) -> u64, words: usize, out: &mut [u64]) {
    for (i, out) in out.iter_mut().enumerate() {
        let (first, offset) = (64 * i / WORD_BITS as usize, (64 * i % WORD_BITS as usize) as u32);
        let mut value = word(first) >> offset;
        let mut filled = WORD_BITS - offset;
        let mut next = first + 1;
        while filled < 64 && next < words {
            value |= word(next) << filled;
            filled += WORD_BITS;
            next += 1;
        }
        *out = value;
    }
}
