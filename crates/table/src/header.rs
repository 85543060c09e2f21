//! The names of columns, and which of them are read.

use std::{borrow::Cow, collections::HashMap};

use crate::{
    column::Partial,
    error::{DataError, Problem, shorten},
    reading::Reading,
    table::MAX_COLUMNS,
};

/// The names of columns.
pub(crate) fn names<'a>(
    cells: impl ExactSizeIterator<Item = Cow<'a, str>>,
    file: &str,
) -> Result<Vec<String>, DataError> {
    if cells.len() > MAX_COLUMNS {
        return Err(DataError::TooLarge {
            file: file.to_owned(),
            limit: MAX_COLUMNS as u64,
            what: "columns",
        });
    }
    Ok(cells.map(|name| name.trim_start_matches('\u{feff}').trim().to_owned()).collect())
}

/// Columns that were read with their places in the file, from 0, and the number of rows.
pub(crate) type Columns = (Vec<(usize, Partial)>, usize);

/// The columns that are wanted, without values, and their places in the file, from 0. Their names stand in `line`, each once; other
/// columns may be called anything.
pub(crate) fn columns(
    header: &[String],
    wanted: &[impl AsRef<str>],
    reading: &Reading,
    (file, line): (&str, u64),
) -> Result<Vec<(usize, Partial)>, DataError> {
    let places = Places::of(header, (file, line));
    wanted
        .iter()
        .map(|name| Ok((places.of_name(name.as_ref())?, Partial::new(name.as_ref(), reading))))
        .collect()
}

/// The places of columns by their names, in the line of a file that has these.
pub(crate) struct Places<'a> {
    header: &'a [String],
    by_name: HashMap<&'a str, Vec<usize>>,
    at: (&'a str, u64),
}

impl<'a> Places<'a> {
    pub(crate) fn of(header: &'a [String], at: (&'a str, u64)) -> Self {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        header.iter().enumerate().for_each(|(index, name)| by_name.entry(name).or_default().push(index));
        Self { header, by_name, at }
    }

    /// The place of a column, from 0.
    ///
    /// # Errors
    /// A name that no column has, or several have.
    pub(crate) fn of_name(&self, name: &str) -> Result<usize, DataError> {
        let (file, line) = self.at;
        match self.by_name.get(name).map(Vec::as_slice) {
            None | Some([]) => {
                let present = self.header.iter().map(|name| shorten(name)).collect();
                Err(DataError::UnknownColumn { file: file.to_owned(), name: name.to_owned(), present })
            }
            Some(&[place]) => Ok(place),
            Some([first, second, ..]) => {
                let problem = Problem::DuplicateColumn { name: shorten(name), first: first + 1 };
                Err(problem.at(file, line, second + 1))
            }
        }
    }
}
