//! Columns of text: categories, each a whole number.

use std::collections::HashMap;

use asanoha_numeric::text::is_steering;

use crate::{
    error::{Problem, shorten},
    table::ColumnValues,
};

/// The most different texts of a column.
pub const MAX_CATEGORIES: usize = 256;
/// The longest text, in bytes.
pub const MAX_CATEGORY_BYTES: usize = 256;

/// The reason why a text can't be a category of a column, if it can't.
///
/// ```
/// use asanoha_table::unfit_category;
///
/// assert_eq!(unfit_category("north"), None);
/// assert_eq!(unfit_category(&"x".repeat(300)).unwrap(), "has more than 256 bytes");
/// ```
pub fn unfit(text: &str) -> Option<String> {
    if text.is_empty() || text.trim() != text || text.chars().any(is_steering) {
        return Some("is empty, begins or ends with a space, or has control characters".to_owned());
    }
    (text.len() > MAX_CATEGORY_BYTES).then(|| format!("has more than {MAX_CATEGORY_BYTES} bytes"))
}

/// Refuses names that can't be the categories of a column.
#[cfg(feature = "arrow")]
pub(crate) fn check(column: &str, names: &[String]) -> Result<(), Problem> {
    let mut dictionary = Dictionary::new(&[]);
    names.iter().try_for_each(|name| dictionary.number(name, column).map(|_| ()))
}

/// The texts of a column and their numbers, in the order of their first cells or, where they're given before, in that order.
pub(crate) struct Dictionary {
    numbers: HashMap<String, i64>,
    is_given: bool,
}

impl Dictionary {
    /// The texts that are known before, or none.
    pub(crate) fn new(given: &[String]) -> Self {
        Self { numbers: given.iter().cloned().zip(0..).collect(), is_given: !given.is_empty() }
    }

    /// Returns true if the texts are known before.
    pub(crate) fn is_given(&self) -> bool {
        self.is_given
    }

    pub(crate) fn has(&self, text: &str) -> bool {
        self.numbers.contains_key(text)
    }

    /// The number of a text, which is a new one if none are given.
    pub(crate) fn number(&mut self, text: &str, column: &str) -> Result<i64, Problem> {
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
    pub(crate) fn sorted(self, mut values: Vec<i64>) -> ColumnValues {
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

#[cfg(test)]
mod tests {
    use super::unfit;

    #[test]
    fn a_category_has_any_letters_but_nothing_that_steers_a_terminal_or_its_direction() {
        for text in ["north", "\u{5d0}\u{5d1}", "\u{645}\u{6cc}\u{200c}\u{62e}", "a b"] {
            assert_eq!(unfit(text), None);
        }
        for mark in ['\u{202e}', '\u{2066}', '\u{200f}', '\u{61c}', '\u{2028}', '\u{1b}'] {
            assert!(
                unfit(&format!("a{mark}b")).is_some_and(|why| why.contains("control characters")),
                "{mark:?}"
            );
        }
    }
}
