//! The roots of unity in vectors.

use crate::avx2::vector::{Factor, load, splat};
use crate::roots::avx2::{Direction, Lanes};

/// The powers of ψ or of ψ⁻¹.
#[derive(Clone, Copy)]
pub(super) struct Factors<'a>(pub(super) &'a Direction);

impl Factors<'_> {
    /// The root at a bit-reversed index below N/4.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn single(self, index: usize) -> Factor {
        let root = &self.0.singles[index];
        Factor { value: splat(root.value), quotient: splat(root.quotient) }
    }

    /// The roots of two layers: the one at `index`, and the two below it.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn singles(self, index: usize) -> [Factor; 3] {
        [self.single(index), self.single(2 * index), self.single(2 * index + 1)]
    }

    /// The roots of the two layers inside the vectors of a block, in lanes: one root, and the two below it.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn lanes(self, block: usize) -> [Factor; 3] {
        let [a, b, c] = &self.0.lanes[block];
        let root = |lanes: &Lanes| Factor { value: load(&lanes.values), quotient: load(&lanes.quotients) };
        [root(a), root(b), root(c)]
    }
}
