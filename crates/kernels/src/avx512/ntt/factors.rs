//! The roots of unity in vectors.

use crate::avx512::vector::{Factor, load, splat};
use crate::roots::avx512::{Direction, Single};

/// The powers of ψ or of ψ⁻¹.
#[derive(Clone, Copy)]
pub(crate) struct Factors<'a>(pub(crate) &'a Direction);

impl Factors<'_> {
    /// The root at a bit-reversed index below N/64.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn single(self, index: usize) -> Factor {
        splatted(&self.0.singles[index])
    }

    /// The `node`-th root of the layers between the vectors of a 64-word block.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn upper(self, block: usize, node: usize) -> Factor {
        splatted(&self.0.blocks[block][0][node - 1])
    }

    /// The `node`-th root of the layers between the columns of a 64-word block whose groups are twisted.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn lower(self, block: usize, node: usize) -> Factor {
        splatted(&self.0.blocks[block][1][node - 1])
    }

    /// F^j for j = 1 … 7, in lanes.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn twist(self, j: usize) -> Factor {
        let lanes = &self.0.twist[j - 1];
        Factor { value: load(&lanes.values), quotient: load(&lanes.quotients) }
    }
}

/// A root in all lanes.
#[inline]
#[target_feature(enable = "avx512f")]
fn splatted(root: &Single) -> Factor {
    Factor { value: splat(root.value), quotient: splat(root.quotient) }
}
