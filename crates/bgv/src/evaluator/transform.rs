//! Linear transforms.

use super::Evaluator;
use crate::{BgvCiphertext, BgvError, BgvTransform};

impl Evaluator {
    /// Σ_d diagonal_d ⊙ rot_d(a) for the transform's diagonals.
    ///
    /// Noise: [`crate::BgvNoise::transform`].
    ///
    /// # Errors
    /// [`BgvError::LevelTooHigh`] if the transform was encoded at a lower level, [`BgvError::MissingKey`],
    /// [`BgvError::NotRelinearised`], [`BgvError::OtherParameters`], [`BgvError::OutOfModulus`].
    pub fn transform(&self, a: &BgvCiphertext, transform: &BgvTransform) -> Result<BgvCiphertext, BgvError> {
        a.two_parts()?;
        transform.of(&self.params)?;
        if a.level() > transform.level() {
            return Err(BgvError::LevelTooHigh { asked: a.level().0, highest: transform.level().0 });
        }
        let state = self.noise.transform(self.state(a)?, transform.steps(), transform.norm)?;
        let rlwe = self.params.rlwe().diagonal_sum(&a.rlwe, &transform.sum, &self.keys)?;
        Ok(self.with_state(rlwe, state))
    }
}
