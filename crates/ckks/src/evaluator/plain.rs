//! Operations with plaintexts.

use super::Evaluator;
use crate::{CkksCiphertext, CkksError, CkksPlaintext};

impl Evaluator {
    /// a + plain, of the same level and scale.
    ///
    /// # Errors
    /// [`CkksError::LevelMismatch`], [`CkksError::ScaleMismatch`], [`CkksError::OutOfModulus`].
    pub fn add_plain(&self, a: &CkksCiphertext, plain: &CkksPlaintext) -> Result<CkksCiphertext, CkksError> {
        same_level(a, plain)?;
        let state = self.noise.add_plain(a.state(), plain.state())?;
        let mut sum = a.rlwe.clone();
        sum.parts[0].add_assign(&plain.poly);
        Ok(CkksCiphertext::new(sum, state))
    }

    /// a − plain, of the same level and scale.
    ///
    /// # Errors
    /// Those of [`Evaluator::add_plain`].
    pub fn sub_plain(&self, a: &CkksCiphertext, plain: &CkksPlaintext) -> Result<CkksCiphertext, CkksError> {
        same_level(a, plain)?;
        let state = self.noise.add_plain(a.state(), plain.state())?;
        let mut difference = a.rlwe.clone();
        difference.parts[0].sub_assign(&plain.poly);
        Ok(CkksCiphertext::new(difference, state))
    }

    /// a·plain, of the same level, slot by slot. The scale is the product of the two; rescale afterwards.
    ///
    /// # Errors
    /// [`CkksError::LevelMismatch`], [`CkksError::OutOfModulus`].
    pub fn mul_plain(&self, a: &CkksCiphertext, plain: &CkksPlaintext) -> Result<CkksCiphertext, CkksError> {
        same_level(a, plain)?;
        let state = self.noise.mul_plain(a.state(), plain.state())?;
        let mut product = a.rlwe.clone();
        product.mul_plain_assign(&plain.poly);
        Ok(CkksCiphertext::new(product, state))
    }
}

fn same_level(a: &CkksCiphertext, plain: &CkksPlaintext) -> Result<(), CkksError> {
    let (left, right) = (a.level().0, plain.level().0);
    if left == right { Ok(()) } else { Err(CkksError::LevelMismatch { left, right }) }
}
