//! Columns that are encrypted.

use std::borrow::Cow;

use asanoha_lang::Range;
use asanoha_table::ColumnValues;

/// A column, or a view of one, that is encrypted.
#[derive(Clone, Debug)]
pub struct InputColumn<'a> {
    /// The column's name.
    pub name: &'a str,
    /// What is encrypted.
    pub values: Cow<'a, ColumnValues>,
    /// The range of the values, for approximate schemes.
    pub range: Cow<'a, Range>,
}
