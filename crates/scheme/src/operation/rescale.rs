//! Rescaling, and adjusting scales.

use asanoha_lattice::{Level, LevelTooLow};

use crate::{Approximate, Ciphertext, Evaluator, Model, SchemeError, State};

impl<S: Approximate> Model<S> {
    /// A rescaling of a ciphertext of so many parts by its last prime q: noise/q and the rounding's r₀ + r₁·s.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooLow`], [`SchemeError::OutOfModulus`].
    pub fn rescale(&self, a: &State<S>, parts: usize) -> Result<State<S>, SchemeError> {
        self.divide_to(a, parts, below(a.level)?)
    }

    /// An adjustment to the scale of a level: [`Approximate::adjustment`].
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`], [`SchemeError::ScaleMismatch`], [`SchemeError::OutOfModulus`].
    pub fn adjust_to(&self, a: &State<S>, parts: usize, level: Level) -> Result<State<S>, SchemeError> {
        Ok(S::adjustment(self, a, parts, level)?.0)
    }
}

impl<S: Approximate> Evaluator<S> {
    /// Divides by the last prime q, rounding: the level falls by one, the scale by q.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooLow`] at level 0, [`SchemeError::OutOfModulus`].
    pub fn rescale(&self, a: &Ciphertext<S>) -> Result<Ciphertext<S>, SchemeError> {
        self.rescale_to(a, below(a.level())?)
    }

    /// Divides by all primes above a level, rounding once.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`], [`SchemeError::OutOfModulus`].
    pub fn rescale_to(&self, a: &Ciphertext<S>, level: Level) -> Result<Ciphertext<S>, SchemeError> {
        let state = self.model.divide_to(self.state(a)?, a.parts(), level)?;
        if level == a.level() {
            return Ok(a.clone());
        }
        Ok(self.with_state(a.rlwe.quotient_to(self.params().rlwe(), level), state))
    }

    /// Brings a ciphertext of any scale to a lower level and the scale that fresh ciphertexts have there: drops to the level
    /// above, multiplies by an integer, rescales. At its own level the scale must be that one already, and is made exactly so.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`], [`SchemeError::ScaleMismatch`], [`SchemeError::OutOfModulus`].
    pub fn adjust_to(&self, a: &Ciphertext<S>, level: Level) -> Result<Ciphertext<S>, SchemeError> {
        let (state, factor) = S::adjustment(&self.model, self.state(a)?, a.parts(), level)?;
        let Some(factor) = factor else { return Ok(self.with_state(a.rlwe.clone(), state)) };
        let above = Level(level.0 + 1);
        let mut scaled = a.rlwe.dropped_to(above);
        super::sum::scale(&mut scaled, &factor);
        Ok(self.with_state(scaled.divide_to(self.params().rlwe(), level), state))
    }

    /// The complex conjugates of the slots. Noise and errors: as for [`Evaluator::rotate`].
    pub fn conjugate(&self, a: &Ciphertext<S>) -> Result<Ciphertext<S>, SchemeError> {
        self.swap_rows(a)
    }
}

/// The level below.
fn below(level: Level) -> Result<Level, LevelTooLow> {
    level.0.checked_sub(1).map(Level).ok_or(LevelTooLow { needed: 1, found: 0 })
}
