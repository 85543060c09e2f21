//! Why programs are not computed in the clear.

use asanoha_table::UnknownColumn;

/// Why a program was not computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// A column that the data do not have.
    #[error(transparent)]
    UnknownColumn(#[from] UnknownColumn),
    /// A table without rows.
    #[error("the data have no rows")]
    NoRows,
    /// A value too long to be computed exactly.
    #[error("an exact value of the program needs more than {limit_bits} bits")]
    TooLarge {
        /// The limit.
        limit_bits: u64,
    },
}
