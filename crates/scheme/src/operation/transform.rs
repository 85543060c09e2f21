//! Linear transforms.

use std::borrow::Borrow;

use asanoha_lattice::{DiagonalSteps, DiagonalSum, Level};

use crate::{Operand, Operations, Scheme, SchemeError, State, same_parameters, state::not_above};

/// The encoded diagonals of a linear transform, for ciphertexts of one level and those below.
#[derive(Clone, Debug)]
pub struct Transform<S: Scheme> {
    sum: DiagonalSum,
    state: S::TransformState,
    scheme: S,
}

impl<S: Scheme> Transform<S> {
    /// Of encoded diagonals and what is known of them.
    pub fn new(scheme: &S, sum: DiagonalSum, state: S::TransformState) -> Self {
        Self { sum, state, scheme: scheme.clone() }
    }

    /// The rotations.
    pub fn steps(&self) -> &DiagonalSteps {
        self.sum.steps()
    }

    /// The highest level of ciphertexts that it serves.
    pub fn level(&self) -> Level {
        self.sum.level()
    }

    /// The encoded diagonals.
    pub fn sum(&self) -> &DiagonalSum {
        &self.sum
    }

    /// What noise prediction knows of it besides its steps.
    pub fn state(&self) -> &S::TransformState {
        &self.state
    }

    /// Bytes of the diagonals in memory.
    pub fn bytes(&self) -> usize {
        self.sum.bytes()
    }
}

impl<S: Scheme, V: Operand<S>> Operations<S, V> {
    /// Σ_d diagonal_d ⊙ rot_d(a) for the transform's diagonals. In CKKS the scale is the product of the two; rescale
    /// afterwards.
    ///
    /// Noise: what a diagonal is multiplied by has its image's noise, and the sum its key switches'.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`] if the transform was encoded at a lower level, [`SchemeError::MissingKey`],
    /// [`SchemeError::NotRelinearised`], [`SchemeError::OutOfModulus`].
    pub fn transform(&self, a: &V, transform: &Transform<S>) -> Result<V, SchemeError> {
        let before = self.two_parts(a)?;
        same_parameters(self.params(), &transform.scheme)?;
        not_above(before.level, transform.level())?;
        self.transform_known(a, transform.steps(), transform.state(), || Ok(&transform.sum))
    }

    /// What is known of a product with a transform, whether it decrypts or not.
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

    /// As [`Operations::transform`], with the noise bound that all transforms of these steps have of which this much is known;
    /// the diagonals are encoded only for ciphertexts. Errors: those of [`Operations::transform`] and of the encoding.
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
        V::produce(self, &[a], state, |a, keys| {
            Ok(self.params().rlwe().diagonal_sum(&a[0].rlwe, encode()?.borrow(), keys, a[0].level())?)
        })
    }
}
