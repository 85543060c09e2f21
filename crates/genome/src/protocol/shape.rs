//! What a search looks like from outside: its sizes, which both sides know.

use serde::{Deserialize, Serialize};

use super::ProtocolError;
use crate::panel::MAX_HAPLOTYPES;

/// The blocks that every column of letters has: two rows of four.
pub(crate) const BLOCKS: usize = 8;
/// The blocks of a row.
pub(crate) const ROW_BLOCKS: usize = BLOCKS / 2;
/// The most sites at which a hidden query may start.
pub const MAX_CANDIDATES: usize = 1 << 10;

/// The sizes of a search, which client and server both know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchShape {
    /// The letters L of a query.
    pub letters: usize,
    /// The most haplotypes of a panel that differ within the window.
    pub haplotypes: usize,
    /// The sites D at which the query may start: the client's choice among them is hidden. 1 for a start that all know.
    pub candidates: usize,
    /// Whether the client learns how many haplotypes match over the length that it learns.
    pub counts: bool,
}

/// A shape in a ring. A slot is a row, a lane (a haplotype) and a phase in 0 … 3, at the place 4·lane + phase of its row. A block
/// is a row and a phase, b = 4·row + phase. Letter j = b·C + c stands in block b of column c of C.
///
/// In a walk place p stands in slot p, p + P, … of both rows, P = N/8: eight copies. Within a stride the haplotypes' places are
/// consecutive, modulo P.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlotLayout {
    pub(crate) shape: SearchShape,
    pub(crate) ring_degree: usize,
    /// The letters of a walk's stride, or none for a scan. A walk's letter stands where the scan has its block's coefficient: at
    /// X^(c·G + b·N/8).
    pub(crate) stride: Option<usize>,
}

impl SlotLayout {
    /// In a ring of N coefficients.
    ///
    /// # Errors
    /// [`ProtocolError::Shape`].
    pub(crate) fn new(shape: SearchShape, ring_degree: usize) -> Result<Self, ProtocolError> {
        let layout = Self { shape, ring_degree, stride: None };
        let lanes = layout.lanes();
        // A column of the answer, or of the query, needs a lane.
        let most = BLOCKS * lanes / if shape.counts { 2 } else { 1 };
        let refused = |what, found, most| Err(ProtocolError::Shape { what, found, most });
        if !(1..=most).contains(&shape.letters) {
            return refused("letters", shape.letters, most);
        }
        if !(1..=MAX_HAPLOTYPES).contains(&shape.haplotypes) {
            return refused("haplotypes", shape.haplotypes, MAX_HAPLOTYPES);
        }
        if !(1..=MAX_CANDIDATES).contains(&shape.candidates) {
            return refused("candidate starts", shape.candidates, MAX_CANDIDATES);
        }
        if layout.query_columns() > lanes {
            return refused("letters and candidate starts", shape.letters + shape.candidates, most);
        }
        Ok(layout)
    }

    /// The slots of a block, one for a haplotype.
    pub(crate) fn lanes(&self) -> usize {
        self.ring_degree / BLOCKS
    }

    /// How many times as many haplotypes there may be.
    pub(crate) fn shards(&self) -> usize {
        self.distinct().div_ceil(self.capacity())
    }

    /// The most haplotypes that differ: no more than there are windows of so many letters.
    pub(crate) fn distinct(&self) -> usize {
        let SearchShape { letters, haplotypes, candidates, .. } = self.shape;
        let windows = u32::try_from(letters).ok().and_then(|letters| 1usize.checked_shl(letters));
        windows.filter(|_| candidates == 1).map_or(haplotypes, |windows| haplotypes.min(windows))
    }

    /// The columns of letters C.
    pub(crate) fn columns(&self) -> usize {
        self.shape.letters.div_ceil(BLOCKS).next_power_of_two()
    }

    /// The letter of a block and a column.
    pub(crate) fn letter(&self, block: usize, column: usize) -> usize {
        block * self.columns() + column
    }

    /// The columns of a hidden start: each holds eight scalars.
    pub(crate) fn start_columns(&self) -> usize {
        if self.shape.candidates == 1 { 0 } else { self.shape.candidates.div_ceil(BLOCKS) }
    }

    /// The columns of a query.
    pub(crate) fn query_columns(&self) -> usize {
        (self.columns() + self.start_columns()).next_power_of_two()
    }

    /// The columns of an answer.
    pub(crate) fn answer_columns(&self) -> usize {
        if self.shape.counts { 2 * self.columns() } else { self.columns() }
    }

    /// The coefficients that hold so many columns of eight: those of X^(c·G + k·N/8), column after column.
    pub(crate) fn places(&self, columns: usize) -> Vec<usize> {
        let stride = self.lanes() / columns;
        (0..columns)
            .flat_map(|column| (0..BLOCKS).map(move |k| (column, k)))
            .map(|(column, k)| column * stride + k * self.lanes())
            .collect()
    }

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
    pub(crate) fn steps(&self, stride: usize) -> usize {
        self.steps_of(self.distinct().min(self.capacity()), stride)
    }

    /// A stable partition of M places moves the zeros by −O … 0 and the ones by 0 … M − O, O the number of ones. Several in a row
    /// are any permutation.
    fn steps_of(&self, haplotypes: usize, stride: usize) -> usize {
        let moves = if stride == 1 { haplotypes + 1 } else { 2 * haplotypes - 1 };
        moves.min(self.lanes()).div_ceil(BLOCKS)
    }

    /// The copy and the step of it that a move takes.
    pub(crate) fn copy_and_step(&self, stride: usize, by: i64) -> (usize, usize) {
        let (steps, lanes) = (self.steps(stride) as i64, self.lanes() as i64);
        // From −S + 1 on, modulo the places.
        let by = (by + steps - 1).rem_euclid(lanes) - (steps - 1);
        let copy = (by + steps - 1).div_euclid(steps);
        (copy as usize, (copy * steps - by) as usize)
    }

    /// The slot of a copy's place, after the copies have been displaced.
    pub(crate) fn displaced(&self, stride: usize, copy: usize, place: usize) -> (usize, usize) {
        let row = self.ring_degree / 2;
        (copy / ROW_BLOCKS, (place + copy % ROW_BLOCKS * self.lanes() + copy * self.steps(stride)) % row)
    }
}

/// The numbers of the blocks in all slots.
pub(crate) fn block_slots(blocks: &[i64; BLOCKS], ring_degree: usize) -> Vec<i64> {
    let row = |row: usize| blocks[row * ROW_BLOCKS..][..ROW_BLOCKS].repeat(ring_degree / BLOCKS);
    [row(0), row(1)].concat()
}
