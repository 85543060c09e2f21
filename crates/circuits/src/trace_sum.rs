//! Sums over slots by rotations.

/// Ciphertexts whose slots stand in one row or two and can be rotated.
pub trait Slots {
    /// A ciphertext.
    type Ciphertext: Clone;
    /// What can go wrong.
    type Error;

    /// The slots of one row: rotations are modulo this number.
    fn row_length(&self) -> usize;
    /// a + b.
    fn add(&self, a: &Self::Ciphertext, b: &Self::Ciphertext) -> Result<Self::Ciphertext, Self::Error>;
    /// Every row rotated to the left.
    fn rotate(&self, a: &Self::Ciphertext, rotation: usize) -> Result<Self::Ciphertext, Self::Error>;
    /// The two rows swapped.
    fn swap_rows(&self, a: &Self::Ciphertext) -> Result<Self::Ciphertext, Self::Error>;
}

/// The rotations that [`sum_blocks`] needs for blocks of a power of two, in rows of so many slots.
///
/// ```
/// assert_eq!(asanoha_circuits::rotations_for_sum(8, 1024), [1, 2, 4]);
/// ```
pub fn rotations_for_sum(block: usize, row_length: usize) -> Vec<usize> {
    (0..block.min(row_length).ilog2()).map(|bit| 1 << bit).collect()
}

/// The sum over blocks of `block` slots that repeat one another all over the ciphertext: every slot of the result
/// holds the sum of one block. A block longer than a row takes both rows.
///
/// Repeated doubling (trace-avx512, Algorithm 2.2): log2(block) rotations, one after another.
///
/// # Panics
/// If the block isn't a power of two of at most two rows (one row in CKKS).
pub fn sum_blocks<S: Slots>(slots: &S, a: &S::Ciphertext, block: usize) -> Result<S::Ciphertext, S::Error> {
    assert!(block.is_power_of_two() && block <= 2 * slots.row_length());
    let mut sum = a.clone();
    for rotation in rotations_for_sum(block, slots.row_length()) {
        sum = slots.add(&sum, &slots.rotate(&sum, rotation)?)?;
    }
    if block > slots.row_length() {
        sum = slots.add(&sum, &slots.swap_rows(&sum)?)?;
    }
    Ok(sum)
}

impl Slots for asanoha_bgv::Evaluator {
    type Ciphertext = asanoha_bgv::BgvCiphertext;
    type Error = asanoha_bgv::BgvError;

    fn row_length(&self) -> usize {
        self.params().row_slots()
    }
    fn add(&self, a: &Self::Ciphertext, b: &Self::Ciphertext) -> Result<Self::Ciphertext, Self::Error> {
        self.add(a, b)
    }
    fn rotate(&self, a: &Self::Ciphertext, rotation: usize) -> Result<Self::Ciphertext, Self::Error> {
        self.rotate(a, rotation as i64)
    }
    fn swap_rows(&self, a: &Self::Ciphertext) -> Result<Self::Ciphertext, Self::Error> {
        self.swap_rows(a)
    }
}

impl Slots for asanoha_ckks::Evaluator {
    type Ciphertext = asanoha_ckks::CkksCiphertext;
    type Error = asanoha_ckks::CkksError;

    fn row_length(&self) -> usize {
        self.params().slots()
    }
    fn add(&self, a: &Self::Ciphertext, b: &Self::Ciphertext) -> Result<Self::Ciphertext, Self::Error> {
        self.add(a, b)
    }
    fn rotate(&self, a: &Self::Ciphertext, rotation: usize) -> Result<Self::Ciphertext, Self::Error> {
        self.rotate(a, rotation as i64)
    }
    /// CKKS has one row.
    fn swap_rows(&self, a: &Self::Ciphertext) -> Result<Self::Ciphertext, Self::Error> {
        Ok(a.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plain rows of numbers.
    struct Plain {
        row_length: usize,
    }

    impl Slots for Plain {
        type Ciphertext = Vec<i64>;
        type Error = std::convert::Infallible;

        fn row_length(&self) -> usize {
            self.row_length
        }
        fn add(&self, a: &Vec<i64>, b: &Vec<i64>) -> Result<Vec<i64>, Self::Error> {
            Ok(a.iter().zip(b).map(|(a, b)| a + b).collect())
        }
        fn rotate(&self, a: &Vec<i64>, rotation: usize) -> Result<Vec<i64>, Self::Error> {
            let mut a = a.clone();
            a.chunks_mut(self.row_length).for_each(|row| row.rotate_left(rotation));
            Ok(a)
        }
        fn swap_rows(&self, a: &Vec<i64>) -> Result<Vec<i64>, Self::Error> {
            Ok([&a[self.row_length..], &a[..self.row_length]].concat())
        }
    }

    #[test]
    fn every_slot_holds_the_sum_of_a_repeated_block() {
        for row_length in [8, 16] {
            for block in [1, 2, 4, 8, 16, 32].into_iter().filter(|&block| block <= 2 * row_length) {
                let data: Vec<i64> = (0..block as i64).map(|x| x * x + 1).collect();
                let slots: Vec<i64> = data.iter().cycle().take(2 * row_length).copied().collect();
                let sum = sum_blocks(&Plain { row_length }, &slots, block).unwrap();
                assert_eq!(sum, vec![data.iter().sum::<i64>(); 2 * row_length], "{block} in {row_length}");
            }
        }
    }
}
