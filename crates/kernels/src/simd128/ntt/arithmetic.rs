//! What the passes need of a kind of arithmetic.

use crate::{NttTable, simd128::vector::Vector};

/// The vectors that the butterflies of two layers work on.
pub(super) type Four = [Vector; 4];

/// A root for both lanes, or one for each, with what the quotients need.
#[derive(Clone, Copy)]
pub(super) struct Root {
    pub(super) value: Vector,
    pub(super) quotient: Vector,
}

/// A kind of lazy arithmetic modulo q on vectors.
pub(super) trait Arithmetic: Copy {
    /// The constants for the layers of one table.
    fn new(table: &NttTable) -> Self;

    /// The butterfly X, Y → X ± W·Y. Of two layers that follow each other the second may be `FRESH`: its X aren't
    /// corrected if that holds for two layers.
    fn forward<const FRESH: bool>(&self, x: Vector, y: Vector, w: Root) -> [Vector; 2];

    /// Converts the results of the forward layers to canonical words.
    fn leave(&self, v: Vector) -> Vector;

    /// The butterfly X, Y → X + Y, W·(X − Y), between values of the bound that all passes keep.
    fn inverse_one(&self, x: Vector, y: Vector, w: Root) -> [Vector; 2];

    /// Such butterflies of two layers; the first layer takes the last two roots.
    fn inverse_two(&self, v: Four, w: [Root; 3]) -> Four;

    /// The last two inverse layers, 1/N included. Out: canonical words.
    fn last_two(&self, v: Four, w: [Root; 2]) -> Four;
}
