//! Linear transforms.

use asanoha_lattice::{DiagonalSteps, DiagonalSum, Level};

use crate::{Ciphertext, Evaluator, Model, Scheme, SchemeError, State, same_parameters, state::not_above};

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

    /// What noise prediction knows of it besides its steps.
    pub fn state(&self) -> &S::TransformState {
        &self.state
    }

    /// Bytes of the diagonals in memory.
    pub fn bytes(&self) -> usize {
        self.sum.bytes()
    }
}

impl<S: Scheme> Model<S> {
    /// A linear transform by diagonals, not rescaled: what a diagonal is multiplied by has its image's noise, and the sum its
    /// key switches'.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`].
    pub fn transform(
        &self,
        a: &State<S>,
        steps: &DiagonalSteps,
        transform: &S::TransformState,
    ) -> Result<State<S>, SchemeError> {
        let growth = steps.noise_growth(self.scheme().rlwe(), self.lattice(), a.level);
        self.check(self.scheme().transformed(a, steps, transform, growth))
    }
}

impl<S: Scheme> Evaluator<S> {
    /// Σ_d diagonal_d ⊙ rot_d(a) for the transform's diagonals. In CKKS the scale is the product of the two; rescale
    /// afterwards.
    ///
    /// Noise: [`Model::transform`].
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`] if the transform was encoded at a lower level, [`SchemeError::MissingKey`],
    /// [`SchemeError::NotRelinearised`], [`SchemeError::OutOfModulus`].
    pub fn transform(
        &self,
        a: &Ciphertext<S>,
        transform: &Transform<S>,
    ) -> Result<Ciphertext<S>, SchemeError> {
        let state = self.two_parts(a)?;
        same_parameters(self.params(), &transform.scheme)?;
        not_above(a.level(), transform.level())?;
        let state = self.model.transform(state, transform.steps(), transform.state())?;
        let rlwe = self.params().rlwe().diagonal_sum(&a.rlwe, &transform.sum, self.keys())?;
        Ok(self.with_state(rlwe, state))
    }
}
