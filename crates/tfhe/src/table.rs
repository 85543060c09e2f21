//! Tables: functions of one encrypted number.

use crate::{TfheError, TfheParams};

/// A function of one number as a polynomial: the coefficients around j·N/messages hold the value at j.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) params: TfheParams,
    pub(crate) polynomial: Vec<u64>,
    /// The largest value.
    pub(crate) largest: u64,
}

impl TfheParams {
    /// The table of a function on all numbers from 0 to [`TfheParams::messages`] − 1, whose values are among these.
    ///
    /// Each value takes N/messages coefficients. They're turned by half as many, so that a phase a little below j reads the
    /// value at j as well; what is turned past X^N = −1 is written with the other sign.
    pub fn table(&self, function: impl Fn(u64) -> u64) -> Result<Table, TfheError> {
        let values: Vec<u64> = (0..self.messages()).map(function).collect();
        let largest = values.iter().copied().max().unwrap_or(0);
        self.check_number(largest)?;
        let n = self.0.ring.ring_degree();
        let width = n / values.len();
        let polynomial = (0..n)
            .map(|i| {
                let value = values[(i + width / 2) / width % values.len()].wrapping_mul(self.unit());
                if i + width / 2 < n { value } else { value.wrapping_neg() }
            })
            .collect();
        Ok(Table { params: self.clone(), polynomial, largest })
    }
}
