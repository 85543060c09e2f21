//! The ways down: rescaling, dropping primes, adjusting scales.

use asanoha_lattice::Level;

use super::Evaluator;
use crate::{CkksCiphertext, CkksError};

impl Evaluator {
    /// Divides by the last prime q, rounding: the level falls by one, the scale by q.
    ///
    /// # Errors
    /// [`CkksError::LevelTooLow`] at level 0, [`CkksError::OutOfModulus`].
    pub fn rescale(&self, a: CkksCiphertext) -> Result<CkksCiphertext, CkksError> {
        let state = self.noise.rescale(self.state(&a)?, a.rlwe.parts.len())?;
        Ok(self.with_state(a.rlwe.divide_to(self.params.rlwe(), state.level), state))
    }

    /// Divides by all primes above a level, rounding once.
    ///
    /// # Errors
    /// [`CkksError::LevelTooHigh`], [`CkksError::OutOfModulus`].
    pub fn rescale_to(&self, a: CkksCiphertext, level: Level) -> Result<CkksCiphertext, CkksError> {
        let state = self.noise.rescale_to(self.state(&a)?, a.rlwe.parts.len(), level)?;
        Ok(self.with_state(a.rlwe.divide_to(self.params.rlwe(), level), state))
    }

    /// Forgets the primes above a level: scale and noise stay, the room shrinks.
    ///
    /// # Errors
    /// [`CkksError::LevelTooHigh`], [`CkksError::OutOfModulus`].
    pub fn drop_to(&self, a: CkksCiphertext, level: Level) -> Result<CkksCiphertext, CkksError> {
        let state = self.noise.drop_to(self.state(&a)?, level)?;
        Ok(self.with_state(a.rlwe.drop_to(level), state))
    }

    /// Brings a ciphertext of any scale to a lower level and that level's canonical scale S
    /// ([`crate::CkksParams::scale_at`]): drops to the level above, multiplies by round(S·q/scale), rescales by q.
    ///
    /// At its own level the scale must be canonical already, and is made exactly so.
    ///
    /// # Errors
    /// [`CkksError::LevelTooHigh`], [`CkksError::ScaleMismatch`], [`CkksError::OutOfModulus`].
    pub fn adjust_to(&self, a: CkksCiphertext, level: Level) -> Result<CkksCiphertext, CkksError> {
        let (state, factor) = self.noise.adjustment(self.state(&a)?, a.rlwe.parts.len(), level)?;
        let rlwe = match factor {
            None => a.rlwe,
            Some(factor) => self
                .times_integer(a.rlwe.drop_to(Level(level.0 + 1)), factor)
                .divide_to(self.params.rlwe(), level),
        };
        Ok(self.with_state(rlwe, state))
    }
}
