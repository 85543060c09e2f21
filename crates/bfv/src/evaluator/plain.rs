//! Sums and products with plaintexts.

use super::Evaluator;
use crate::{BfvCiphertext, BfvError, BfvPlaintext, ciphertext::same_params, noise::same_level};

impl Evaluator {
    /// a + m.
    ///
    /// Noise: the rounding of Q/t·m is added, whatever m.
    ///
    /// # Errors
    /// [`BfvError::LevelMismatch`], [`BfvError::OutOfModulus`].
    pub fn add_plain(&self, a: &BfvCiphertext, plain: &BfvPlaintext) -> Result<BfvCiphertext, BfvError> {
        same_params(&self.params, plain.params())?;
        same_level(a.level(), plain.level())?;
        let state = self.noise.add_plain(self.state(a)?)?;
        let mut sum = a.rlwe.clone();
        sum.parts[0].add_assign(plain.scaled());
        Ok(self.with_state(sum, state))
    }

    /// a − m; see [`Evaluator::add_plain`].
    ///
    /// # Errors
    /// [`BfvError::LevelMismatch`], [`BfvError::OutOfModulus`].
    pub fn sub_plain(&self, a: &BfvCiphertext, plain: &BfvPlaintext) -> Result<BfvCiphertext, BfvError> {
        same_params(&self.params, plain.params())?;
        same_level(a.level(), plain.level())?;
        let state = self.noise.add_plain(self.state(a)?)?;
        let mut difference = a.rlwe.clone();
        difference.parts[0].sub_assign(plain.scaled());
        Ok(self.with_state(difference, state))
    }

    /// a·m.
    ///
    /// Noise: times the plaintext's norm.
    ///
    /// # Errors
    /// [`BfvError::LevelMismatch`], [`BfvError::OutOfModulus`].
    pub fn mul_plain(&self, a: &BfvCiphertext, plain: &BfvPlaintext) -> Result<BfvCiphertext, BfvError> {
        same_params(&self.params, plain.params())?;
        same_level(a.level(), plain.level())?;
        let (poly, norm) = plain.small();
        let state = self.noise.mul_plain(self.state(a)?, norm)?;
        let mut product = a.rlwe.clone();
        product.mul_plain_assign(poly);
        Ok(self.with_state(product, state))
    }
}
