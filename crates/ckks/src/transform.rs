//! Encoded diagonals of linear transforms.

use asanoha_lattice::{DiagonalSteps, DiagonalSum, Level, diagonal_slots};
use asanoha_ring::Basis;

use crate::{
    CkksError, CkksParams, Complex64, Encoder, PlainState, ciphertext::same_params, encoder::largest,
    noise::valid_scale,
};

/// What noise prediction knows of a linear transform besides its steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransformState {
    /// The scale and the largest absolute value of an entry.
    pub entries: PlainState,
    /// The largest sum of absolute values of the entries that one slot of the result takes.
    pub row_sum: f64,
}

/// The diagonals of a linear transform, for ciphertexts of one level and those below.
#[derive(Clone, Debug)]
pub struct CkksTransform {
    pub(crate) sum: DiagonalSum,
    state: TransformState,
    params: CkksParams,
}

impl CkksTransform {
    /// The rotations.
    pub fn steps(&self) -> &DiagonalSteps {
        self.sum.steps()
    }

    /// The highest level of ciphertexts that it serves.
    pub fn level(&self) -> Level {
        self.sum.level()
    }

    /// What noise prediction knows of it besides its steps.
    pub fn state(&self) -> TransformState {
        self.state
    }

    /// Refuses a transform of other parameters.
    pub(crate) fn of(&self, params: &CkksParams) -> Result<(), CkksError> {
        same_params(params, &self.params)
    }

    /// Bytes of the diagonals in memory.
    pub fn bytes(&self) -> usize {
        self.sum.bytes()
    }
}

impl Encoder {
    /// Encodes the diagonals of Σ_d diagonal_d ⊙ rot_d(v), for all offsets d that the steps make, at a scale of their
    /// own. A diagonal is repeated over the slots.
    ///
    /// The matrix is the evaluating side's: the bounds of what it's multiplied with tell everyone the largest sum of
    /// absolute values of a row.
    ///
    /// # Errors
    /// Those of [`Encoder::encode`]; [`CkksError::TooManyValues`] too for a diagonal whose length doesn't divide N/2.
    pub fn encode_transform(
        &self,
        steps: &DiagonalSteps,
        level: Level,
        scale: f64,
        diagonal: impl Fn(usize) -> Vec<Complex64> + Sync,
    ) -> Result<CkksTransform, CkksError> {
        self.check_level(level)?;
        valid_scale(scale)?;
        let params = &self.params;
        let encode = |basis: &Basis, giant, baby| {
            let diagonal = diagonal(giant + baby);
            let (values, slots) = (diagonal.len(), params.slots());
            if values == 0 || !slots.is_multiple_of(values) {
                return Err(CkksError::TooManyValues { values, slots });
            }
            let (_, bound) = largest(&diagonal)?;
            self.check_size(bound, level, scale)?;
            let values = diagonal_slots(&diagonal, giant, slots);
            Ok::<_, CkksError>((self.polynomial(&values, basis, scale), (bound, diagonal)))
        };
        let (sum, known) = DiagonalSum::encode(params.rlwe(), steps, level, encode)?;
        let mut row_sums = vec![0.0; params.slots()];
        for (_, diagonal) in &known {
            let entries = diagonal.iter().cycle();
            row_sums.iter_mut().zip(entries).for_each(|(sum, entry)| *sum += entry.abs());
        }
        let bound = known.iter().map(|(bound, _)| *bound).fold(0.0, f64::max);
        let row_sum = row_sums.into_iter().fold(0.0, f64::max);
        let state = TransformState { entries: PlainState { scale, bound }, row_sum };
        Ok(CkksTransform { sum, state, params: params.clone() })
    }
}
