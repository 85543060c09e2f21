//! The roots of the NTT on vectors of two words.

use super::powers::powers;
use crate::Modulus;

/// The widest modulus, and the widest word, of the loops with quotients in double precision.
pub(crate) const MAX_FLOAT_BITS: u32 = 50;

/// The powers of ψ or of ψ⁻¹, bit-reversed: ψ^reverse(i) at index i.
#[derive(Clone, Debug)]
pub(crate) struct Direction {
    pub(crate) values: Vec<u64>,
    pub(crate) quotients: Vec<u64>,
}

/// Roots of both directions: with the bits of root/q in double precision where the modulus allows that, with
/// ⌊root·2^64/q⌋ elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Roots {
    pub(crate) forward: Direction,
    pub(crate) inverse: Direction,
}

impl Roots {
    /// From ψ and ψ⁻¹.
    pub(crate) fn new(q: &Modulus, ring_degree: usize, roots: [u64; 2]) -> Self {
        let quotient = |&value: &u64| {
            if q.bits() <= MAX_FLOAT_BITS {
                (value as f64 / q.value() as f64).to_bits()
            } else {
                q.shoup(value).quotient
            }
        };
        let [forward, inverse] = roots.map(|root| {
            let values = powers(q, root, ring_degree);
            let quotients = values.iter().map(quotient).collect();
            Direction { values, quotients }
        });
        Self { forward, inverse }
    }
}
