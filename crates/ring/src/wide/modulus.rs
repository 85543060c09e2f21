//! Moduli of any size.

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::One;
use rayon::prelude::*;

/// Rows that one thread takes at a time.
pub(crate) const ROWS: usize = 1 << 9;

/// A modulus t ≥ 2 of any size, odd or even, with the constants for reduction modulo t.
///
/// A residue is a row of [`WideModulus::limbs`] little-endian words in [0, t). Reduction is long division: quotient
/// words are estimated from the divisor's normalised top word and corrected without a branch, so that it takes the same
/// time for all values. Sources: Knuth, "The Art of Computer Programming", volume 2, 4.3.1, algorithm D; Möller,
/// Granlund, "Improved division by invariant integers" (IEEE Transactions on Computers, 2011).
#[derive(Clone, Debug)]
pub struct WideModulus {
    value: BigUint,
    words: Vec<u64>,
    /// ⌊t/2⌋: residues above it represent negative integers.
    half: Vec<u64>,
    /// t·2^shift has its highest bit set.
    shift: u32,
    normalised: Vec<u64>,
    /// ⌊(2^128 − 1)/d⌋ − 2^64 for the top word d of the normalised modulus.
    reciprocal: u64,
}

impl WideModulus {
    /// The modulus t; `None` if t < 2.
    pub fn new(value: &BigUint) -> Option<Self> {
        if *value <= BigUint::one() {
            return None;
        }
        let words = value.to_u64_digits();
        let shift = words[words.len() - 1].leading_zeros();
        let normalised = (value << shift).to_u64_digits();
        let top = normalised[normalised.len() - 1];
        let mut half = (value >> 1u32).to_u64_digits();
        half.resize(words.len(), 0);
        // The quotient is in [2^64, 2^65), so its low word is the quotient less 2^64.
        let reciprocal = (u128::MAX / u128::from(top)) as u64;
        Some(Self { value: value.clone(), words, half, shift, normalised, reciprocal })
    }

    /// The modulus as an integer.
    pub fn value(&self) -> &BigUint {
        &self.value
    }

    /// The number of words of a residue.
    pub fn limbs(&self) -> usize {
        self.words.len()
    }

    /// The words of t, the lowest first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The residue of an integer, as a row.
    pub fn row(&self, x: &BigInt) -> Vec<u64> {
        self.row_of(&self.residue(x))
    }

    /// The residue of an integer, in [0, t).
    pub fn residue(&self, x: &BigInt) -> BigUint {
        let magnitude = x.magnitude();
        let magnitude = if *magnitude < self.value { magnitude.clone() } else { magnitude % &self.value };
        if x.sign() == Sign::Minus && magnitude != BigUint::ZERO {
            &self.value - magnitude
        } else {
            magnitude
        }
    }

    fn row_of(&self, residue: &BigUint) -> Vec<u64> {
        let mut row = residue.to_u64_digits();
        row.resize(self.limbs(), 0);
        row
    }

    /// The integer that a row holds, in [0, t).
    pub fn integer(&self, row: &[u64]) -> BigUint {
        let halves = row.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]).collect();
        BigUint::new(halves)
    }

    /// The integer that a row represents, in (−t/2, t/2].
    pub fn centred(&self, row: &[u64]) -> BigInt {
        let integer = BigInt::from(self.integer(row));
        if self.is_negative(row) == 1 { integer - BigInt::from(self.value.clone()) } else { integer }
    }

    /// Whether a row is below t.
    pub fn is_residue(&self, row: &[u64]) -> bool {
        less(row, &self.words) == 1
    }

    /// 1 for residues that represent negative integers, else 0.
    pub(crate) fn is_negative(&self, row: &[u64]) -> u64 {
        less(&self.half, row)
    }

    /// c·2^shift for a residue c: a factor for [`WideModulus::scale`], and for sums that
    /// [`WideModulus::reduce_shifted`] reduces.
    pub(crate) fn shifted(&self, residue: &BigUint) -> Vec<u64> {
        let mut row = (residue << self.shift).to_u64_digits();
        row.resize(self.limbs(), 0);
        row
    }

    /// Multiplies every row by a residue.
    pub fn scale(&self, rows: &mut [u64], factor: &BigUint) {
        let limbs = self.limbs();
        let factor = self.shifted(&(factor % &self.value));
        rows.par_chunks_mut(limbs * ROWS).for_each(|rows| {
            let mut product = vec![0; 2 * limbs];
            for row in rows.chunks_exact_mut(limbs) {
                product.fill(0);
                for (i, &word) in row.iter().enumerate() {
                    let carry = add_product(&mut product[i..i + limbs], &factor, word);
                    product[i + limbs] = carry;
                }
                self.reduce_shifted(&mut product, row);
            }
        });
    }

    /// a ← a + b, row by row.
    pub fn add_assign(&self, a: &mut [u64], b: &[u64]) {
        let limbs = self.limbs();
        for (a, b) in a.chunks_exact_mut(limbs).zip(b.chunks_exact(limbs)) {
            let carry = add_masked(a, b, u64::MAX);
            let borrow = subtract_masked(a, &self.words, u64::MAX);
            // If the sum is below t and nothing was carried out, t is added back.
            add_masked(a, &self.words, carry.wrapping_sub(borrow));
        }
    }

    /// a ← a − b, row by row.
    pub fn sub_assign(&self, a: &mut [u64], b: &[u64]) {
        let limbs = self.limbs();
        for (a, b) in a.chunks_exact_mut(limbs).zip(b.chunks_exact(limbs)) {
            let borrow = subtract_masked(a, b, u64::MAX);
            add_masked(a, &self.words, borrow.wrapping_neg());
        }
    }

    /// a ← −a, row by row.
    pub fn neg_assign(&self, a: &mut [u64]) {
        let mut negated = vec![0; self.limbs()];
        for a in a.chunks_exact_mut(self.limbs()) {
            negated.fill(0);
            self.sub_assign(&mut negated, a);
            a.copy_from_slice(&negated);
        }
    }

    /// The residues modulo t of rows of `words` words each.
    pub fn reduce(&self, rows: &[u64], words: usize) -> Vec<u64> {
        let limbs = self.limbs();
        let mut residues = vec![0; rows.len() / words * limbs];
        residues.par_chunks_mut(limbs * ROWS).zip(rows.par_chunks(words * ROWS)).for_each(|(out, rows)| {
            let mut wide = vec![0; words.max(limbs) + 1];
            for (out, row) in out.chunks_exact_mut(limbs).zip(rows.chunks_exact(words)) {
                wide.fill(0);
                // The bits pushed out of a word are shifted in two steps, since a shift of 0 would else shift them by
                // 64.
                let mut carry = 0;
                for (wide, &word) in wide.iter_mut().zip(row) {
                    *wide = (word << self.shift) | carry;
                    carry = (word >> 1) >> (63 - self.shift);
                }
                wide[words] = carry;
                self.reduce_shifted(&mut wide, out);
            }
        });
        residues
    }

    /// sum ← sum + b·v + c·w, where the sum has two words more than b and c: two carry chains, side by side.
    pub(crate) fn add_products(&self, sum: &mut [u64], (b, v): (&[u64], u64), (c, w): (&[u64], u64)) {
        let limbs = self.limbs();
        let (low, high) = sum.split_at_mut(limbs);
        let (mut first, mut second) = (0, 0);
        for ((sum, &b), &c) in low.iter_mut().zip(b).zip(c) {
            let middle = u128::from(b) * u128::from(v) + u128::from(*sum) + u128::from(first);
            first = (middle >> 64) as u64;
            let whole = u128::from(c) * u128::from(w) + u128::from(middle as u64) + u128::from(second);
            second = (whole >> 64) as u64;
            *sum = whole as u64;
        }
        let top = u128::from(high[0]) + u128::from(first) + u128::from(second);
        high[0] = top as u64;
        high[1] += (top >> 64) as u64;
    }

    /// x modulo t, given x·2^shift in more words than t has; of these, the words beyond t's are below the top word of
    /// t·2^shift. `x` is overwritten.
    pub(crate) fn reduce_shifted(&self, x: &mut [u64], out: &mut [u64]) {
        let limbs = self.limbs();
        let top = self.normalised[limbs - 1];
        for position in (0..x.len() - limbs).rev() {
            let window = &mut x[position..=position + limbs];
            let quotient = self.quotient(window[limbs], window[limbs - 1], top);
            let (low, high) = window.split_at_mut(limbs);
            let borrow = subtract_product(low, &self.normalised, quotient);
            high[0] = high[0].wrapping_sub(borrow);
            // The estimate is at most two too large.
            for _ in 0..2 {
                let negative = (high[0] >> 63).wrapping_neg();
                high[0] = high[0].wrapping_add(add_masked(low, &self.normalised, negative));
            }
        }
        for i in 0..limbs {
            let above = if i + 1 < limbs { x[i + 1] } else { 0 };
            out[i] = (x[i] >> self.shift) | ((above << 1) << (63 - self.shift));
        }
    }

    /// ⌊(high·2^64 + low)/d⌋ for the normalised top word d, or 2^64 − 1 if that doesn't fit a word.
    fn quotient(&self, high: u64, low: u64, d: u64) -> u64 {
        // Overflows only if the quotient doesn't fit a word.
        let estimate = (u128::from(self.reciprocal) * u128::from(high))
            .wrapping_add((u128::from(high) << 64) | u128::from(low));
        let mut quotient = ((estimate >> 64) as u64).wrapping_add(1);
        let mut remainder = low.wrapping_sub(quotient.wrapping_mul(d));
        let too_large = u64::from(remainder > estimate as u64).wrapping_neg();
        quotient = quotient.wrapping_add(too_large);
        remainder = remainder.wrapping_add(d & too_large);
        quotient = quotient.wrapping_add(u64::from(remainder >= d));
        quotient | u64::from(high >= d).wrapping_neg()
    }
}

/// a ← a + b·w; returns the carry.
#[inline]
pub(crate) fn add_product(a: &mut [u64], b: &[u64], w: u64) -> u64 {
    let mut carry = 0;
    for (a, &b) in a.iter_mut().zip(b) {
        let sum = u128::from(b) * u128::from(w) + u128::from(*a) + u128::from(carry);
        *a = sum as u64;
        carry = (sum >> 64) as u64;
    }
    carry
}

/// a ← a − b·w; returns the borrow.
#[inline]
fn subtract_product(a: &mut [u64], b: &[u64], w: u64) -> u64 {
    let mut borrow = 0;
    for (a, &b) in a.iter_mut().zip(b) {
        let product = u128::from(b) * u128::from(w) + u128::from(borrow);
        let (difference, below) = a.overflowing_sub(product as u64);
        *a = difference;
        borrow = (product >> 64) as u64 + u64::from(below);
    }
    borrow
}

/// a ← a + (b and mask); returns the carry.
#[inline]
pub(crate) fn add_masked(a: &mut [u64], b: &[u64], mask: u64) -> u64 {
    let mut carry = 0;
    for (a, &b) in a.iter_mut().zip(b) {
        let sum = u128::from(*a) + u128::from(b & mask) + u128::from(carry);
        *a = sum as u64;
        carry = (sum >> 64) as u64;
    }
    carry
}

/// a ← a − (b and mask); returns the borrow.
#[inline]
pub(crate) fn subtract_masked(a: &mut [u64], b: &[u64], mask: u64) -> u64 {
    let mut borrow = 0;
    for (a, &b) in a.iter_mut().zip(b) {
        let (difference, first) = a.overflowing_sub(b & mask);
        let (difference, second) = difference.overflowing_sub(borrow);
        *a = difference;
        borrow = u64::from(first | second);
    }
    borrow
}

/// 1 where a < b, else 0.
fn less(a: &[u64], b: &[u64]) -> u64 {
    let mut borrow = 0;
    for (&a, &b) in a.iter().zip(b) {
        let (difference, first) = a.overflowing_sub(b);
        borrow = u64::from(first) | u64::from(difference < borrow);
    }
    borrow
}
