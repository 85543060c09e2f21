//! The constants of a gadget decomposition and of rounding, the same for every back-end.

/// The constants that cut a torus word into signed digits: after `offset` is added, every field of `digit_bits` bits
/// holds its digit plus half the base.
#[derive(Clone, Copy)]
pub(crate) struct Digits {
    digit_bits: u32,
    /// Half the weight of the last digit, for rounding to nearest, plus half the base in every field.
    pub(crate) offset: u64,
    /// The lowest `digit_bits` bits set: selects one digit.
    pub(crate) mask: u64,
    /// Half the base.
    pub(crate) half: u64,
}

impl Digits {
    /// # Panics
    /// Unless there are one or more digits of one or more bits, in 64 bits together.
    pub(crate) fn new(digit_bits: u32, levels: u32) -> Self {
        let bits = digit_bits.checked_mul(levels).filter(|bits| (1..=u64::BITS).contains(bits));
        let bits = bits.expect("the digits have 1 to 64 bits together");
        let half = 1 << (digit_bits - 1);
        let rounding = if bits == u64::BITS { 0 } else { 1 << (u64::BITS - 1 - bits) };
        let offset = (1..=levels).map(|level| half << (u64::BITS - level * digit_bits)).sum::<u64>();
        Self {
            digit_bits,
            offset: offset.wrapping_add(rounding),
            mask: u64::MAX >> (u64::BITS - digit_bits),
            half,
        }
    }

    /// How far a word is shifted right to bring the digit of a level to the lowest bits. Level 0 is the most
    /// significant digit.
    #[inline]
    pub(crate) fn shift(&self, level: usize) -> u32 {
        u64::BITS - (level as u32 + 1) * self.digit_bits
    }

    /// The rows of the output, each with its level: one digit of that level for each word.
    ///
    /// # Panics
    /// Unless `out` has one digit per level and input word.
    pub(crate) fn rows(
        out: &mut [i64],
        words: usize,
        levels: u32,
    ) -> impl Iterator<Item = (usize, &mut [i64])> {
        assert_eq!(Some(out.len()), words.checked_mul(levels as usize));
        out.chunks_exact_mut(words.max(1)).enumerate()
    }
}

/// 2^`shift`/2, rounded down: added before the lowest `shift` bits are cut off, it rounds to nearest.
///
/// # Panics
/// If `shift` is 64 or more.
pub(crate) fn half_unit(shift: u32) -> u64 {
    assert!(shift < u64::BITS, "rounding away {shift} of 64 bits");
    (1 << shift) >> 1
}
