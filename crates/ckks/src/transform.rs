//! What is known of linear transforms.

use asanoha_scheme::SchemeError;

use crate::{Complex64, Scaled, complex::largest};

/// What noise prediction knows of a linear transform besides its steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransformState {
    /// The scale and the largest absolute value of an entry.
    pub entries: Scaled,
    /// The largest sum of absolute values of the entries that one slot of the result takes.
    pub row_sum: f64,
}

impl TransformState {
    /// That of a transform with these diagonals.
    pub(crate) fn of_diagonals(
        slots: usize,
        scale: f64,
        diagonals: &[Vec<Complex64>],
    ) -> Result<Self, SchemeError> {
        let (mut row_sums, mut bound) = (vec![0.0; slots], 0f64);
        for diagonal in diagonals {
            bound = bound.max(largest(diagonal)?.1);
            let entries = diagonal.iter().cycle();
            row_sums.iter_mut().zip(entries).for_each(|(sum, entry)| *sum += entry.abs());
        }
        let row_sum = row_sums.into_iter().fold(0.0, f64::max);
        Ok(Self { entries: Scaled { scale, bound }, row_sum })
    }
}
