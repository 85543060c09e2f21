//! Data: tables from files and data frames, and what isn't in them.

use std::{fs::File, io::Read, path::Path};

use crate::{
    column::RealSince,
    csv,
    error::DataError,
    header::Columns,
    missing::settle,
    reading::{Missing, Reading},
    schema::{RangeOverride, Schema},
    table::Table,
    typed,
    typed_column::TypedColumn,
};

/// A table, and which rows of the data it hasn't.
#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    /// The columns, without the rows that are left out.
    pub table: Table,
    /// The rows, from 0, that are left out because they miss a value ([`Missing::Mask`]), in their order.
    pub left_out: Vec<usize>,
    /// The cells for which columns are real numbers, in the order of the columns.
    pub real_since: Vec<RealSince>,
    /// The names of the columns of dates, whose values are days since 1970-01-01.
    pub dates: Vec<String>,
}

impl Data {
    /// Reads the columns `wanted` of a CSV file, which may be compressed by gzip, as [`Reading`] says, in that order. With the
    /// feature `arrow` it may be a Parquet or an Arrow file too, which is told by how it begins, whatever its name.
    pub fn from_path(path: &Path, wanted: &[impl AsRef<str>], reading: &Reading) -> Result<Self, DataError> {
        let name = path.display().to_string();
        let unreadable = |source| DataError::Unreadable { file: name.clone(), source };
        let file = File::open(path).map_err(unreadable)?;
        if file.metadata().map_err(unreadable)?.is_dir() {
            return Err(unreadable(std::io::ErrorKind::IsADirectory.into()));
        }
        #[cfg(feature = "arrow")]
        if file.metadata().map_err(unreadable)?.is_file() {
            let mut start = Vec::new();
            (&file).take(8).read_to_end(&mut start).map_err(unreadable)?;
            std::io::Seek::rewind(&mut &file).map_err(unreadable)?;
            if let Some(format) = crate::format::Format::of(&start) {
                let columns = crate::arrow::read(file, format, &name, wanted, reading)?;
                return Self::of(columns, reading.missing, &name);
            }
        }
        Self::from_reader(file, &name, wanted, reading)
    }

    /// Reads the columns `wanted` of CSV text, which may be compressed by gzip, as [`Reading`] says, in that order; `source_name`
    /// stands in messages.
    pub fn from_reader(
        reader: impl Read,
        source_name: &str,
        wanted: &[impl AsRef<str>],
        reading: &Reading,
    ) -> Result<Self, DataError> {
        let columns = csv::read(reader, source_name, wanted, reading)?;
        Self::of(columns, reading.missing, source_name)
    }

    /// The data of some columns of equal length; `source` stands in messages, where a line is a row, from 1.
    ///
    /// ```
    /// use asanoha_table::{ColumnValues, Data, Missing, TypedColumn};
    ///
    /// let values = ColumnValues::Real(vec![2.0, 0.0]);
    /// let column = TypedColumn { name: "bmi".to_owned(), values, missing: vec![1] };
    /// let data = Data::from_columns(vec![column], Missing::Mask, "the data frame")?;
    /// assert_eq!((data.table.rows, data.left_out), (1, vec![1]));
    /// # Ok::<(), asanoha_table::DataError>(())
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
        Self::of(typed::read(columns, source)?, missing, source)
    }

    /// The public facts about the data, columns of dates among them, which [`Schema::from_table`] doesn't know.
    ///
    /// # Errors
    /// The errors of [`Schema::from_table`].
    pub fn schema(&self, declared: &[RangeOverride]) -> Result<Schema, DataError> {
        Ok(Schema::from_table(&self.table, declared)?.with_dates(&self.dates))
    }

    fn of((columns, rows): Columns, missing: Missing, file: &str) -> Result<Self, DataError> {
        let real_since = columns.iter().filter_map(|(_, column)| column.real_since().cloned()).collect();
        let dates = columns.iter().filter(|(_, column)| column.is_date());
        let dates = dates.map(|(_, column)| column.name().to_owned()).collect();
        let (table, left_out) = settle(columns, rows, missing, file)?;
        Ok(Self { table, left_out, real_since, dates })
    }
}

/// Reads the columns `wanted` of a file, in that order, as [`Data::from_path`] does by default.
///
/// # Errors
/// As [`Data::from_path`].
pub fn read_table(path: &Path, wanted: &[impl AsRef<str>]) -> Result<Table, DataError> {
    Data::from_path(path, wanted, &Reading::default()).map(|data| data.table)
}

/// Reads the columns `wanted` of CSV text, in that order, as [`Data::from_reader`] does by default; `source_name` stands in messages.
///
/// # Errors
/// As [`Data::from_reader`].
pub fn read_csv(
    reader: impl Read,
    source_name: &str,
    wanted: &[impl AsRef<str>],
) -> Result<Table, DataError> {
    Data::from_reader(reader, source_name, wanted, &Reading::default()).map(|data| data.table)
}
