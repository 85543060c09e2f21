//! Constants.

use asanoha_kernels::ShoupFactor;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::basis::{Basis, Limb};

/// A constant as residues modulo every prime of a basis, prepared for multiplication.
#[derive(Clone, Debug)]
pub struct Scalar {
    basis: Basis,
    factors: Vec<ShoupFactor>,
}

impl Scalar {
    /// The residues of an integer, prepared.
    pub fn new(basis: &Basis, value: &BigInt) -> Self {
        let residue = |limb: &std::sync::Arc<Limb>| {
            let q = BigInt::from(limb.modulus().value());
            let residue = ((value % &q) + &q) % &q;
            limb.modulus().shoup(residue.to_u64().expect("below a word-sized modulus"))
        };
        Self { basis: basis.clone(), factors: basis.limbs().iter().map(residue).collect() }
    }

    /// The primes.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// The constant modulo the prime at a position.
    pub(super) fn residue(&self, position: usize) -> u64 {
        self.factors[position].value
    }

    /// This constant modulo the primes at the given positions, 0 modulo the others.
    pub fn keep(mut self, positions: std::ops::Range<usize>) -> Self {
        for (i, factor) in self.factors.iter_mut().enumerate() {
            if !positions.contains(&i) {
                *factor = ShoupFactor { value: 0, quotient: 0 };
            }
        }
        self
    }

    /// The factor modulo the prime at a position.
    pub fn factor(&self, index: usize) -> ShoupFactor {
        self.factors[index]
    }
}
