//! Rescaling, and adjusting scales.

use std::borrow::{Borrow, Cow};

use asanoha_lattice::{DiagonalSteps, DiagonalSum, Level};

use crate::{
    Approximate, Operand, Operations, SchemeError,
    model::{TWO_PARTS, below},
    not_above, scale_difference,
};

impl<S: Approximate, V: Operand<S>> Operations<S, V> {
    /// Divides a ciphertext by its last prime q, rounding: the level falls by one, and the scale is divided by q.
    ///
    /// Noise: divided by q, and the rounding's r₀ + r₁·s is added.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooLow`] at level 0, [`SchemeError::OutOfModulus`].
    pub fn rescale(&self, a: &V) -> Result<V, SchemeError> {
        self.rescale_to(a, below(a.state().level)?)
    }

    /// Divides a ciphertext by all primes above a level, rounding once.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`], [`SchemeError::OutOfModulus`].
    pub fn rescale_to(&self, a: &V, level: Level) -> Result<V, SchemeError> {
        self.divided(a, level)
    }

    /// Relinearises a product and divides it by all primes above a level, in one step. This costs less than
    /// [`Operations::relinearise`] followed by [`Operations::rescale_to`], and rounds once.
    ///
    /// Noise: at most that of the two operations.
    ///
    /// # Errors
    /// Those of [`Operations::relinearise`] and [`Operations::rescale_to`].
    pub fn relinearise_rescaled(&self, product: V, level: Level) -> Result<V, SchemeError> {
        self.relinearise_divided(product, |_| Ok(level))
    }

    /// Applies [`Operations::transform_known`] and divides by all primes above a level, in one step. Noise: at most that of
    /// both.
    ///
    /// # Errors
    /// Those of both.
    ///
    /// # Panics
    /// If the diagonals are of a lower level than the ciphertext.
    pub fn transform_rescaled<D: Borrow<DiagonalSum>>(
        &self,
        a: &V,
        steps: &DiagonalSteps,
        known: &S::TransformState,
        level: Level,
        encode: impl FnOnce() -> Result<D, SchemeError>,
    ) -> Result<V, SchemeError> {
        let product = self.model().check(self.transformed(a, steps, known)?)?;
        let state = self.model().divide_to(&product, TWO_PARTS, level)?;
        V::produce(&self.means, &[a], state, |a, keys| {
            Ok(encode()?.borrow().apply(self.params().rlwe(), &a[0].rlwe, keys, level)?)
        })
    }

    /// Adjusts a ciphertext of any scale to a lower level and the canonical scale of that level.
    ///
    /// Drops to the level above, multiplies by an integer, and rescales. At its own level the scale must already be canonical
    /// to within the tolerance, and is made exactly so.
    ///
    /// Noise: [`crate::Scheme::multiple_for`] multiplies it, the division divides it and rounds, and what the scale is off by
    /// then counts too.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`], [`SchemeError::ScaleMismatch`], [`SchemeError::OutOfModulus`].
    pub fn adjust_to(&self, a: &V, level: Level) -> Result<V, SchemeError> {
        let state = self.state(a)?;
        not_above(level, state.level)?;
        if level < state.level {
            return self.brought(a, level).map(Cow::into_owned);
        }
        scale_difference(state.scale(), self.params().canonical_scale(level))?;
        let state = self.model().check(self.params().canonical(state.clone()))?;
        let mut adjusted = a.clone();
        self.set_state(&mut adjusted, state);
        Ok(adjusted)
    }

    /// Returns the complex conjugates of the slots. Noise and errors: as for [`Operations::rotate`].
    pub fn conjugate(&self, a: &V) -> Result<V, SchemeError> {
        self.swap_rows(a)
    }
}
