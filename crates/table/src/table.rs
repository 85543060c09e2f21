//! Columns of numbers and text.

use std::borrow::Cow;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

use asanoha_numeric::number;

/// The most columns of a file of data.
pub const MAX_COLUMNS: usize = 1 << 16;
/// The most rows of a table, whatever the [`crate::Limits`].
pub const MAX_ROWS: usize = 1 << 28;

/// The most bits of a whole number.
pub const MAX_WHOLE_BITS: u64 = 2048;

/// The most places after the point of exact decimals.
pub const MAX_PLACES: u32 = 9;

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
/// in hexadecimal digits, `0xc`, of any size up to [`MAX_WHOLE_BITS`]. It's one of decimals when every cell is a number without an
/// exponent and with at most [`MAX_PLACES`] places after the point, of digits up to [`MAX_WHOLE_BITS`]; the column has as many places
/// as are written in any cell: `12.50` has two.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnValues {
    /// Whole numbers, computed on exactly.
    Whole(Vec<i64>),
    /// Whole numbers of which some are beyond words, computed on exactly.
    Integers(Vec<BigInt>),
    /// Decimals: `values`·10^−`places`, exactly.
    Decimal {
        /// The digits as whole numbers.
        values: Vec<i64>,
        /// The places after the point, from 1 to [`MAX_PLACES`].
        places: u32,
    },
    /// Decimals as before, of which some have digits beyond words.
    WideDecimal {
        /// The digits as whole numbers.
        values: Vec<BigInt>,
        /// The places after the point, from 1 to [`MAX_PLACES`].
        places: u32,
    },
    /// Text: the whole numbers that stand for it.
    Categories {
        /// The places of the texts among the names, from 0.
        values: Vec<i64>,
        /// The different texts, up to [`crate::MAX_CATEGORIES`]: in their order, or as a schema lists them. They are public.
        names: Vec<String>,
    },
    /// Finite real numbers, computed on to a precision.
    Real(Vec<f64>),
}

impl Table {
    /// The column `name`.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The given rows, from 0, in the given order; a row may be given several times.
    pub fn select(&self, rows: &[usize]) -> Self {
        let select =
            |Column { name, values }: &Column| Column { name: name.clone(), values: values.select(rows) };
        Self { columns: self.columns.iter().map(select).collect(), rows: rows.len() }
    }
}

impl Column {
    /// Whether the values are whole numbers.
    pub fn is_whole(&self) -> bool {
        !matches!(
            self.values,
            ColumnValues::Decimal { .. } | ColumnValues::WideDecimal { .. } | ColumnValues::Real(_)
        )
    }
}

impl ColumnValues {
    /// The values of the given rows, from 0, in the given order; a row may be given several times.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        fn select<T: Clone>(values: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|&row| values[row].clone()).collect()
        }
        match self {
            Self::Whole(values) => Self::Whole(select(values, rows)),
            Self::Integers(values) => Self::Integers(select(values, rows)),
            Self::Decimal { values, places } => {
                Self::Decimal { values: select(values, rows), places: *places }
            }
            Self::WideDecimal { values, places } => {
                Self::WideDecimal { values: select(values, rows), places: *places }
            }
            Self::Categories { values, names } => {
                Self::Categories { values: select(values, rows), names: names.clone() }
            }
            Self::Real(values) => Self::Real(select(values, rows)),
        }
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Whole(values) | Self::Decimal { values, .. } | Self::Categories { values, .. } => {
                values.len()
            }
            Self::Integers(values) | Self::WideDecimal { values, .. } => values.len(),
            Self::Real(values) => values.len(),
        }
    }

    /// The places after the point, of decimals; 0 for whole and for real numbers.
    pub fn places(&self) -> u32 {
        match self {
            Self::Decimal { places, .. } | Self::WideDecimal { places, .. } => *places,
            _ => 0,
        }
    }

    /// The texts that the numbers stand for; none of other columns than text.
    pub fn categories(&self) -> &[String] {
        if let Self::Categories { names, .. } = self { names } else { &[] }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first row, from 1, that isn't a whole number, and its value.
    pub fn first_fraction(&self) -> Option<(usize, f64)> {
        let row = match self {
            Self::Whole(_) | Self::Integers(_) | Self::Categories { .. } => None,
            Self::Decimal { values, places } => {
                values.iter().position(|value| value % 10i64.pow(*places) != 0)
            }
            Self::WideDecimal { values, places } => {
                let power = BigInt::from(10).pow(*places);
                values.iter().position(|value| !(value % &power).is_zero())
            }
            Self::Real(values) => values.iter().position(|value| value.fract() != 0.0),
        }?;
        Some((row + 1, self.real(row)))
    }

    /// The values times 10^`places`, where those are whole numbers: the digits that exact schemes compute with.
    pub fn digits(&self, places: u32) -> Option<Cow<'_, Self>> {
        let more = places.checked_sub(self.places())?;
        let values = match self {
            Self::Whole(_) | Self::Integers(_) | Self::Categories { .. } if more == 0 => {
                return Some(Cow::Borrowed(self));
            }
            Self::Decimal { values, .. } | Self::Whole(values) => values,
            Self::WideDecimal { values, .. } | Self::Integers(values) => {
                let power = BigInt::from(10).pow(more);
                return Some(Cow::Owned(Self::Integers(values.iter().map(|value| value * &power).collect())));
            }
            Self::Real(_) | Self::Categories { .. } => return None,
        };
        let power = 10i64.pow(more);
        let words: Option<Vec<i64>> = values.iter().map(|value| value.checked_mul(power)).collect();
        Some(Cow::Owned(words.map_or_else(
            || Self::Integers(values.iter().map(|&value| BigInt::from(value) * power).collect()),
            Self::Whole,
        )))
    }

    /// The value of a row, from 0, as the nearest real number.
    fn real(&self, row: usize) -> f64 {
        match self {
            Self::Whole(values) | Self::Categories { values, .. } => values[row] as f64,
            Self::Integers(values) => number::integer_to_f64(&values[row]),
            Self::Decimal { values, places } => decimal_to_f64(values[row], *places),
            Self::WideDecimal { values, places } => {
                number::to_f64(&BigRational::new(values[row].clone(), BigInt::from(10).pow(*places)))
            }
            Self::Real(values) => values[row],
        }
    }

    /// The values as the nearest real numbers; whole numbers beyond all doubles are infinite.
    pub fn to_real(&self) -> Vec<f64> {
        (0..self.len()).map(|row| self.real(row)).collect()
    }
}

/// The double that is nearest to `digits`·10^−`places`.
fn decimal_to_f64(digits: i64, places: u32) -> f64 {
    const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;
    if digits.unsigned_abs() <= EXACT {
        return digits as f64 / 10f64.powi(places as i32);
    }
    format!("{digits}e-{places}").parse().expect("a number")
}
