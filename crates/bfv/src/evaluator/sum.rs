//! Sums of ciphertexts.

use super::Evaluator;
use crate::{BfvCiphertext, BfvError};

impl Evaluator {
    /// left + right. Noise: the sum of the noises.
    ///
    /// # Errors
    /// [`BfvError::LevelMismatch`], [`BfvError::OutOfModulus`].
    pub fn add(&self, left: &BfvCiphertext, right: &BfvCiphertext) -> Result<BfvCiphertext, BfvError> {
        let mut sum = left.clone();
        self.add_assign(&mut sum, right)?;
        Ok(sum)
    }

    /// left ← left + right; see [`Evaluator::add`].
    ///
    /// # Errors
    /// [`BfvError::LevelMismatch`], [`BfvError::OutOfModulus`].
    pub fn add_assign(&self, left: &mut BfvCiphertext, right: &BfvCiphertext) -> Result<(), BfvError> {
        let state = self.noise.add(self.state(left)?, self.state(right)?)?;
        left.rlwe.add_assign(&right.rlwe);
        left.noise = state.noise;
        Ok(())
    }

    /// left − right. Noise: the sum of the noises.
    ///
    /// # Errors
    /// [`BfvError::LevelMismatch`], [`BfvError::OutOfModulus`].
    pub fn sub(&self, left: &BfvCiphertext, right: &BfvCiphertext) -> Result<BfvCiphertext, BfvError> {
        let mut difference = left.clone();
        self.sub_assign(&mut difference, right)?;
        Ok(difference)
    }

    /// left ← left − right; see [`Evaluator::sub`].
    ///
    /// # Errors
    /// [`BfvError::LevelMismatch`], [`BfvError::OutOfModulus`].
    pub fn sub_assign(&self, left: &mut BfvCiphertext, right: &BfvCiphertext) -> Result<(), BfvError> {
        let state = self.noise.add(self.state(left)?, self.state(right)?)?;
        left.rlwe.sub_assign(&right.rlwe);
        left.noise = state.noise;
        Ok(())
    }

    /// −a. Noise: unchanged.
    pub fn neg(&self, a: &BfvCiphertext) -> BfvCiphertext {
        let mut negated = a.clone();
        negated.rlwe.neg_assign();
        negated
    }
}
