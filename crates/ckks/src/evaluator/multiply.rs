//! Products of ciphertexts.

use super::Evaluator;
use crate::{CkksCiphertext, CkksError};

impl Evaluator {
    /// left·right, slot by slot, relinearised. The scale is the product of the two; rescale afterwards.
    ///
    /// # Errors
    /// [`CkksError::LevelMismatch`], [`CkksError::MissingKey`], [`CkksError::NotRelinearised`],
    /// [`CkksError::OutOfModulus`].
    pub fn multiply(
        &self,
        left: &CkksCiphertext,
        right: &CkksCiphertext,
    ) -> Result<CkksCiphertext, CkksError> {
        self.keys.relinearisation()?;
        self.relinearise(self.multiply_without_relinearise(left, right)?)
    }

    /// a·a, slot by slot, relinearised.
    ///
    /// # Errors
    /// Those of [`Evaluator::multiply`].
    pub fn square(&self, a: &CkksCiphertext) -> Result<CkksCiphertext, CkksError> {
        self.multiply(a, a)
    }

    /// left·right of three parts: sums of such products need one relinearisation.
    ///
    /// # Errors
    /// [`CkksError::LevelMismatch`], [`CkksError::NotRelinearised`], [`CkksError::OutOfModulus`].
    pub fn multiply_without_relinearise(
        &self,
        left: &CkksCiphertext,
        right: &CkksCiphertext,
    ) -> Result<CkksCiphertext, CkksError> {
        let state = self.noise.multiply_without_relinearise(self.two_parts(left)?, self.two_parts(right)?)?;
        Ok(self.with_state(left.rlwe.tensor(&right.rlwe), state))
    }

    /// Brings a product of three parts back to two; one of two parts stays as it is.
    ///
    /// # Errors
    /// [`CkksError::MissingKey`], [`CkksError::OutOfModulus`].
    pub fn relinearise(&self, product: CkksCiphertext) -> Result<CkksCiphertext, CkksError> {
        let state = self.state(&product)?;
        if product.rlwe.parts.len() == 2 {
            return Ok(product);
        }
        let key = self.keys.relinearisation()?;
        let state = self.noise.key_switch(state)?;
        Ok(self.with_state(self.params.rlwe().relinearise(product.rlwe, key)?, state))
    }
}
