//! What the steps of a product are.

use asanoha_lattice::Level;
use asanoha_scheme::Exact;

use super::{SquareOptions, SquarePacking, masks::Masks};

/// The levels of a product's steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareLevels {
    /// Where left blocks are rotated and masked.
    pub left: Level,
    /// Where right blocks are rotated, and where blocks are multiplied.
    pub product: Level,
    /// The results' level.
    pub result: Level,
}

/// What a planned product does.
#[derive(Clone, Debug)]
pub(super) struct Steps<S: Exact> {
    pub(super) scheme: S,
    pub(super) packing: SquarePacking,
    pub(super) shape: [usize; 3],
    pub(super) options: SquareOptions,
    pub(super) group: usize,
    pub(super) levels: SquareLevels,
    pub(super) masks: Masks<S>,
}

impl<S: Exact> Steps<S> {
    /// The numbers of blocks of rows, of the inner dimension and of columns.
    pub(super) fn blocks(&self) -> [usize; 3] {
        self.shape.map(|length| length.div_ceil(self.packing.side()))
    }
}
