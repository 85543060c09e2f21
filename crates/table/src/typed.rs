//! Columns of data frames, whose kinds are those of their types.

use std::collections::HashSet;

use crate::{
    column::Partial,
    error::{DataError, Problem},
    header::Columns,
    table::{ColumnValues, MAX_COLUMNS, MAX_ROWS},
    typed_column::TypedColumn,
};

/// Checks columns of equal length; `source` stands in messages.
pub(crate) fn read(columns: Vec<TypedColumn>, source: &str) -> Result<Columns, DataError> {
    let too_large =
        |limit: usize, what| DataError::TooLarge { file: source.to_owned(), limit: limit as u64, what };
    if columns.len() > MAX_COLUMNS {
        return Err(too_large(MAX_COLUMNS, "columns"));
    }
    let rows = columns.first().map_or(0, |column| column.values.len());
    assert!(columns.iter().all(|column| column.values.len() == rows));
    if rows == 0 {
        return Err(Problem::NoRows.at(source, 1, 1));
    }
    if rows > MAX_ROWS {
        return Err(too_large(MAX_ROWS, "rows"));
    }
    let mut seen = HashSet::new();
    for (place, column) in columns.iter().enumerate() {
        if !seen.insert(&column.name) {
            let first = columns.iter().position(|other| other.name == column.name).unwrap_or(0) + 1;
            let problem = Problem::DuplicateColumn { name: column.name.clone(), first };
            return Err(problem.at(source, 1, place + 1));
        }
        if let ColumnValues::Real(values) = &column.values
            && let Some(row) = values.iter().position(|value| !value.is_finite())
        {
            let (name, text) = (column.name.clone(), values[row].to_string());
            return Err(Problem::NotFinite { name, text }.at(source, row as u64 + 1, place + 1));
        }
    }
    Ok((columns.into_iter().map(Partial::of_type).enumerate().collect(), rows))
}
