//! What can be wrong with data.

/// Data that cannot be taken. Every message is one line and names the place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// A file that cannot be read.
    #[error("{file}: cannot be read: {source}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// A file of no bytes, or of blank lines.
    #[error("{file}, line 1, column 1: the file is empty; its first line should name the columns")]
    Empty {
        /// The file.
        file: String,
    },
    /// A file of a header alone.
    #[error("{file}, line {line}, column 1: there are no rows below the line of column names")]
    NoRows {
        /// The file.
        file: String,
        /// The line after the header.
        line: u64,
    },
    /// A file that is too big in some way.
    #[error("{file}: more than {limit} {what}")]
    TooLarge {
        /// The file.
        file: String,
        /// The limit.
        limit: u64,
        /// Of what.
        what: &'static str,
    },
    /// A row with more or fewer cells than the header.
    #[error(
        "{file}, line {line}, column {column}: the row has {found} cells, and the first line names {expected}"
    )]
    Ragged {
        /// The file.
        file: String,
        /// The line.
        line: u64,
        /// The first cell that is missing or too many, from 1.
        column: usize,
        /// The cells of the row.
        found: usize,
        /// The columns of the header.
        expected: usize,
    },
    /// A cell that is no number.
    #[error("{file}, line {line}, column {column} ({name}): {text:?} is not a number")]
    NotANumber {
        /// The file.
        file: String,
        /// The line.
        line: u64,
        /// The column, from 1.
        column: usize,
        /// Its name.
        name: String,
        /// The cell, shortened.
        text: String,
    },
    /// A whole number that is too long.
    #[error(
        "{file}, line {line}, column {column} ({name}): {text:?} takes more than {limit} bits, the most that whole numbers may have"
    )]
    TooWide {
        /// The file.
        file: String,
        /// The line.
        line: u64,
        /// The column, from 1.
        column: usize,
        /// Its name.
        name: String,
        /// The cell, shortened.
        text: String,
        /// The limit.
        limit: u64,
    },
    /// A cell with nothing in it.
    #[error("{file}, line {line}, column {column} ({name}): the cell is empty; missing values are not taken")]
    EmptyCell {
        /// The file.
        file: String,
        /// The line.
        line: u64,
        /// The column, from 1.
        column: usize,
        /// Its name.
        name: String,
    },
    /// A cell that is infinite, not a number by name, or too large for double precision.
    #[error(
        "{file}, line {line}, column {column} ({name}): {text:?} is not a finite number of double precision"
    )]
    NotFinite {
        /// The file.
        file: String,
        /// The line.
        line: u64,
        /// The column, from 1.
        column: usize,
        /// Its name.
        name: String,
        /// The cell, shortened.
        text: String,
    },
    /// Two columns of one name.
    #[error("{file}, line {line}, column {column}: the name {name:?} stands at column {first} already")]
    DuplicateColumn {
        /// The file.
        file: String,
        /// The line.
        line: u64,
        /// The second place, from 1.
        column: usize,
        /// The name.
        name: String,
        /// The first place, from 1.
        first: usize,
    },
    /// A column that is wanted and not there.
    #[error("{file}: there is no column {name:?}; there are {}", present.join(", "))]
    UnknownColumn {
        /// The file, or what else was searched.
        file: String,
        /// The column.
        name: String,
        /// Those there are.
        present: Vec<String>,
    },
    /// Bytes that are no text.
    #[error("{file}, line {line}, column {column}: not UTF-8 text")]
    NotUtf8 {
        /// The file.
        file: String,
        /// The line.
        line: u64,
        /// The column, from 1.
        column: usize,
    },
    /// A `--range` that cannot be read.
    #[error("range {text:?}: {problem}; a range is written name=lo:hi, such as bmi=0:64")]
    BadRange {
        /// What was given, shortened.
        text: String,
        /// What is wrong.
        problem: String,
    },
    /// Two declared ranges of one column.
    #[error("range of column {name:?}: declared twice")]
    DuplicateRange {
        /// The column.
        name: String,
    },
    /// A value outside the declared range of its column.
    #[error("row {row}, column {name:?}: {value} is outside the declared range {range}")]
    OutsideRange {
        /// The row, from 1, the header not counted.
        row: usize,
        /// The column.
        name: String,
        /// The value.
        value: String,
        /// The range.
        range: String,
    },
    /// A schema file that cannot be taken.
    #[error("{file}, line {line}, column {column}: {problem}")]
    BadSchema {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The column.
        column: usize,
        /// What is wrong.
        problem: String,
    },
}
