//! What can be wrong with a matrix or its plan.

use thiserror::Error;

/// What's wrong with a matrix or its plan.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MatrixError {
    /// No rows or no columns.
    #[error(
        "a matrix of {outputs} rows and {inputs} columns has nothing to multiply: it needs at least one of each"
    )]
    Empty {
        /// The number of rows.
        outputs: usize,
        /// The number of columns.
        inputs: usize,
    },
    /// Rows of different lengths.
    #[error("row {row} has {found} entries, and row 0 has {expected}: make all rows equally long")]
    RaggedRow {
        /// Which row.
        row: usize,
        /// Its length.
        found: usize,
        /// The first row's length.
        expected: usize,
    },
    /// A diagonal that doesn't have an entry for each row.
    #[error(
        "diagonal {diagonal} has {found} entries, and the matrix has {expected} rows: give one for each row"
    )]
    DiagonalLength {
        /// Which diagonal.
        diagonal: usize,
        /// Its length.
        found: usize,
        /// The number of rows.
        expected: usize,
    },
    /// A diagonal beyond the input block.
    #[error("diagonal {diagonal} doesn't exist: input blocks are {block} slots long, so that diagonals are 0 to {}", block - 1)]
    NoSuchDiagonal {
        /// Which diagonal.
        diagonal: usize,
        /// The length of an input block.
        block: usize,
    },
    /// A diagonal's entry in a column that the matrix doesn't have.
    #[error(
        "entry {row} of diagonal {diagonal} stands in column {column}, and the matrix has {inputs}: it must be zero"
    )]
    NoSuchColumn {
        /// Which diagonal.
        diagonal: usize,
        /// Which row.
        row: usize,
        /// The column.
        column: usize,
        /// The number of columns.
        inputs: usize,
    },
    /// A block longer than a row of slots.
    #[error(
        "blocks of {block} slots don't fit the {slots} slots of a row: cut the matrix into smaller ones, or take a larger ring"
    )]
    TooLarge {
        /// The longer of the two blocks.
        block: usize,
        /// The slots of a row.
        slots: usize,
    },
    /// A level that the parameters don't have.
    #[error("level {asked} is above {highest}, the highest of these parameters")]
    LevelTooHigh {
        /// The level asked for.
        asked: usize,
        /// The highest level.
        highest: usize,
    },
}
