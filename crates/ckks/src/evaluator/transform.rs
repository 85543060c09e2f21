//! Linear transforms.

use super::Evaluator;
use crate::{CkksCiphertext, CkksError, CkksTransform};

impl Evaluator {
    /// Σ_d diagonal_d ⊙ rot_d(a) for the transform's diagonals. The scale is the product of the two; rescale afterwards.
    ///
    /// Noise: [`crate::CkksNoise::transform`].
    ///
    /// # Errors
    /// [`CkksError::LevelTooHigh`] if the transform was encoded at a lower level, [`CkksError::MissingKey`],
    /// [`CkksError::NotRelinearised`], [`CkksError::OutOfModulus`].
    pub fn transform(
        &self,
        a: &CkksCiphertext,
        transform: &CkksTransform,
    ) -> Result<CkksCiphertext, CkksError> {
        let state = self.two_parts(a)?;
        transform.of(&self.params)?;
        if a.level() > transform.level() {
            return Err(CkksError::LevelTooHigh { asked: a.level().0, highest: transform.level().0 });
        }
        let state = self.noise.transform(state, transform.steps(), transform.state())?;
        let rlwe = self.params.rlwe().diagonal_sum(&a.rlwe, &transform.sum, &self.keys)?;
        Ok(self.with_state(rlwe, state))
    }
}
