//! Tables of numbers, and what is public about them.
//!
//! A [`Table`] holds columns read from a CSV file. A [`Schema`] holds what the planner may know: the number of rows, and
//! for each column its name, whether it is whole, and its range, never a value.

mod cell;
mod csv;
mod error;
mod schema;

use num_bigint::BigInt;

pub use crate::program::Range;
use crate::program::number;
pub use cell::Kind;
pub use error::{DataError, Problem};
pub(crate) use schema::outside;
pub use schema::{ColumnSchema, RangeOverride, Schema, parse_range_override};

/// The largest CSV file, in bytes.
pub const MAX_FILE_BYTES: u64 = 4 << 30;
/// The most columns of a CSV file.
pub const MAX_COLUMNS: usize = 1 << 16;
/// The most rows of a table.
pub const MAX_ROWS: usize = 1 << 28;

/// The most bits of a whole number.
pub const MAX_WHOLE_BITS: u64 = 2048;

/// Columns of equal length.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// The number of values in each column.
    pub rows: usize,
}

/// A column and its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The name.
    pub name: String,
    /// The values.
    pub values: ColumnValues,
}

/// The values of a column.
///
/// A column of a CSV file is whole when every cell is a whole number, whichever way it's written: `12`, `12.0`, `1.2e1` or,
/// in hexadecimal digits, `0xc`, of any size up to [`MAX_WHOLE_BITS`].
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnValues {
    /// Whole numbers, computed on exactly.
    Whole(Vec<i64>),
    /// Whole numbers of which some are beyond words, computed on exactly.
    Integers(Vec<BigInt>),
    /// Finite real numbers, computed on to a precision.
    Real(Vec<f64>),
}

impl Table {
    /// The column `name`.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

impl Column {
    /// Whether the values are whole numbers.
    pub fn is_whole(&self) -> bool {
        !matches!(self.values, ColumnValues::Real(_))
    }
}

impl ColumnValues {
    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Whole(values) => values.len(),
            Self::Integers(values) => values.len(),
            Self::Real(values) => values.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first row, from 1, that isn't a whole number, and its value.
    pub fn first_fraction(&self) -> Option<(usize, f64)> {
        let Self::Real(values) = self else { return None };
        let row = values.iter().position(|value| value.fract() != 0.0)?;
        Some((row + 1, values[row]))
    }

    /// The values as real numbers; whole numbers above 2^53 are rounded, and infinite beyond all doubles.
    pub fn to_real(&self) -> Vec<f64> {
        match self {
            Self::Whole(values) => values.iter().map(|&value| value as f64).collect(),
            Self::Integers(values) => values.iter().map(number::integer_to_f64).collect(),
            Self::Real(values) => values.clone(),
        }
    }
}
