//! Places in files of records.

use std::fmt;

/// Where a record stands in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The record, counted from 1.
    pub record: usize,
    /// Its line, counted from 1; none in BCF.
    pub line: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}"),
            None => write!(f, "record {}", self.record),
        }
    }
}
