//! Sums of ciphertexts.

use super::Evaluator;
use crate::{CkksCiphertext, CkksError};

impl Evaluator {
    /// left + right.
    ///
    /// # Errors
    /// [`CkksError::LevelMismatch`], [`CkksError::ScaleMismatch`], [`CkksError::OutOfModulus`].
    pub fn add(&self, left: &CkksCiphertext, right: &CkksCiphertext) -> Result<CkksCiphertext, CkksError> {
        let mut sum = left.clone();
        self.add_assign(&mut sum, right)?;
        Ok(sum)
    }

    /// left ← left + right.
    ///
    /// # Errors
    /// Those of [`Evaluator::add`]; left is then unchanged.
    pub fn add_assign(&self, left: &mut CkksCiphertext, right: &CkksCiphertext) -> Result<(), CkksError> {
        let state = self.noise.add(self.state(left)?, self.state(right)?)?;
        left.rlwe.add_assign(&right.rlwe);
        left.set_state(state);
        Ok(())
    }

    /// left − right.
    ///
    /// # Errors
    /// Those of [`Evaluator::add`].
    pub fn sub(&self, left: &CkksCiphertext, right: &CkksCiphertext) -> Result<CkksCiphertext, CkksError> {
        let mut difference = left.clone();
        self.sub_assign(&mut difference, right)?;
        Ok(difference)
    }

    /// left ← left − right.
    ///
    /// # Errors
    /// Those of [`Evaluator::add`]; left is then unchanged.
    pub fn sub_assign(&self, left: &mut CkksCiphertext, right: &CkksCiphertext) -> Result<(), CkksError> {
        let state = self.noise.add(self.state(left)?, self.state(right)?)?;
        left.rlwe.sub_assign(&right.rlwe);
        left.set_state(state);
        Ok(())
    }

    /// −a. Noise: unchanged.
    pub fn neg(&self, a: &CkksCiphertext) -> CkksCiphertext {
        let mut negated = a.clone();
        negated.rlwe.neg_assign();
        negated
    }
}
