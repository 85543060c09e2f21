//! Sums of many integers.

use super::{EncryptedInteger, IntegerType, Integers, check_width, integer};
use crate::TfheError;

impl Integers<'_> {
    /// Sums integers of any types, modulo 4^blocks of the result's type. The sum is exact if the result's type is wide enough.
    ///
    /// # Errors
    /// If there are none, there's no such type, or the keys differ.
    pub fn sum(
        &self,
        summands: &[&EncryptedInteger],
        integer_type: IntegerType,
    ) -> Result<EncryptedInteger, TfheError> {
        if summands.is_empty() {
            return Err(TfheError::NoSummands);
        }
        let mut columns = vec![Vec::new(); check_width(integer_type)?.blocks];
        for summand in summands {
            for (column, digit) in columns.iter_mut().zip(self.extended(summand, integer_type.blocks)?) {
                column.push(digit);
            }
        }
        integer(self.add_columns(&columns)?, integer_type)
    }
}
