//! The names of columns, and which of them are read.

use std::{borrow::Cow, collections::HashMap};

use crate::{
    column::Partial,
    error::{DataError, Problem, shorten},
    reading::Reading,
    table::MAX_COLUMNS,
};

/// The names of columns, which are all different, with `line` in messages.
pub(crate) fn names<'a>(
    cells: impl ExactSizeIterator<Item = Cow<'a, str>>,
    file: &str,
    line: u64,
) -> Result<Vec<String>, DataError> {
    if cells.len() > MAX_COLUMNS {
        return Err(DataError::TooLarge {
            file: file.to_owned(),
            limit: MAX_COLUMNS as u64,
            what: "columns",
        });
    }
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut names = Vec::with_capacity(cells.len());
    for (index, name) in cells.enumerate() {
        let name = name.trim_start_matches('\u{feff}').trim().to_owned();
        if let Some(first) = seen.insert(name.clone(), index + 1) {
            let problem = Problem::DuplicateColumn { name: shorten(&name), first };
            return Err(problem.at(file, line, index + 1));
        }
        names.push(name);
    }
    Ok(names)
}

/// Columns that were read with their places in the file, from 0, and the number of rows.
pub(crate) type Columns = (Vec<(usize, Partial)>, usize);

/// The columns that are wanted, without values, and their places in the file, from 0.
pub(crate) fn columns(
    header: &[String],
    wanted: &[impl AsRef<str>],
    reading: &Reading,
    file: &str,
) -> Result<Vec<(usize, Partial)>, DataError> {
    let places: HashMap<&str, usize> =
        header.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect();
    let column = |name: &str| {
        let place = places.get(name).copied().ok_or_else(|| {
            let present = header.iter().map(|name| shorten(name)).collect();
            DataError::UnknownColumn { file: file.to_owned(), name: name.to_owned(), present }
        })?;
        Ok((place, Partial::new(name, reading)))
    };
    wanted.iter().map(|name| column(name.as_ref())).collect()
}
