//! Types of integers, and the digits of words.

/// The radix.
pub(crate) const BASE: u64 = 4;
/// Bits of a digit.
pub(crate) const DIGIT_BITS: u32 = 2;

/// The largest number of digits.
pub const MAX_BLOCKS: usize = 64;

/// The type of an encrypted integer: its width and signedness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerType {
    /// The number of digits, from 1 to [`MAX_BLOCKS`]. Each has two bits.
    pub blocks: usize,
    /// Whether the integer is signed, in two's complement.
    pub signed: bool,
}

impl IntegerType {
    /// The largest digit.
    pub const LARGEST_DIGIT: u64 = BASE - 1;

    /// Returns the unsigned type of so many digits.
    pub fn unsigned(blocks: usize) -> Self {
        Self { blocks, signed: false }
    }

    /// Returns the signed type of so many digits.
    pub fn signed(blocks: usize) -> Self {
        Self { blocks, signed: true }
    }

    /// Returns the width in bits.
    pub fn bits(self) -> u32 {
        self.blocks as u32 * DIGIT_BITS
    }

    /// Returns the least value.
    pub fn least(self) -> i128 {
        if self.signed { -1 << (self.bits() - 1) } else { 0 }
    }

    /// Returns the largest value, or the largest `i128` for unsigned integers of 128 bits.
    pub fn largest(self) -> i128 {
        let magnitude = self.bits().min(128 - u32::from(!self.signed)) - u32::from(self.signed);
        (u128::MAX.checked_shr(128 - magnitude).unwrap_or(0)).min(i128::MAX as u128).cast_signed()
    }

    /// The value of its lowest bits.
    pub(crate) fn value(self, bits: u128) -> i128 {
        let above = 128 - self.bits();
        let top = bits << above;
        if self.signed { top.cast_signed() >> above } else { (top >> above).cast_signed() }
    }
}

/// The lowest digits of a word in radix 4, least first.
pub(crate) fn digits(bits: u128, blocks: usize) -> Vec<u64> {
    (0..blocks as u32).map(|i| (bits >> (DIGIT_BITS * i)) as u64 % BASE).collect()
}

/// The number of digits of a public number.
pub(crate) fn digits_of(bits: u128) -> usize {
    (u128::BITS - bits.leading_zeros()).div_ceil(DIGIT_BITS) as usize
}
