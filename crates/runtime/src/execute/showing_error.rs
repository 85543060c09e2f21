//! Reasons why results may not be shown.

use thiserror::Error;

use crate::advice::{Advice, Advised};

/// The reason why results may not be shown.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ShowingError {
    /// A second evaluation gave other results.
    #[error(
        "a second evaluation gave other results ({}…) than these ({}…), so one of the two did not follow the plan (or, in CKKS, has another mathematics library); use neither before you know which",
        beginning(second),
        beginning(these)
    )]
    OtherResults {
        /// The digest of these results.
        these: String,
        /// The digest of the second ones.
        second: String,
    },
    /// The plain computation gave another value.
    #[error(
        "{place} differs from the plain computation on the data; use none of these results, and do not tell the server why"
    )]
    NotPlain {
        /// The output and, of a column, the row.
        place: String,
    },
    /// A comparison of approximate results with the plain computation.
    #[error(
        "approximate results differ from the plain computation by errors in which a server can hide bits of the key"
    )]
    NotExact,
    /// Approximate results without flooding.
    #[error("the low bits of approximate results tell of the key, unless noise hides them")]
    NoFlooding,
}

/// The beginning of a digest.
fn beginning(digest: &str) -> &str {
    digest.get(..16).unwrap_or(digest)
}

impl Advised for ShowingError {
    fn advice(&self) -> Vec<Advice> {
        match self {
            Self::OtherResults { .. } | Self::NotPlain { .. } => vec![Advice::NewKeys],
            Self::NotExact => vec![Advice::SecondEvaluation],
            Self::NoFlooding => vec![Advice::Flooding],
        }
    }
}
