//! BGV and BFV.

use std::borrow::Cow;

use asanoha_bfv::{BfvCiphertext, BfvError};
use asanoha_bgv::{BgvCiphertext, BgvError};
use asanoha_lattice::Level;
use num_bigint::BigUint;

use super::ExactArithmetic;

/// Both evaluators have the same operations on ciphertexts of their own. Levels are the ciphertexts'; a product drops
/// the primes that would only hold noise.
macro_rules! exact_arithmetic {
    ($evaluator:ty, $ciphertext:ty, $error:ty, $modulus:ident) => {
        impl ExactArithmetic for $evaluator {
            type Value = $ciphertext;
            type Error = $error;

            fn modulus(&self) -> BigUint {
                self.params().$modulus().clone()
            }

            fn level(&self, a: &$ciphertext) -> usize {
                a.level().0
            }

            fn lowered<'a>(&self, a: &'a $ciphertext, level: usize) -> Result<Cow<'a, $ciphertext>, $error> {
                self.lowered(a, Level(level).min(a.level()))
            }

            fn constant(&self, constant: i64, level: usize) -> Result<$ciphertext, $error> {
                self.constant(constant, Level(level))
            }

            fn add(&self, a: &$ciphertext, b: &$ciphertext) -> Result<$ciphertext, $error> {
                let level = a.level().min(b.level());
                self.add(&*self.lowered(a, level)?, &*self.lowered(b, level)?)
            }

            fn sub(&self, a: &$ciphertext, b: &$ciphertext) -> Result<$ciphertext, $error> {
                let level = a.level().min(b.level());
                self.sub(&*self.lowered(a, level)?, &*self.lowered(b, level)?)
            }

            fn multiply(&self, a: &$ciphertext, b: &$ciphertext) -> Result<$ciphertext, $error> {
                self.multiply_settled(a, b)
            }

            fn weighted_sum(&self, values: &[&$ciphertext], weights: &[u64]) -> Result<$ciphertext, $error> {
                self.weighted_sum(values, weights)
            }

            fn bilinear_form(
                &self,
                left: &[&$ciphertext],
                weights: &[u64],
                right: &[&$ciphertext],
            ) -> Result<$ciphertext, $error> {
                self.bilinear_form(left, weights, right)
            }
        }
    };
}

exact_arithmetic!(asanoha_bgv::Evaluator, BgvCiphertext, BgvError, plaintext_modulus);
exact_arithmetic!(asanoha_bfv::Evaluator, BfvCiphertext, BfvError, value_modulus);
