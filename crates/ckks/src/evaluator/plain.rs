//! Operations with plaintexts.

use super::Evaluator;
use crate::{CkksCiphertext, CkksError, CkksPlaintext, PlainState};

impl Evaluator {
    /// a + plain, of the same level and scale.
    ///
    /// # Errors
    /// [`CkksError::LevelMismatch`], [`CkksError::ScaleMismatch`], [`CkksError::OutOfModulus`].
    pub fn add_plain(&self, a: &CkksCiphertext, plain: &CkksPlaintext) -> Result<CkksCiphertext, CkksError> {
        let state = self.noise.add_plain(self.state(a)?, self.plain_state(a, plain)?)?;
        let mut sum = a.rlwe.clone();
        sum.parts[0].add_assign(&plain.poly);
        Ok(self.with_state(sum, state))
    }

    /// a − plain, of the same level and scale.
    ///
    /// # Errors
    /// Those of [`Evaluator::add_plain`].
    pub fn sub_plain(&self, a: &CkksCiphertext, plain: &CkksPlaintext) -> Result<CkksCiphertext, CkksError> {
        let state = self.noise.add_plain(self.state(a)?, self.plain_state(a, plain)?)?;
        let mut difference = a.rlwe.clone();
        difference.parts[0].sub_assign(&plain.poly);
        Ok(self.with_state(difference, state))
    }

    /// a·plain, of the same level, slot by slot. The scale is the product of the two; rescale afterwards.
    ///
    /// # Errors
    /// [`CkksError::LevelMismatch`], [`CkksError::OutOfModulus`].
    pub fn mul_plain(&self, a: &CkksCiphertext, plain: &CkksPlaintext) -> Result<CkksCiphertext, CkksError> {
        let state = self.noise.mul_plain(self.state(a)?, self.plain_state(a, plain)?)?;
        let mut product = a.rlwe.clone();
        product.mul_plain_assign(&plain.poly);
        Ok(self.with_state(product, state))
    }

    /// What noise prediction knows of a plaintext of these parameters and a ciphertext's level.
    fn plain_state(&self, a: &CkksCiphertext, plain: &CkksPlaintext) -> Result<PlainState, CkksError> {
        plain.of(&self.params)?;
        let (left, right) = (a.level().0, plain.level().0);
        if left == right { Ok(plain.state()) } else { Err(CkksError::LevelMismatch { left, right }) }
    }
}
