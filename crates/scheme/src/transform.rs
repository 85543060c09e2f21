//! Encoded linear transforms.

use asanoha_lattice::{DiagonalSteps, DiagonalSum, Level};

use crate::{Scheme, SchemeError};

/// The encoded diagonals of a linear transform, for ciphertexts of one level and those below.
#[derive(Clone, Debug)]
pub struct Transform<S: Scheme> {
    sum: DiagonalSum,
    state: S::TransformState,
    scheme: S,
}

impl<S: Scheme> Transform<S> {
    /// Creates a transform from encoded diagonals and their known state.
    pub fn new(scheme: &S, sum: DiagonalSum, state: S::TransformState) -> Self {
        Self { sum, state, scheme: scheme.clone() }
    }

    /// Returns the parameters.
    pub fn scheme(&self) -> &S {
        &self.scheme
    }

    /// Returns the rotations.
    pub fn steps(&self) -> &DiagonalSteps {
        self.sum.steps()
    }

    /// Returns the highest level of ciphertexts that the transform applies to.
    pub fn level(&self) -> Level {
        self.sum.level()
    }

    /// Returns the encoded diagonals.
    pub fn sum(&self) -> &DiagonalSum {
        &self.sum
    }

    /// Returns the state that noise prediction uses besides the steps.
    pub fn state(&self) -> &S::TransformState {
        &self.state
    }

    /// Returns the size of the diagonals in memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.sum.bytes()
    }
}

/// A scheme that encodes the diagonals of linear transforms.
pub trait EncodeTransform: Scheme {
    /// An entry of a matrix.
    type Entry;
    /// How entries are scaled: not at all where they're exact.
    type EntryScale;

    /// Encodes the diagonals at the offsets that the steps make, for ciphertexts of a level and those below.
    ///
    /// # Errors
    /// Entries that don't fit, or diagonals that don't repeat in a row.
    fn encode_transform(
        &self,
        steps: &DiagonalSteps,
        level: Level,
        scale: Self::EntryScale,
        diagonal: impl Fn(usize) -> Vec<Self::Entry> + Sync,
    ) -> Result<Transform<Self>, SchemeError>;
}
