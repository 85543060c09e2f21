//! The way down to lower levels.

use std::borrow::Cow;

use asanoha_lattice::Level;

use crate::{Ciphertext, Evaluator, Model, Scheme, SchemeError, State, state::not_above};

impl<S: Scheme> Model<S> {
    /// A switch to a lower level of a ciphertext of so many parts: by dividing in BGV and BFV ([`Model::divide_to`]), by
    /// forgetting primes in CKKS, where scale and noise stay and the room shrinks.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`], [`SchemeError::OutOfModulus`].
    pub fn switch_to(&self, a: &State<S>, parts: usize, level: Level) -> Result<State<S>, SchemeError> {
        S::switched(self, a, parts, level)
    }

    /// A division of a ciphertext of so many parts by the product D of the primes above a level: noise/D and the rounding's
    /// f·(r₀ + r₁·s + …).
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`], [`SchemeError::OutOfModulus`].
    pub fn divide_to(&self, a: &State<S>, parts: usize, level: Level) -> Result<State<S>, SchemeError> {
        not_above(level, a.level)?;
        if level == a.level {
            return Ok(a.clone());
        }
        let dropped = self.scheme().rlwe().q(a.level).range(level.0 + 1..a.level.0 + 1);
        // Divided from the last prime on, as single divisions do, so that the results are the same to the bit.
        let divide = |noise, i| noise / dropped.modulus(i).value() as f64;
        let noise = (0..dropped.len()).rev().fold(a.noise, divide) + self.rounding(parts);
        self.check(State { level, noise, message: self.scheme().divided(&a.message, &dropped) })
    }
}

impl<S: Scheme> Evaluator<S> {
    /// The same values at a lower level, where operations cost less.
    ///
    /// BGV and BFV divide by the product D of the primes above it, all at once. In BGV c' = (c − δ)/D with δ ≡ c modulo D and
    /// δ ≡ 0 modulo t, and the correction factor is multiplied by D⁻¹ modulo t; in BFV, where the message stands at the scale
    /// Q/t, D only rounds. Either way the noise is divided by D, and the rounding's is added. CKKS forgets the primes: scale
    /// and noise stay.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`] if the level is above the ciphertext's, [`SchemeError::OutOfModulus`].
    pub fn switch_to(&self, a: &Ciphertext<S>, level: Level) -> Result<Ciphertext<S>, SchemeError> {
        self.lowered(a, level).map(Cow::into_owned)
    }

    /// As [`Evaluator::switch_to`], but the ciphertext itself where it stands at that level already.
    ///
    /// # Errors
    /// Those of [`Evaluator::switch_to`].
    pub fn lowered<'a>(
        &self,
        a: &'a Ciphertext<S>,
        level: Level,
    ) -> Result<Cow<'a, Ciphertext<S>>, SchemeError> {
        let state = self.model.switch_to(self.state(a)?, a.parts(), level)?;
        if a.level() == level {
            return Ok(Cow::Borrowed(a));
        }
        Ok(Cow::Owned(self.with_state(self.params().switch_polynomials(&a.rlwe, level), state)))
    }
}
