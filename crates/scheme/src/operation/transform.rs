//! Products with linear transforms.

use std::borrow::Borrow;

use asanoha_lattice::{DiagonalSteps, DiagonalSum};

use crate::{Operand, Operations, Scheme, SchemeError, State, Transform, not_above, same_parameters};

impl<S: Scheme, V: Operand<S>> Operations<S, V> {
    /// Applies a linear transform: Σ_d diagonal_d ⊙ rot_d(a) over its diagonals. In CKKS the scale is the product of the two
    /// scales; rescale afterwards.
    ///
    /// Noise: each diagonal multiplies the noise of its rotated image; the sum adds that of its key switches.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`] if the transform was encoded at a lower level, [`SchemeError::MissingKey`],
    /// [`SchemeError::NotRelinearised`], [`SchemeError::OutOfModulus`].
    pub fn transform(&self, a: &V, transform: &Transform<S>) -> Result<V, SchemeError> {
        let before = self.two_parts(a)?;
        same_parameters(self.params(), transform.scheme())?;
        not_above(before.level, transform.level())?;
        self.transform_known(a, transform.steps(), transform.state(), || Ok(transform.sum()))
    }

    /// Returns the state of a product with a transform, without checking that it decrypts.
    pub(super) fn transformed(
        &self,
        a: &V,
        steps: &DiagonalSteps,
        known: &S::TransformState,
    ) -> Result<State<S>, SchemeError> {
        let (before, scheme) = (self.two_parts(a)?, self.params());
        let growth = steps.noise_growth(scheme.rlwe(), self.model().lattice(), before.level);
        Ok(scheme.transformed(before, steps, known, growth))
    }

    /// Applies a linear transform with the noise bound of its known state; the diagonals are encoded only for ciphertexts.
    /// Errors: those of [`Operations::transform`] and of the encoding.
    ///
    /// # Panics
    /// If the diagonals are of a lower level than the ciphertext.
    pub fn transform_known<D: Borrow<DiagonalSum>>(
        &self,
        a: &V,
        steps: &DiagonalSteps,
        known: &S::TransformState,
        encode: impl FnOnce() -> Result<D, SchemeError>,
    ) -> Result<V, SchemeError> {
        let state = self.model().check(self.transformed(a, steps, known)?)?;
        V::produce(&self.means, &[a], state, |a, keys| {
            Ok(encode()?.borrow().apply(self.params().rlwe(), &a[0].rlwe, keys, a[0].level())?)
        })
    }
}
