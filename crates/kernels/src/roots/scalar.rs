//! The roots of the portable NTT.

use super::powers::powers;
use crate::{Modulus, ShoupFactor};

/// Powers of ψ and of ψ⁻¹, bit-reversed: ψ^reverse(i) at index i.
#[derive(Clone, Debug)]
pub(crate) struct Roots {
    pub(crate) forward: Vec<ShoupFactor>,
    pub(crate) inverse: Vec<ShoupFactor>,
}

impl Roots {
    /// From ψ and ψ⁻¹.
    pub(crate) fn new(q: &Modulus, ring_degree: usize, roots: [u64; 2]) -> Self {
        let [forward, inverse] =
            roots.map(|root| powers(q, root, ring_degree).into_iter().map(|power| q.shoup(power)).collect());
        Self { forward, inverse }
    }
}
