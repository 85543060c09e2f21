//! Results that no honest evaluation gives.

use std::fmt::{self, Display};

use asanoha_compile::Layout;
use asanoha_scheme::SchemeError;
use asanoha_tfhe::TfheError;
use thiserror::Error;

/// A result that an honest evaluation of the plan can't have given.
///
/// It names the place and prints nothing that was decrypted: a server that alters results would learn the secret key from it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{place}: {finding}; the results, the evaluation keys or the encrypted inputs were altered, or another plan was evaluated. Use none of these results, and do not tell the server why: each refusal that it learns of tells it a bit about the secret key"
)]
pub struct AlteredResult {
    /// The place of the result.
    pub place: ResultPlace,
    /// The promise that it breaks.
    pub finding: Finding,
}

/// An output, and the rows of it if it is a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultPlace {
    /// The output.
    pub output: String,
    /// The first and the last row, from 1.
    pub rows: Option<(usize, usize)>,
}

impl ResultPlace {
    /// Returns the place of one row of a column, counted from 0, or of a number.
    pub fn of(output: &str, row: Option<usize>) -> Self {
        Self { output: output.to_owned(), rows: row.map(|row| (row + 1, row + 1)) }
    }

    /// Returns the place of all rows of a ciphertext of a column, or of a number.
    pub(crate) fn of_chunk(output: &str, column: bool, layout: Layout, chunk: usize) -> Self {
        let rows = layout.chunk(chunk);
        Self { output: output.to_owned(), rows: column.then_some((rows.start + 1, rows.end)) }
    }
}

impl Display for ResultPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { output, rows } = self;
        match rows {
            None => write!(f, "`{output}`"),
            Some((first, last)) if first == last => write!(f, "`{output}`, row {first}"),
            Some((first, last)) => write!(f, "`{output}`, one of the rows {first} to {last}"),
        }
    }
}

/// The promise that an altered result breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The noise of an honest evaluation is below a bound.
    Noise,
    /// An encoded value is below a bound.
    Size,
    /// Slots that repeat others are equal to these, and slots behind the rows are zero.
    Copies,
    /// The values of an output lie in a range, which is public.
    Range {
        /// The least value.
        least: String,
        /// The largest one.
        largest: String,
    },
}

impl Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Noise => f.write_str("the noise is above the bound of the plan"),
            Self::Size => f.write_str("the decrypted value is above the bound of the plan"),
            Self::Copies => f.write_str("copies of its values in the ciphertext differ"),
            Self::Range { least, largest } => {
                write!(f, "the decrypted value isn't from {least} to {largest}, as the plan's ranges give")
            }
        }
    }
}

/// An error of decryption, which may show that a result was altered.
pub(crate) trait ShowsAlteration: Sized {
    /// Returns the promise that the result breaks, if the error says so.
    fn finding(&self) -> Option<Finding>;
}

impl ShowsAlteration for SchemeError {
    fn finding(&self) -> Option<Finding> {
        match self {
            Self::NoiseAboveBound(_) => Some(Finding::Noise),
            Self::WrongKey { .. } => Some(Finding::Size),
            _ => None,
        }
    }
}

impl ShowsAlteration for TfheError {
    fn finding(&self) -> Option<Finding> {
        match self {
            Self::NoiseAboveBound { .. } => Some(Finding::Noise),
            Self::NumberAboveBound { .. } => Some(Finding::Size),
            _ => None,
        }
    }
}
