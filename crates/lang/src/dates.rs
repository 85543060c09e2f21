//! What a program's text says of dates, which are whole numbers of days in all that is computed.

use crate::origin::Origin;

/// The dates of a program's text; programs of files and of builders have none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dates {
    /// The columns that must be of dates, or must not.
    pub(crate) required: Vec<Required>,
    /// Results that are dates if all of some columns are of dates.
    pub(crate) results: Vec<(String, Vec<String>)>,
}

/// A column that is compared.
#[derive(Debug, Clone)]
pub(crate) struct Required {
    pub(crate) column: String,
    /// True if it's compared with dates, and false with other numbers.
    pub(crate) is_date: bool,
    pub(crate) origin: Origin,
}

/// Programs are the same in which the same is computed.
impl PartialEq for Dates {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Dates {}
