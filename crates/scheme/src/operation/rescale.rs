//! Rescaling, and adjusting scales.

use std::borrow::Borrow;

use asanoha_lattice::{DiagonalSteps, DiagonalSum, Level, LevelTooLow, RlweCiphertext, relinearise_to};

use super::level::TWO_PARTS;
use crate::{Approximate, Operand, Operations, SchemeError};

impl<S: Approximate, V: Operand<S>> Operations<S, V> {
    /// Divides a ciphertext by its last prime q, rounding: the level falls by one, and the scale is divided by q.
    ///
    /// Noise: divided by q, and the rounding's r₀ + r₁·s is added.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooLow`] at level 0, [`SchemeError::OutOfModulus`].
    pub fn rescale(&self, a: &V) -> Result<V, SchemeError> {
        let below = a.state().level.0.checked_sub(1).ok_or(LevelTooLow { needed: 1, found: 0 })?;
        self.rescale_to(a, Level(below))
    }

    /// Divides a ciphertext by all primes above a level, rounding once.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`], [`SchemeError::OutOfModulus`].
    pub fn rescale_to(&self, a: &V, level: Level) -> Result<V, SchemeError> {
        let before = self.state(a)?;
        if level == before.level {
            return Ok(a.clone());
        }
        let state = self.model().divide_to(before, a.parts().unwrap_or(TWO_PARTS), level)?;
        V::produce(self, &[a], state, |a, _| Ok(a[0].rlwe.quotient_to(self.params().rlwe(), level)))
    }

    /// Relinearises a product and divides it by all primes above a level, in one step. This costs less than
    /// [`Operations::relinearise`] followed by [`Operations::rescale_to`], and rounds once.
    ///
    /// Noise: at most that of the two operations.
    ///
    /// # Errors
    /// Those of [`Operations::relinearise`] and [`Operations::rescale_to`].
    pub fn relinearise_rescaled(&self, mut product: V, level: Level) -> Result<V, SchemeError> {
        if product.parts() == Some(TWO_PARTS) {
            return self.rescale_to(&product, level);
        }
        let state = self.model().key_switch(self.state(&product)?)?;
        let state = self.model().divide_to(&state, TWO_PARTS, level)?;
        product.overwrite(self, &[], state, |product, _, keys| {
            let rlwe = self.params().rlwe();
            let key = keys.relinearisation(rlwe, product.level())?;
            let parts = RlweCiphertext { parts: std::mem::take(&mut product.rlwe.parts) };
            product.rlwe = relinearise_to(rlwe, parts, key, level)?;
            Ok(())
        })?;
        Ok(product)
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
        V::produce(self, &[a], state, |a, keys| {
            Ok(encode()?.borrow().apply(self.params().rlwe(), &a[0].rlwe, keys, level)?)
        })
    }

    /// Adjusts a ciphertext of any scale to a lower level and the canonical scale of that level.
    ///
    /// Drops to the level above, multiplies by an integer, and rescales. At its own level the scale must already be canonical
    /// to within the tolerance, and is made exactly so.
    ///
    /// Noise: [`Approximate::adjustment`].
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`], [`SchemeError::ScaleMismatch`], [`SchemeError::OutOfModulus`].
    pub fn adjust_to(&self, a: &V, level: Level) -> Result<V, SchemeError> {
        let parts = a.parts().unwrap_or(TWO_PARTS);
        let (state, factor) = S::adjustment(self.model(), self.state(a)?, parts, level)?;
        V::produce(self, &[a], state, |a, _| {
            let Some(factor) = factor else { return Ok(a[0].rlwe.clone()) };
            let mut scaled = a[0].rlwe.dropped_to(Level(level.0 + 1));
            super::sum::scale(&mut scaled, &factor);
            Ok(scaled.divide_to(self.params().rlwe(), level))
        })
    }

    /// Returns the complex conjugates of the slots. Noise and errors: as for [`Operations::rotate`].
    pub fn conjugate(&self, a: &V) -> Result<V, SchemeError> {
        self.swap_rows(a)
    }
}
