//! Columns of text: categories, each a whole number.

use std::{borrow::Cow, collections::HashMap};

use super::{Column, ColumnValues, Problem, Schema, Table, column::shorten};

/// The most different texts of a column.
pub const MAX_CATEGORIES: usize = 256;
/// The longest text, in bytes.
const MAX_CATEGORY_BYTES: usize = 256;

/// Why a text can't be a category, if it can't.
pub(super) fn unfit(text: &str) -> Option<String> {
    if text.is_empty() || text.trim() != text || text.chars().any(char::is_control) {
        return Some("is empty, begins or ends with a space, or has control characters".to_owned());
    }
    (text.len() > MAX_CATEGORY_BYTES).then(|| format!("has more than {MAX_CATEGORY_BYTES} bytes"))
}

/// Refuses names that can't be the categories of a column.
#[cfg(feature = "arrow")]
pub(super) fn check(column: &str, names: &[String]) -> Result<(), Problem> {
    let mut dictionary = Dictionary::new(&[]);
    names.iter().try_for_each(|name| dictionary.number(name, column).map(|_| ()))
}

/// The texts of a column and their numbers, in the order of their first cells or, where they're given before, in that order.
pub(super) struct Dictionary {
    numbers: HashMap<String, i64>,
    is_given: bool,
}

impl Dictionary {
    /// The texts that are known before, or none.
    pub(super) fn new(given: &[String]) -> Self {
        Self { numbers: given.iter().cloned().zip(0..).collect(), is_given: !given.is_empty() }
    }

    pub(super) fn has(&self, text: &str) -> bool {
        self.numbers.contains_key(text)
    }

    /// The number of a text, which is a new one if none are given.
    pub(super) fn number(&mut self, text: &str, column: &str) -> Result<i64, Problem> {
        if let Some(&number) = self.numbers.get(text) {
            return Ok(number);
        }
        let name = column.to_owned();
        if self.is_given {
            return Err(Problem::UnknownCategory { name, text: shorten(text) });
        }
        if self.numbers.len() == MAX_CATEGORIES {
            return Err(Problem::TooManyCategories { name, limit: MAX_CATEGORIES });
        }
        if let Some(problem) = unfit(text) {
            return Err(Problem::UnfitCategory { name, text: shorten(text), problem });
        }
        let number = self.numbers.len() as i64;
        self.numbers.insert(text.to_owned(), number);
        Ok(number)
    }

    /// The column whose cells have these numbers; texts that aren't given are numbered anew, in their order.
    pub(super) fn sorted(self, mut values: Vec<i64>) -> ColumnValues {
        let mut names: Vec<(String, i64)> = self.numbers.into_iter().collect();
        if self.is_given {
            names.sort_by_key(|&(_, number)| number);
        } else {
            names.sort();
            let mut places = vec![0; names.len()];
            for (place, &(_, number)) in names.iter().enumerate() {
                places[number as usize] = place as i64;
            }
            values.iter_mut().for_each(|value| *value = places[*value as usize]);
        }
        ColumnValues::Categories { values, names: names.into_iter().map(|(name, _)| name).collect() }
    }
}

/// A column whose texts aren't what a schema says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// A column of text in the schema or the table only.
    #[error(
        "column `{column}` is {planned} in the plan, and {found} in the data: read the data with the plan's schema"
    )]
    OtherKind {
        /// The column.
        column: String,
        /// What it is in the plan.
        planned: &'static str,
        /// What it is in the data.
        found: &'static str,
    },
    /// A text that the schema doesn't list.
    #[error("row {row} of column `{column}` is {text:?}, which isn't among the texts that the plan lists")]
    Unlisted {
        /// The row, from 1.
        row: usize,
        /// The column.
        column: String,
        /// The text.
        text: String,
    },
}

impl Table {
    /// The same table with texts numbered as a schema lists them.
    pub(crate) fn numbered_as<'a>(&'a self, schema: &Schema) -> Result<Cow<'a, Self>, TextError> {
        let differs = |column: &Column| {
            schema.column(&column.name).is_some_and(|of| of.categories != column.values.categories())
        };
        if !self.columns.iter().any(differs) {
            return Ok(Cow::Borrowed(self));
        }
        let numbered = |column: &Column| {
            let Some(planned) = schema.column(&column.name).filter(|_| differs(column)) else {
                return Ok(column.clone());
            };
            let kind = |is_text: bool| if is_text { "text" } else { "no text" };
            let ColumnValues::Categories { values, names } = &column.values else {
                let (column, planned, found) = (column.name.clone(), kind(true), kind(false));
                return Err(TextError::OtherKind { column, planned, found });
            };
            if planned.categories.is_empty() {
                let (column, planned, found) = (column.name.clone(), kind(false), kind(true));
                return Err(TextError::OtherKind { column, planned, found });
            }
            let number = |(row, &value): (usize, &i64)| {
                let name = usize::try_from(value).ok().and_then(|place| names.get(place));
                let place = planned.categories.iter().position(|listed| Some(listed) == name);
                place.map(|place| place as i64).ok_or_else(|| TextError::Unlisted {
                    row: row + 1,
                    column: column.name.clone(),
                    text: name.map_or_else(|| format!("text number {value}"), |text| shorten(text)),
                })
            };
            let values = values.iter().enumerate().map(number).collect::<Result<_, _>>()?;
            let values = ColumnValues::Categories { values, names: planned.categories.clone() };
            Ok(Column { name: column.name.clone(), values })
        };
        let columns = self.columns.iter().map(numbered).collect::<Result<_, _>>()?;
        Ok(Cow::Owned(Self { columns, rows: self.rows }))
    }
}
