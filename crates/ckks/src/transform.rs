//! Encoding of linear transforms.

use asanoha_lattice::{DiagonalSteps, DiagonalSum, Level, diagonal_slots};
use asanoha_ring::Basis;
use asanoha_scheme::{EncodeTransform, Scheme, SchemeError, Transform, not_above};

use crate::{CkksParams, Complex64, Encoder, Scaled, TransformState, encoder::largest, scheme::valid_scale};

impl Encoder {
    /// Encodes the diagonals of Σ_d diagonal_d ⊙ rot_d(v), for all offsets d that the steps make, at a scale of their
    /// own. A diagonal is repeated over the slots.
    ///
    /// The matrix is the evaluating side's: the bounds of what it's multiplied with tell everyone the largest sum of
    /// absolute values of a row.
    ///
    /// # Errors
    /// Those of [`Encoder::encode`]; [`SchemeError::TooManyValues`] too for a diagonal whose length doesn't divide N/2.
    pub fn encode_transform(
        &self,
        steps: &DiagonalSteps,
        level: Level,
        scale: f64,
        diagonal: impl Fn(usize) -> Vec<Complex64> + Sync,
    ) -> Result<Transform<CkksParams>, SchemeError> {
        not_above(level, self.params.rlwe().max_level())?;
        valid_scale(scale)?;
        let params = &self.params;
        let encode = |basis: &Basis, giant, baby| {
            let diagonal = diagonal(giant + baby);
            let (values, slots) = (diagonal.len(), params.slots());
            if values == 0 || !slots.is_multiple_of(values) {
                return Err(SchemeError::TooManyValues { values, slots });
            }
            let (_, bound) = largest(&diagonal)?;
            self.check_size(bound, level, scale)?;
            let values = diagonal_slots(&diagonal, giant, slots);
            Ok::<_, SchemeError>((self.polynomial(&values, basis, scale), diagonal))
        };
        let (sum, diagonals) = DiagonalSum::encode(params.rlwe(), steps, level, encode)?;
        Ok(Transform::new(params, sum, transform_state(params.slots(), scale, &diagonals)?))
    }
}

/// What is known of a transform of these diagonals.
pub(crate) fn transform_state(
    slots: usize,
    scale: f64,
    diagonals: &[Vec<Complex64>],
) -> Result<TransformState, SchemeError> {
    let (mut row_sums, mut bound) = (vec![0.0; slots], 0f64);
    for diagonal in diagonals {
        bound = bound.max(largest(diagonal)?.1);
        let entries = diagonal.iter().cycle();
        row_sums.iter_mut().zip(entries).for_each(|(sum, entry)| *sum += entry.abs());
    }
    let row_sum = row_sums.into_iter().fold(0.0, f64::max);
    Ok(TransformState { entries: Scaled { scale, bound }, row_sum })
}

/// The result has the product of the scales: the caller rescales it. Diagonals at the scale of the prime that this divides by
/// leave the ciphertext's scale as it was.
impl EncodeTransform for CkksParams {
    type Entry = Complex64;
    type EntryScale = f64;

    fn encode_transform(
        &self,
        steps: &DiagonalSteps,
        level: Level,
        scale: f64,
        diagonal: impl Fn(usize) -> Vec<Complex64> + Sync,
    ) -> Result<Transform<Self>, SchemeError> {
        Encoder::new(self).encode_transform(steps, level, scale, diagonal)
    }
}
