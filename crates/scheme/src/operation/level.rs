//! Switches to lower levels.

use std::borrow::Cow;

use asanoha_lattice::Level;

use crate::{Operand, Operations, Scheme, SchemeError, model::TWO_PARTS};

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
        if S::SWITCHES_BY_DIVISION {
            return self.divided(a, level).map(Cow::Owned);
        }
        let state = self.model().switch_to(state, parts_of(a), level)?;
        V::produce(&self.means, &[a], state, |a, _| Ok(a[0].rlwe.dropped_to(level))).map(Cow::Owned)
    }

    /// Divides a ciphertext by all primes above a level, rounding once: [`Operations::switch_to`] in exact schemes, a rescaling
    /// in CKKS.
    pub(super) fn divided(&self, a: &V, level: Level) -> Result<V, SchemeError> {
        let before = self.state(a)?;
        if level == before.level {
            return Ok(a.clone());
        }
        let state = self.model().divide_to(before, parts_of(a), level)?;
        V::produce(&self.means, &[a], state, |a, _| Ok(a[0].rlwe.quotient_to(self.params().rlwe(), level)))
    }

    /// Brings a ciphertext to a level where others meet it, and in CKKS to the scale of that level.
    pub(super) fn brought<'v>(&self, a: &'v V, level: Level) -> Result<Cow<'v, V>, SchemeError> {
        let state = self.state(a)?;
        if state.level == level {
            return Ok(Cow::Borrowed(a));
        }
        let Some((factor, multiple)) = self.params().multiple_for(state, level)? else {
            return self.lowered(a, level);
        };
        let above = multiple.level;
        let state = self.model().adjust_to(state, multiple, parts_of(a), level)?;
        let adjusted = V::produce(&self.means, &[a], state, |a, _| {
            let mut scaled = a[0].rlwe.dropped_to(above);
            super::sum::scale(&mut scaled, &factor);
            Ok(scaled.divide_to(self.params().rlwe(), level))
        });
        adjusted.map(Cow::Owned)
    }
}

/// The number of an operand's polynomials, two if it has none.
fn parts_of<S: Scheme>(a: &impl Operand<S>) -> usize {
    a.parts().unwrap_or(TWO_PARTS)
}
