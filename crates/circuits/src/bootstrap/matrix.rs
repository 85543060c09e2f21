//! The matrices of bootstrapping, which are encoded when a ciphertext first needs them.

use std::sync::OnceLock;

use asanoha_lattice::{DiagonalSteps, Level};
use asanoha_scheme::{Bootstrappable, Coefficients, Operand, Operations, SchemeError, Transform};

use super::{
    BootstrapError,
    dft::{Complex, row_norm},
};
use crate::linear_transform::{LinearTransform, Method};

/// A matrix for ciphertexts of a level.
#[derive(Clone, Debug)]
pub(super) struct Matrix<S: Bootstrappable> {
    scheme: S,
    transform: LinearTransform<Complex>,
    level: Level,
    scale: f64,
    /// The largest norm of a row: the root of the sum of the squares of its entries.
    row_norm: f64,
    steps: DiagonalSteps,
    known: S::TransformState,
    encoded: OnceLock<Transform<S>>,
}

impl<S: Bootstrappable> Matrix<S> {
    /// Matrices for the levels from one on downwards, whose product changes the scale by a factor.
    pub(super) fn chain(
        scheme: &S,
        transforms: Vec<LinearTransform<Complex>>,
        highest: Level,
        factor: f64,
    ) -> Result<Vec<Self>, BootstrapError> {
        let each = factor.powf(1.0 / transforms.len() as f64);
        let matrix = |(step, transform): (usize, LinearTransform<Complex>)| {
            let level = Level(highest.0 - step);
            let scale = scheme.rlwe().q(level).modulus(level.0).value() as f64 * each;
            let steps = transform.plan(scheme, level, Method::BabyGiant)?.steps().clone();
            let known = scheme.known_transform(&steps, scale, |offset| diagonal::<S>(&transform, offset))?;
            let row_norm = row_norm(&transform);
            let (scheme, encoded) = (scheme.clone(), OnceLock::new());
            Ok(Self { scheme, transform, level, scale, row_norm, steps, known, encoded })
        };
        transforms.into_iter().enumerate().map(matrix).collect()
    }

    pub(super) fn level(&self) -> Level {
        self.level
    }

    pub(super) fn row_norm(&self) -> f64 {
        self.row_norm
    }

    /// The rotations that keys are needed for.
    pub(super) fn rotations(&self) -> Vec<i64> {
        self.steps.rotations()
    }

    /// Its operations on ciphertexts, at most: a product for each diagonal, and the rotations.
    pub(super) fn operations(&self) -> usize {
        self.transform.diagonals().len() + self.rotations().len()
    }

    /// Bytes of the diagonals in memory, once they're encoded.
    pub(super) fn bytes(&self) -> usize {
        self.encoded.get().map_or(0, Transform::bytes)
    }

    /// The encoded diagonals.
    pub(super) fn encoded(&self) -> Result<&Transform<S>, SchemeError> {
        if let Some(encoded) = self.encoded.get() {
            return Ok(encoded);
        }
        let diagonal = |offset| diagonal::<S>(&self.transform, offset);
        let encoded = self.scheme.encode_transform(&self.steps, self.level, self.scale, diagonal)?;
        Ok(self.encoded.get_or_init(|| encoded))
    }

    /// The product with a ciphertext of its level, rescaled.
    pub(super) fn apply<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        v: &V,
    ) -> Result<V, SchemeError> {
        let below = Level(self.level.0 - 1);
        let sum = || Ok(self.encoded()?.sum());
        operations.transform_rescaled(v, &self.steps, &self.known, below, sum)
    }

    /// The product with a ciphertext of its level, which is 1, raised.
    pub(super) fn raise<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        v: &V,
        coefficients: Coefficients,
    ) -> Result<V, SchemeError> {
        let sum = || Ok(self.encoded()?.sum());
        operations.raise(v, &self.steps, &self.known, coefficients, sum)
    }
}

fn diagonal<S: Bootstrappable>(transform: &LinearTransform<Complex>, offset: usize) -> Vec<S::Entry> {
    transform.diagonals()[&offset].iter().copied().map(Into::into).collect()
}
