//! How much data are read at most.

use std::fmt;

use crate::table::MAX_ROWS;

/// The largest data that are read. More is refused before memory is allocated for it.
///
/// ```
/// use asanoha_table::{Data, Limits, Reading};
///
/// let limits = Limits { rows: 1, ..Limits::DEFAULT };
/// let reading = Reading { limits, ..Reading::default() };
/// let refusal = Data::from_reader(&b"x\n1\n2\n"[..], "d.csv", &["x"], &reading).unwrap_err();
/// assert_eq!(refusal.to_string(), "d.csv: the data have 2 rows or more, above the limit of 1");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes after decompression: of all text, and of the columns that are read of a Parquet or an Arrow file. The values in
    /// memory take as many at most: 16 bytes each, or 64 and the digits for integers beyond words.
    pub bytes: u64,
    /// The most rows; never more than [`MAX_ROWS`].
    pub rows: usize,
}

impl Limits {
    /// One gibibyte and 2^24 rows.
    pub const DEFAULT: Self = Self { bytes: 1 << 30, rows: 1 << 24 };

    /// Refuses more bytes than the limit.
    pub(crate) fn check_bytes(&self, found: u64) -> Result<(), Above> {
        let limit = self.bytes;
        if found > limit { Err(Above { amount: Amount::Bytes, found, limit }) } else { Ok(()) }
    }

    /// Refuses more rows than the limit.
    pub(crate) fn check_rows(&self, found: u64) -> Result<(), Above> {
        let limit = self.rows.min(MAX_ROWS) as u64;
        if found > limit { Err(Above { amount: Amount::Rows, found, limit }) } else { Ok(()) }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Amount {
    /// Bytes after decompression.
    Bytes,
    /// Rows.
    Rows,
}

/// Data above one of the [`Limits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub struct Above {
    /// What is counted.
    pub amount: Amount,
    /// The data have so many at least.
    pub found: u64,
    /// The limit.
    pub limit: u64,
}

impl fmt::Display for Above {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { found, limit, .. } = self;
        match self.amount {
            Amount::Bytes => {
                write!(
                    f,
                    "the data take {found} bytes or more after decompression, above the limit of {limit}"
                )
            }
            Amount::Rows => write!(f, "the data have {found} rows or more, above the limit of {limit}"),
        }
    }
}

impl Above {
    /// Whether a higher limit can be set.
    pub(crate) fn can_be_raised(&self) -> bool {
        self.amount == Amount::Bytes || self.limit < MAX_ROWS as u64
    }
}

impl From<Above> for std::io::Error {
    fn from(above: Above) -> Self {
        Self::other(above)
    }
}
