//! Kinds of columns that are known before their cells.

use crate::{reading::Reading, table::ColumnValues};

/// The kind that a column has to be of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Any: the cells tell.
    Any,
    /// No text.
    Numbers,
    /// Neither text nor decimals: real numbers, or whole ones.
    NoDecimals,
    /// Decimals of a number of places.
    Decimal(u32),
    /// Text.
    Text,
}

impl Wish {
    /// The kind of a column by its schema and by the hints on reading it, and its values before the first cell.
    pub(crate) fn of_column(name: &str, reading: &Reading) -> (Self, ColumnValues) {
        let whole = ColumnValues::Whole(Vec::new());
        match reading.schema.and_then(|schema| schema.column(name)) {
            _ if reading.real.iter().any(|real| real == name) => {
                (Self::Numbers, ColumnValues::Real(Vec::new()))
            }
            Some(column) if column.places > 0 => {
                let places = column.places;
                (Self::Decimal(places), ColumnValues::Decimal { values: Vec::new(), places })
            }
            Some(column) if !column.categories.is_empty() => (Self::Text, whole),
            Some(column) if !column.whole => (Self::NoDecimals, whole),
            Some(_) => (Self::Numbers, whole),
            None if reading.text.iter().any(|text| text == name) => (Self::Text, whole),
            None => (Self::Any, whole),
        }
    }
}
