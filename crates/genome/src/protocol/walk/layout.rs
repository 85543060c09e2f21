//! How a walk stands in the slots.
//!
//! Place p stands in slot p, p + P, … of both rows, P = N/8: eight copies. Within a stride the haplotypes' places are consecutive,
//! modulo P.

use super::super::{
    ProtocolError,
    shape::{BLOCKS, Layout, ROW_BLOCKS},
};

impl Layout {
    /// The same shape for a walk in strides of so many letters.
    ///
    /// # Errors
    /// [`ProtocolError::Shape`] for another stride than 1 to L letters, or a hidden start.
    pub(crate) fn walking(self, stride: usize) -> Result<Self, ProtocolError> {
        let refused = |what, found, most| Err(ProtocolError::Shape { what, found, most });
        if !(1..=self.shape.letters).contains(&stride) {
            return refused("letters a stride", stride, self.shape.letters);
        }
        if self.shape.candidates != 1 {
            return refused("candidate starts of a walk", self.shape.candidates, 1);
        }
        let walking = Self { stride: Some(stride), ..self };
        if walking.capacity() == 0 {
            return refused("letters a stride in this ring", stride, 1);
        }
        Ok(walking)
    }

    /// The most haplotypes of a ciphertext: all lanes of a scan's; in a walk the copies of a row must not meet once they're
    /// displaced.
    pub(crate) fn capacity(&self) -> usize {
        let lanes = self.lanes();
        let fits = |haplotypes: &usize| match self.stride {
            Some(stride) => haplotypes + (ROW_BLOCKS - 1) * self.steps_of(*haplotypes, stride) <= lanes,
            None => true,
        };
        (1..=lanes).rev().find(fits).unwrap_or(0)
    }

    /// The number S of diagonals of a stride.
    pub(super) fn steps(&self, stride: usize) -> usize {
        self.steps_of(self.distinct().min(self.capacity()), stride)
    }

    /// A stable partition of M places moves the zeros by −O … 0 and the ones by 0 … M − O, O the number of ones. Several in a row
    /// are any permutation.
    fn steps_of(&self, haplotypes: usize, stride: usize) -> usize {
        let moves = if stride == 1 { haplotypes + 1 } else { 2 * haplotypes - 1 };
        moves.min(self.lanes()).div_ceil(BLOCKS)
    }

    /// The copy and the step of it that a move takes.
    pub(super) fn copy_and_step(&self, stride: usize, by: i64) -> (usize, usize) {
        let (steps, lanes) = (self.steps(stride) as i64, self.lanes() as i64);
        // From −S + 1 on, modulo the places.
        let by = (by + steps - 1).rem_euclid(lanes) - (steps - 1);
        let copy = (by + steps - 1).div_euclid(steps);
        (copy as usize, (copy * steps - by) as usize)
    }

    /// The slot of a copy's place, after the copies have been displaced.
    pub(super) fn displaced(&self, stride: usize, copy: usize, place: usize) -> (usize, usize) {
        let row = self.ring_degree / 2;
        (copy / ROW_BLOCKS, (place + copy % ROW_BLOCKS * self.lanes() + copy * self.steps(stride)) % row)
    }
}
