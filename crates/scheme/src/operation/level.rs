//! Switches to lower levels.

use std::borrow::Cow;

use asanoha_lattice::Level;

use crate::{Model, Operand, Operations, Scheme, SchemeError, State, state::not_above};

/// How many polynomials a ciphertext has that isn't said to have more.
pub(super) const TWO_PARTS: usize = 2;

impl<S: Scheme> Model<S> {
    /// Returns the state of a ciphertext of `parts` components after division by the product D of the primes above a level.
    ///
    /// Noise: divided by D, plus that of the rounding, f·(r₀ + r₁·s + …).
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

impl<S: Scheme, V: Operand<S>> Operations<S, V> {
    /// Switches a ciphertext to a lower level, where operations cost less.
    ///
    /// BGV and BFV divide by the product D of the primes above the level, all at once. In BGV c' = (c − δ)/D with δ ≡ c modulo
    /// D and δ ≡ 0 modulo t, and the correction factor is multiplied by D⁻¹ modulo t. In BFV, where the message has the scale
    /// Q/t, D only rounds.
    ///
    /// Noise: BGV and BFV divide it by D and add that of the rounding. CKKS drops the primes: scale and noise stay, and the
    /// noise budget shrinks.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`] if the level is above the ciphertext's, [`SchemeError::OutOfModulus`].
    pub fn switch_to(&self, a: &V, level: Level) -> Result<V, SchemeError> {
        self.lowered(a, level).map(Cow::into_owned)
    }

    /// Switches as [`Operations::switch_to`] does, but borrows a ciphertext that already has the level.
    ///
    /// # Errors
    /// Those of [`Operations::switch_to`].
    pub fn lowered<'v>(&self, a: &'v V, level: Level) -> Result<Cow<'v, V>, SchemeError> {
        let state = self.state(a)?;
        if state.level == level {
            return Ok(Cow::Borrowed(a));
        }
        let state = S::switched(self.model(), state, a.parts().unwrap_or(TWO_PARTS), level)?;
        let switched =
            V::produce(self, &[a], state, |a, _| Ok(self.params().switch_polynomials(&a[0].rlwe, level)));
        switched.map(Cow::Owned)
    }
}
