//! The widths of encrypted integers (TFHE).

use asanoha_lang::Range;
use num_bigint::BigInt;
use num_traits::{One, Signed};
use serde::Serialize;

/// Bits of a block.
pub const BLOCK_BITS: u64 = 2;
/// The most blocks of an integer.
pub const MAX_BLOCKS: u64 = 64;
/// The most blocks of the operands of a table together: it has an entry for each of their values.
pub const MAX_TABLE_BLOCKS: u64 = 8;

/// How many blocks an integer has, and whether it's in two's complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Width {
    /// Blocks of two bits.
    pub blocks: u64,
    /// Whether it may be negative.
    pub signed: bool,
}

impl Width {
    /// The narrowest that holds all whole numbers of a range.
    pub fn of(range: &Range) -> Self {
        let (least, most) = range.whole_ends();
        let signed = least.is_negative();
        // −2^(b−1) to 2^(b−1) − 1 in b bits: −x − 1 has as many bits as x.
        let bits = most.bits().max((-least - BigInt::one()).bits() * u64::from(signed)) + u64::from(signed);
        Self { blocks: bits.div_ceil(BLOCK_BITS).max(1), signed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_the_narrowest_that_hold_a_range() {
        let width = |lo, hi| {
            let Width { blocks, signed } = Width::of(&Range::whole(lo, hi).unwrap());
            (blocks, signed)
        };
        assert_eq!(width(0, 0), (1, false));
        assert_eq!([width(0, 3), width(1, 4)], [(1, false), (2, false)]);
        assert_eq!(
            [width(-1, 0), width(-2, 1), width(-3, 1), width(-2, 2)],
            [(1, true), (1, true), (2, true), (2, true)]
        );
        assert_eq!([width(-8, 7), width(-9, 7), width(-1, 8)], [(2, true), (3, true), (3, true)]);
        assert_eq!(width(-5, -1), (2, true));
        assert_eq!(width(i64::MIN, i64::MAX), (32, true));
    }
}
