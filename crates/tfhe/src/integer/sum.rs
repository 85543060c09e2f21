//! Sums of many integers.

use super::{EncryptedInteger, IntegerType, add, check_width, columns, integer, layer::Layers};
use crate::TfheError;

/// [`super::Integers::sum`].
pub(super) fn sum(
    layers: &Layers<'_>,
    summands: &[&EncryptedInteger],
    integer_type: IntegerType,
) -> Result<EncryptedInteger, TfheError> {
    if summands.is_empty() {
        return Err(TfheError::NoSummands);
    }
    let mut columns = vec![Vec::new(); check_width(integer_type)?.blocks];
    for summand in summands {
        for (column, digit) in columns.iter_mut().zip(add::extended(layers, summand, integer_type.blocks)?) {
            column.push(digit);
        }
    }
    integer(columns::add_columns(layers, &columns)?, integer_type)
}
