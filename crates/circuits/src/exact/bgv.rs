//! BGV.

use std::borrow::Cow;

use asanoha_bgv::{BgvCiphertext, BgvError, Evaluator};
use asanoha_lattice::Level;
use num_bigint::BigUint;

use super::ExactArithmetic;

/// Levels are the ciphertexts'; a product drops the primes that would only hold noise.
impl ExactArithmetic for Evaluator {
    type Value = BgvCiphertext;
    type Error = BgvError;

    fn modulus(&self) -> BigUint {
        self.params().plaintext_modulus().clone()
    }

    fn level(&self, a: &BgvCiphertext) -> usize {
        a.level().0
    }

    fn lowered<'a>(&self, a: &'a BgvCiphertext, level: usize) -> Result<Cow<'a, BgvCiphertext>, BgvError> {
        self.lowered(a, Level(level).min(a.level()))
    }

    fn constant(&self, constant: i64, level: usize) -> Result<BgvCiphertext, BgvError> {
        self.constant(constant, Level(level))
    }

    fn add(&self, a: &BgvCiphertext, b: &BgvCiphertext) -> Result<BgvCiphertext, BgvError> {
        let (a, b) = at_one_level(self, a, b)?;
        self.add(&a, &b)
    }

    fn sub(&self, a: &BgvCiphertext, b: &BgvCiphertext) -> Result<BgvCiphertext, BgvError> {
        let (a, b) = at_one_level(self, a, b)?;
        self.sub(&a, &b)
    }

    fn multiply(&self, a: &BgvCiphertext, b: &BgvCiphertext) -> Result<BgvCiphertext, BgvError> {
        self.multiply_settled(a, b)
    }

    fn weighted_sum(&self, values: &[&BgvCiphertext], weights: &[u64]) -> Result<BgvCiphertext, BgvError> {
        self.weighted_sum(values, weights)
    }

    fn bilinear_form(
        &self,
        left: &[&BgvCiphertext],
        weights: &[u64],
        right: &[&BgvCiphertext],
    ) -> Result<BgvCiphertext, BgvError> {
        self.bilinear_form(left, weights, right)
    }
}

/// Both at the lower one's level.
fn at_one_level<'a>(
    evaluator: &Evaluator,
    a: &'a BgvCiphertext,
    b: &'a BgvCiphertext,
) -> Result<(Cow<'a, BgvCiphertext>, Cow<'a, BgvCiphertext>), BgvError> {
    let level = a.level().min(b.level());
    Ok((evaluator.lowered(a, level)?, evaluator.lowered(b, level)?))
}
