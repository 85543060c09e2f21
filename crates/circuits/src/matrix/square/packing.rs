//! How matrices stand in slots.

use asanoha_ring::WideModulus;
use asanoha_scheme::Exact;
use num_bigint::BigUint;

use super::SquareError;
use crate::matrix::MatrixBatch;

/// Packing of 2·m matrices of d × d in n = 2·m·d² slots: m in each of the two rows of slots, entry (i, j) of matrix μ at slot
/// (i·d + j)·m + μ (Mono, Güneysu, Section 3.2; Jiang et al., Section 5.2).
///
/// Left matrices are permuted by σ and rotated to the right by m·d slots; that is the copy whose rotations by k·m are those by
/// (k − d)·m of σ(A). Right ones are permuted by τ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SquarePacking {
    side: usize,
    interleaved: usize,
    modulus: BigUint,
}

impl SquarePacking {
    /// For blocks of a side d, a power of two.
    ///
    /// # Errors
    /// [`SquareError::Side`], [`SquareError::RingDegree`], [`SquareError::Modulus`].
    pub fn new<S: Exact>(scheme: &S, side: usize) -> Result<Self, SquareError> {
        if !side.is_power_of_two() {
            return Err(SquareError::Side { side });
        }
        let ring_degree = scheme.rlwe().ring_degree();
        if side.checked_mul(2 * side).is_none_or(|slots| slots > ring_degree) {
            return Err(SquareError::RingDegree { side, ring_degree });
        }
        let row = scheme.row_slots().filter(|_| scheme.slots() > 1).unwrap_or(0);
        if row < side * side {
            let largest = if row == 0 { 0 } else { 1 << (row.ilog2() / 2) };
            let needed = 4 * side * side;
            return Err(SquareError::Modulus { side, needed, slots: 2 * row, largest });
        }
        Ok(Self { side, interleaved: row / (side * side), modulus: scheme.plaintext_modulus().clone() })
    }

    /// The rows and columns of a block: d.
    pub fn side(&self) -> usize {
        self.side
    }

    /// How many matrices a ciphertext holds: 2·m.
    pub fn batch(&self) -> usize {
        2 * self.interleaved
    }

    /// The rotation that φ repeats: m slots.
    pub(super) fn left_step(&self) -> i64 {
        self.interleaved as i64
    }

    /// The rotation that ψ repeats: m·d slots.
    pub(super) fn right_step(&self) -> i64 {
        (self.interleaved * self.side) as i64
    }

    /// Ones in the first d − k columns of every row, or in the others: m·d slots, which repeat.
    pub(super) fn mask(&self, k: usize, first: bool) -> Vec<i64> {
        let end = (self.side - k) * self.interleaved;
        (0..self.side * self.interleaved).map(|slot| i64::from((slot < end) == first)).collect()
    }

    /// The slots of a block of left matrices; what is beyond their edges is zero.
    pub(super) fn left(&self, matrices: &MatrixBatch, block: [usize; 2]) -> Vec<BigUint> {
        let mut slots = self.slots(matrices, block, |i, j| (i, (i + j) % self.side));
        let row = slots.len() / 2;
        slots.chunks_exact_mut(row).for_each(|row| row.rotate_right(self.interleaved * self.side));
        slots
    }

    /// The slots of a block of right matrices; what is beyond their edges is zero.
    pub(super) fn right(&self, matrices: &MatrixBatch, block: [usize; 2]) -> Vec<BigUint> {
        self.slots(matrices, block, |i, j| ((i + j) % self.side, j))
    }

    /// Writes a block of products.
    pub(super) fn unpack(&self, slots: &[BigUint], matrices: &mut MatrixBatch, block: [usize; 2]) {
        let modulus = self.wide_modulus();
        for place in self.places(matrices, block, |i, j| (i, j)).collect::<Vec<_>>() {
            let ([row, column], slot, index) = place;
            let entry = modulus.row(&slots[slot].clone().into());
            matrices.entry_mut(index, row, column).copy_from_slice(&entry);
        }
    }

    fn wide_modulus(&self) -> WideModulus {
        WideModulus::new(&self.modulus).expect("a plaintext modulus")
    }

    /// The slots of a permuted block.
    fn slots(
        &self,
        matrices: &MatrixBatch,
        block: [usize; 2],
        permutation: impl Fn(usize, usize) -> (usize, usize),
    ) -> Vec<BigUint> {
        let modulus = self.wide_modulus();
        let mut slots = vec![BigUint::ZERO; self.batch() * self.side * self.side];
        for ([row, column], slot, index) in self.places(matrices, block, permutation) {
            slots[slot] = modulus.integer(matrices.entry(index, row, column));
        }
        slots
    }

    /// The entries of a block: row and column, slot, and which matrix.
    fn places(
        &self,
        matrices: &MatrixBatch,
        block: [usize; 2],
        permutation: impl Fn(usize, usize) -> (usize, usize),
    ) -> impl Iterator<Item = ([usize; 2], usize, usize)> {
        let ([rows, columns], d, m) = (matrices.shape(), self.side, self.interleaved);
        let [top, first] = block.map(|index| index * d);
        (0..matrices.count() * d * d).filter_map(move |place| {
            let (index, i, j) = (place / (d * d), place / d % d, place % d);
            let (row, column) = permutation(i, j);
            let (row, column) = (top + row, first + column);
            let slot = (index / m * d * d + i * d + j) * m + index % m;
            (row < rows && column < columns).then_some(([row, column], slot, index))
        })
    }
}
