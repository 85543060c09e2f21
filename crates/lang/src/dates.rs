//! Dates in a program's text. All that is computed has whole numbers of days in their place.

use crate::origin::Origin;

/// The dates of a program's text; programs of files and of builders have none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dates {
    /// The columns that stand beside dates, numbers or other columns.
    pub(crate) required: Vec<Required>,
    /// Results that are dates if all of some columns are of dates.
    pub(crate) results: Vec<(String, Vec<String>)>,
}

/// A column that is compared.
#[derive(Debug, Clone)]
pub(crate) struct Required {
    pub(crate) column: String,
    pub(crate) of: Beside,
    pub(crate) origin: Origin,
}

/// The operands beside a column, of whose kind it must be.
#[derive(Debug, Clone)]
pub(crate) enum Beside {
    Dates,
    Numbers,
    Column(String),
}

/// Programs are the same in which the same is computed.
impl PartialEq for Dates {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Dates {}
