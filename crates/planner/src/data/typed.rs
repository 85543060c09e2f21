//! Columns whose kinds are known before their values, such as those of a data frame.

use std::collections::HashSet;

use super::{ColumnValues, Data, DataError, MAX_COLUMNS, MAX_ROWS, Missing, Problem, column::Partial};

/// A column of a data frame. Its kind is that of its type, whatever its values are.
#[derive(Debug, Clone, PartialEq)]
pub struct TypedColumn {
    /// The name.
    pub name: String,
    /// The values, with 0 or any text where they are missing. Categories keep the order of their names, and names without values.
    pub values: ColumnValues,
    /// The rows, from 0, without a value, in ascending order.
    pub missing: Vec<usize>,
}

impl Data {
    /// The data of some columns of equal length; `source` stands in messages, where a line is a row, from 1.
    ///
    /// ```
    /// use asanoha_planner::data::{ColumnValues, Data, Missing, TypedColumn};
    ///
    /// let values = ColumnValues::Real(vec![2.0, 0.0]);
    /// let column = TypedColumn { name: "bmi".to_owned(), values, missing: vec![1] };
    /// let data = Data::from_columns(vec![column], Missing::Mask, "the data frame")?;
    /// assert_eq!((data.table.rows, data.left_out), (1, vec![1]));
    /// # Ok::<(), asanoha_planner::data::DataError>(())
    /// ```
    ///
    /// # Errors
    /// No rows or too many, two columns of one name, missing values that aren't dealt with, and numbers that aren't finite.
    ///
    /// # Panics
    /// If the columns differ in length.
    pub fn from_columns(
        columns: Vec<TypedColumn>,
        missing: Missing,
        source: &str,
    ) -> Result<Self, DataError> {
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
        let columns = columns.into_iter().map(Partial::of_type).enumerate().collect();
        Self::new(columns, rows, missing, source)
    }
}
