//! Which format a file of data has.

use std::fmt;

use crate::error::DataError;

/// Formats of columns, beside text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Parquet.
    Parquet,
    /// Arrow IPC, or Feather of version 2.
    Arrow,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Parquet => "a Parquet file",
            Self::Arrow => "an Arrow file",
        })
    }
}

impl Format {
    /// The format of what begins so; `None` for text. A column of a CSV file may be named PAR1: what follows tells.
    pub(crate) fn of(start: &[u8]) -> Option<Self> {
        let is_text = |byte: &u8| *byte >= b' ' || byte.is_ascii_whitespace();
        match start {
            [b'P', b'A', b'R', b'1', next, ..] if !is_text(next) => Some(Self::Parquet),
            [b'A', b'R', b'R', b'O', b'W', b'1', next, ..] if !is_text(next) => Some(Self::Arrow),
            _ => None,
        }
    }

    /// The refusal where only text is read.
    pub(crate) fn refused(self, file: &str) -> DataError {
        let problem = if cfg!(feature = "arrow") {
            "which is read only as an uncompressed file, not through a pipe"
        } else {
            "which this build doesn't read: write the data as CSV, or build with the feature `arrow`"
        };
        let problem = format!("it's {self}, {problem}");
        DataError::Unreadable { file: file.to_owned(), source: std::io::Error::other(problem) }
    }
}
