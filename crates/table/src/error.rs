//! What can be wrong with data.

use asanoha_numeric::text::is_steering;

use crate::{
    advice::{Advice, Advised},
    cell::FirstCell,
    limits::{Above, Amount},
    lookup::instead,
    written::Written,
};

/// How many characters of a cell a message quotes.
const SHOWN: usize = 40;

/// Text as messages quote it.
pub(crate) fn shorten(text: &str) -> String {
    let mut shown: String =
        text.chars().take(SHOWN).map(|c| if is_steering(c) { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

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
    /// More data than the limits allow.
    #[error("{file}: {above}")]
    AboveLimit {
        /// The file.
        file: String,
        /// How much, and the limit.
        above: Above,
    },
    /// Something at a place of a file.
    #[error("{file}, line {line}, column {column}{problem}")]
    At {
        /// The file.
        file: String,
        /// The line; of Parquet and Arrow files the row, from 1.
        line: u64,
        /// The column, from 1: a cell of a table, a character of a schema.
        column: usize,
        /// What is wrong there.
        problem: Problem,
    },
    /// A column that is wanted and not there.
    #[error("{file}: there is no column {name:?}; {}", instead(name, present))]
    UnknownColumn {
        /// The file, or what else was searched.
        file: String,
        /// The column.
        name: String,
        /// Those there are.
        present: Vec<String>,
    },
    /// A declared range that cannot be read.
    #[error("range {text:?}: {problem}; a range is written name=lo:hi, such as bmi=0:64")]
    BadRange {
        /// What was given, shortened.
        text: String,
        /// What is wrong.
        problem: String,
    },
    /// A public constant that can't be.
    #[error(
        "center {text:?}: {problem}; it is written name=value, such as kelvin=273.15, with a value near those of the column"
    )]
    BadCentre {
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
}

/// What can be wrong at a place of a file. Cells have the name of their column, and their text is shortened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A file of no bytes, or of blank lines.
    #[error(": the file is empty; its first line should name the columns")]
    Empty,
    /// A file of a header alone.
    #[error(": there are no rows below the line of column names")]
    NoRows,
    /// A blank line between rows of several cells.
    #[error(
        ": the line is blank, and rows follow: remove it, or write the separators of a row whose values are missing"
    )]
    BlankLine,
    /// A quote without an end.
    #[error(
        ": a quote that opens a cell on this line is never closed: close it, or double it where it's meant"
    )]
    OpenQuote,
    /// Text between the quote that closes a cell and the next separator.
    #[error(
        ": text follows the quote that closes the cell: double the quotes inside of a quoted cell, or remove those around it"
    )]
    TextAfterQuote,
    /// A row that ends with a separator, where the first line doesn't.
    #[error(
        ": the row ends with a separator, so that it has {found} cells, and the first line names {expected}: remove the last separator, or end the first line with one too"
    )]
    TrailingSeparator {
        /// The cells of the row.
        found: usize,
        /// The columns of the header.
        expected: usize,
    },
    /// A row with more or fewer cells than the header.
    #[error(": the row has {found} cells, and the first line names {expected}")]
    Ragged {
        /// The cells of the row.
        found: usize,
        /// The columns of the header.
        expected: usize,
    },
    /// A cell that is no number.
    #[error(" ({name}): {text:?} is not a number")]
    NotANumber {
        /// The column.
        name: String,
        /// The cell.
        text: String,
    },
    /// A cell that looks like a number, a date or a time, and isn't read as one.
    #[error(" ({name}): {text:?} {written}")]
    Written {
        /// The column.
        name: String,
        /// The cell.
        text: String,
        /// What it is.
        written: Written,
    },
    /// A cell that is no decimal of so many places.
    #[error(
        " ({name}): {text:?} isn't a decimal of at most {places} place{}, which is what the schema says: round it, or plan for these data",
        if *places == 1 { "" } else { "s" }
    )]
    NotDecimal {
        /// The column.
        name: String,
        /// The cell.
        text: String,
        /// The most places after the point.
        places: u32,
    },
    /// A cell that is something else than those above it.
    #[error(
        " ({name}): {text:?} isn't {} as in line {} ({:?}); a column is all numbers, all true or false, all dates, or all text",
        first.kind, first.line, first.text
    )]
    OtherKind {
        /// The column.
        name: String,
        /// The cell.
        text: String,
        /// The first cell.
        first: Box<FirstCell>,
    },
    /// A cell that other programs take as missing, in a column without text.
    #[error(" ({name}): {text:?} is not read as a missing value: write NA, or leave the cell empty")]
    OtherMissing {
        /// The column.
        name: String,
        /// The cell.
        text: String,
    },
    /// A whole number that is too long.
    #[error(" ({name}): {text:?} takes more than {limit} bits, the most that whole numbers may have")]
    TooWide {
        /// The column.
        name: String,
        /// The cell.
        text: String,
        /// The limit.
        limit: u64,
    },
    /// Missing values.
    #[error(" ({name}): the value is missing, as {found} of the column's {rows} rows are")]
    Missing {
        /// The column.
        name: String,
        /// How many of its values are missing.
        found: usize,
        /// The number of rows.
        rows: usize,
    },
    /// Missing texts.
    #[error(
        " ({name}): the text is missing (empty cells and the words NA, null and the like, unquoted), as {found} of the column's {rows} rows are"
    )]
    MissingText {
        /// The column.
        name: String,
        /// How many of its texts are missing.
        found: usize,
        /// The number of rows.
        rows: usize,
    },
    /// Rows of which each misses a value.
    #[error(": every row misses a value, so that leaving them out leaves none")]
    NothingLeft,
    /// A column of text without any.
    #[error(" ({name}): the column has no texts at all")]
    NoTexts {
        /// The column.
        name: String,
    },
    /// Missing text, where it should be a number.
    #[error(" ({name}): a text is missing, for which no number can stand")]
    NoNumber {
        /// The column.
        name: String,
    },
    /// A column without values, whose mean is asked for.
    #[error(" ({name}): the column has no values at all, and so no mean")]
    NoMean {
        /// The column.
        name: String,
    },
    /// A text that the schema doesn't list.
    #[error(
        " ({name}): {text:?} isn't a category that the schema lists: add it there and plan again, or leave the row out"
    )]
    UnknownCategory {
        /// The column.
        name: String,
        /// The text.
        text: String,
    },
    /// A column of too many texts.
    #[error(" ({name}): the column has more than {limit} different texts, the most that categories may be")]
    TooManyCategories {
        /// The column.
        name: String,
        /// The limit.
        limit: usize,
    },
    /// A column of too many identifiers.
    #[error(
        " ({name}): a cell begins with a zero, so that the column is one of text, and it has more than {limit} different ones, the most that categories may be"
    )]
    TooManyIdentifiers {
        /// The column.
        name: String,
        /// The limit.
        limit: usize,
    },
    /// A text that can't be a category.
    #[error(" ({name}): {text:?} can't be a category: it {problem}")]
    UnfitCategory {
        /// The column.
        name: String,
        /// The text.
        text: String,
        /// Why.
        problem: String,
    },
    /// A cell that is infinite, not a number by name, or too large for double precision.
    #[error(" ({name}): {text:?} is not a finite number of double precision")]
    NotFinite {
        /// The column.
        name: String,
        /// The cell.
        text: String,
    },
    /// Values of a type that isn't taken.
    #[error(
        " ({name}): the type is {found}; taken are numbers, truths, dates and text: cast the column to one of these (a timestamp to a date), or write the data as CSV"
    )]
    UnfitType {
        /// The column.
        name: String,
        /// The type, as Arrow names it.
        found: String,
    },
    /// A date that isn't a day of the years 0 to 9999.
    #[error(" ({name}): {found} from 1970 on aren't a day of the years 0 to 9999")]
    NotADay {
        /// The column.
        name: String,
        /// What was found, with its unit.
        found: String,
    },
    /// Two columns of one name.
    #[error(": the name {name:?} stands at column {first} already")]
    DuplicateColumn {
        /// The name.
        name: String,
        /// The first place, from 1.
        first: usize,
    },
    /// Bytes that are no text.
    #[error(
        ": {text:?} is not UTF-8 text: convert a file from Windows or in Latin-1 with `iconv -f WINDOWS-1252 -t UTF-8 in.csv > out.csv`"
    )]
    NotUtf8 {
        /// The cell, with U+FFFD where it isn't UTF-8.
        text: String,
    },
    /// A schema file that cannot be taken.
    #[error(": {0}")]
    BadSchema(String),
}

impl Advised for DataError {
    fn advice(&self) -> Vec<Advice> {
        let problem = match self {
            Self::At { problem, .. } => problem,
            Self::AboveLimit { above, .. } if above.can_be_raised() => {
                return vec![match above.amount {
                    Amount::Bytes => Advice::MoreData,
                    Amount::Rows => Advice::MoreDataRows,
                }];
            }
            Self::OutsideRange { name, .. } => return vec![Advice::WiderRange { column: name.clone() }],
            _ => return Vec::new(),
        };
        match problem {
            Problem::Missing { .. } => vec![Advice::LeaveOutMissing, Advice::FillMissing],
            Problem::MissingText { .. } => {
                vec![Advice::LeaveOutMissing, Advice::QuoteText, Advice::ListCategory]
            }
            Problem::NoNumber { .. } => vec![Advice::LeaveOutMissing],
            Problem::Written { written, .. } => written.advice(),
            Problem::TooManyIdentifiers { .. } => vec![Advice::ReadAsWhole, Advice::ReadAsReal],
            _ => Vec::new(),
        }
    }
}

impl Problem {
    /// At a place of a file.
    pub(crate) fn at(self, file: &str, line: u64, column: usize) -> DataError {
        DataError::At { file: file.to_owned(), line, column, problem: self }
    }
}

impl DataError {
    pub(crate) fn above(above: Above, file: &str) -> Self {
        Self::AboveLimit { file: file.to_owned(), above }
    }
}
