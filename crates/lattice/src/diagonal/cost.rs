//! What a sum of diagonals costs, before any key or plaintext is made.

use super::{DiagonalSteps, StepKeys};
use crate::{Level, RlweParams};

/// A count of what a sum of diagonals takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiagonalCost {
    /// Products with key switching keys, one for each rotation made.
    pub key_switches: usize,
    /// Polynomials cut into digits.
    pub decompositions: usize,
    /// Polynomials divided by P.
    pub mod_downs: usize,
    /// Products of a ciphertext with a diagonal.
    pub plain_products: usize,
    /// Keys.
    pub keys: usize,
    /// Bytes of the keys in memory, of the highest level with the same keys, without the tables of their permutations.
    pub key_bytes: usize,
    /// Bytes of a diagonal in memory if its slots don't repeat; those that repeat after n take 2n/N of them.
    pub plaintext_bytes: usize,
    /// Multiplications modulo a word of everything together: time, roughly. Where plaintexts and keys exceed the
    /// caches, reading them counts as much.
    pub word_products: f64,
}

impl DiagonalSteps {
    /// Multiplications in a transform of one limb, in units of its N coefficients: log2(N)/2.
    fn transform(params: &RlweParams) -> f64 {
        f64::from(params.ring_degree().ilog2()) / 2.0
    }

    /// What the sum of a ciphertext's rotations costs at a level.
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
        // Digits are extended from q limbs to all others.
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
