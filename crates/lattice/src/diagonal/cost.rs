//! The cost of a sum of diagonals, predicted before any key or plaintext is made.

use super::{DiagonalSteps, StepKeys};
use crate::{Level, RlweParams};

/// The operations and the memory that a sum of diagonals takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiagonalCost {
    /// Products with key-switching keys, one for each rotation.
    pub key_switches: usize,
    /// Digit decompositions of polynomials.
    pub decompositions: usize,
    /// Mod-downs: divisions of polynomials by P.
    pub mod_downs: usize,
    /// Products of a ciphertext with a diagonal.
    pub plain_products: usize,
    /// Key-switching keys.
    pub keys: usize,
    /// Bytes of the keys in memory, for the highest level that uses the same keys, without the tables of their
    /// permutations.
    pub key_bytes: usize,
    /// Bytes of a diagonal in memory if its slots don't repeat; those that repeat after n take 2n/N of them.
    pub plaintext_bytes: usize,
    /// Multiplications modulo a word of all operations together, which is roughly proportional to the time. If
    /// plaintexts and keys exceed the caches, reading them counts as much.
    pub word_products: f64,
}

impl DiagonalSteps {
    /// Multiplications in an NTT of one limb, in units of its N coefficients: log2(N)/2.
    fn transform(params: &RlweParams) -> f64 {
        f64::from(params.ring_degree().ilog2()) / 2.0
    }

    /// The cost of the sum for a ciphertext at a level.
    pub fn cost(&self, params: &RlweParams, level: Level) -> DiagonalCost {
        let [babies, giants] = self.switches();
        let (q, p) = (params.q(level).len(), params.special(level).len());
        let qp = q + p;
        let digits = params.level(level.0).digits.len();
        let (hoisted, mod_downs, limbs) = match self.keys() {
            StepKeys::Each => (usize::from(babies > 0), giants + 2, qp),
            StepKeys::Repeated => (babies, 2 * (babies + giants), q),
        };
        let decompositions = hoisted + giants;
        let keys = self.rotations().len();
        let plain_products = self.diagonals();
        let n = params.ring_degree();
        let word = size_of::<u64>();
        // Each digit is extended from its own limbs to all others.
        let transforms = decompositions * (q + digits * qp - q) + mod_downs * qp;
        let products = 2 * ((babies + giants) * digits * qp + plain_products * limbs);
        let word_products = n as f64 * (transforms as f64 * Self::transform(params) + products as f64);
        DiagonalCost {
            key_switches: babies + giants,
            decompositions,
            mod_downs,
            plain_products,
            keys,
            key_bytes: keys * params.key_bytes(*params.levels_of_keys(level).end()),
            plaintext_bytes: limbs * n * word,
            word_products,
        }
    }
}
