//! Where a column's ciphertexts hold its rows.

use std::ops::Range;

/// Slots of a block, or rows of a column.
pub type SlotRange = Range<usize>;

/// The rows of a column, cut into ciphertexts of `block` rows. A block shorter than the slots is repeated until
/// they're full, so that a sum over a block needs no more rotations than the block is long and stands in every slot
/// afterwards; the slots of a block after the last row hold zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    rows: usize,
    slots: usize,
}

impl Layout {
    /// For a number of rows in ciphertexts of a number of slots, a power of two.
    pub fn new(rows: usize, slots: usize) -> Self {
        assert!(rows > 0 && slots.is_power_of_two());
        Self { rows, slots }
    }

    /// The rows of a column.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of rows that one ciphertext has place for.
    pub fn block(&self) -> usize {
        self.rows.next_power_of_two().min(self.slots)
    }

    /// The number of ciphertexts of a column.
    pub fn chunks(&self) -> usize {
        self.rows.div_ceil(self.slots)
    }

    /// The rows of a ciphertext.
    pub fn chunk(&self, index: usize) -> SlotRange {
        index * self.block()..((index + 1) * self.block()).min(self.rows)
    }

    /// Whether a ciphertext has slots without rows.
    pub fn has_padding(&self, index: usize) -> bool {
        self.chunk(index).len() < self.block()
    }

    /// The slots of a ciphertext out of a column's values.
    pub fn spread<T: Clone + Default>(&self, index: usize, column: &[T]) -> Vec<T> {
        let mut block = column[self.chunk(index)].to_vec();
        block.resize(self.block(), T::default());
        block.iter().cycle().take(self.slots).cloned().collect()
    }

    /// `value` in the slots that hold rows of a ciphertext, 0 in the others.
    pub fn spread_constant<T: Clone + Default>(&self, index: usize, value: &T) -> Vec<T> {
        self.repeated(0..self.chunk(index).len(), value)
    }

    /// `value` in the given slots of every block, 0 in the others.
    ///
    /// # Panics
    /// If a block has fewer slots.
    pub fn repeated<T: Clone + Default>(&self, slots: SlotRange, value: &T) -> Vec<T> {
        assert!(slots.end <= self.block(), "a block has {} slots", self.block());
        let at =
            |slot: usize| if slots.contains(&(slot % self.block())) { value.clone() } else { T::default() };
        (0..self.slots).map(at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_columns_repeat_and_long_ones_are_cut() {
        let short = Layout::new(3, 8);
        assert_eq!((short.block(), short.chunks()), (4, 1));
        assert_eq!(short.spread(0, &[1, 2, 3]), [1, 2, 3, 0, 1, 2, 3, 0]);
        assert_eq!(short.spread_constant(0, &9), [9, 9, 9, 0, 9, 9, 9, 0]);
        assert_eq!(short.repeated(3..4, &9), [0, 0, 0, 9, 0, 0, 0, 9]);
        let long = Layout::new(10, 4);
        assert_eq!((long.block(), long.chunks()), (4, 3));
        let column: Vec<i32> = (1..=10).collect();
        assert_eq!(long.spread(2, &column), [9, 10, 0, 0]);
        assert!(long.has_padding(2) && !long.has_padding(1));
        assert_eq!(Layout::new(4, 4).chunks(), 1);
        assert_eq!(Layout::new(1, 4).block(), 1);
    }
}
