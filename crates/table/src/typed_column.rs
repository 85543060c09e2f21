//! Columns of data frames.

use crate::table::ColumnValues;

/// A column of a data frame. Its kind is that of its type, whatever its values are.
#[derive(Debug, Clone, PartialEq)]
pub struct TypedColumn {
    /// The name.
    pub name: String,
    /// The values, with 0 or any text where they are missing. Categories keep the order of their names, and names without values.
    pub values: ColumnValues,
    /// The rows, from 0, without a value, in ascending order.
    pub missing: Vec<usize>,
}
