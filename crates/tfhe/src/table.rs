//! Tables: functions of one encrypted number.

use crate::{TfheError, TfheParams};

/// One function of a number, or several, as a polynomial: the coefficients around j·N/messages hold the values at j.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) params: TfheParams,
    pub(crate) polynomial: Vec<u64>,
    /// Each function's largest value.
    pub(crate) largest: Vec<u64>,
}

impl TfheParams {
    /// The table of a function on all numbers from 0 to [`TfheParams::messages`] − 1, whose values are among these.
    ///
    /// Each value takes N/messages coefficients. They're turned by half as many, so that a phase a little below j reads the
    /// value at j as well; what is turned past X^N = −1 is written with the other sign.
    pub fn table(&self, function: impl Fn(u64) -> u64) -> Result<Table, TfheError> {
        self.tables(&[&function])
    }

    /// The table of up to 2^t functions of numbers below messages/2^t: one bootstrapping gives all their values.
    ///
    /// The number is multiplied by 2^t, which takes the place of the bits that it leaves unused. Its phase is rounded to
    /// a multiple of 2^t, so that the next 2^t coefficients are the values of as many functions. Noise and roundings are
    /// 2^t times as large then, as is the distance between numbers: a value is wrong no more often than one of
    /// [`TfheParams::table`].
    ///
    /// # Errors
    /// If there's no function, there are more than messages, or a value isn't below messages.
    ///
    /// Source: Chillotti, Ligier, Orfila, Tap, "Improved programmable bootstrapping with larger precision and efficient
    /// arithmetic circuits for TFHE" (ASIACRYPT 2021), PBSmanyLUT.
    pub fn tables(&self, functions: &[&dyn Fn(u64) -> u64]) -> Result<Table, TfheError> {
        let outputs = functions.len().next_power_of_two();
        if functions.is_empty() || outputs as u64 > self.messages() {
            return Err(TfheError::Functions { found: functions.len(), most: self.messages() });
        }
        let count = self.messages() as usize / outputs;
        let values: Vec<Vec<u64>> =
            functions.iter().map(|function| (0..count as u64).map(function).collect()).collect();
        let largest: Vec<u64> =
            values.iter().map(|values| values.iter().copied().max().unwrap_or(0)).collect();
        largest.iter().try_for_each(|&largest| self.check_number(largest))?;
        let n = self.0.ring.ring_degree();
        let width = n / count;
        let polynomial = (0..n)
            .map(|i| {
                // Of a block of `outputs` coefficients, all belong to one number.
                let turned = i / outputs * outputs + width / 2;
                let value = values.get(i % outputs).map_or(0, |values| values[turned / width % count]);
                let value = value.wrapping_mul(self.unit());
                if turned < n { value } else { value.wrapping_neg() }
            })
            .collect();
        Ok(Table { params: self.clone(), polynomial, largest })
    }
}

impl Table {
    /// The number of functions.
    pub fn outputs(&self) -> usize {
        self.largest.len()
    }

    /// log2 of the room for functions.
    pub(crate) fn log2_outputs(&self) -> u32 {
        self.largest.len().next_power_of_two().ilog2()
    }

    /// The values at a number that is known.
    pub(crate) fn values(&self, number: u64) -> impl Iterator<Item = u64> {
        let count = self.params.messages() >> self.log2_outputs();
        let start = self.polynomial.len() / count as usize * number as usize;
        (start..start + self.largest.len()).map(|i| self.polynomial[i] / self.params.unit())
    }
}
