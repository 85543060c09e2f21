//! Plans for any number of rows up to a number.

use thiserror::Error;

use crate::advice::{Advice, Advised};
use asanoha_backends::GenerateError;

/// Why a plan doesn't serve a number of rows.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RowsError {
    /// The plan is for another number.
    #[error("the data have {found} rows and the plan is for {planned}")]
    Other {
        /// Rows of the data.
        found: usize,
        /// Rows of the plan.
        planned: usize,
    },
    /// The plan is for fewer.
    #[error("the data have {found} rows and the plan is for at most {most}")]
    TooMany {
        /// Rows of the data.
        found: usize,
        /// The most rows of the plan.
        most: usize,
    },
    /// The parameters can't do it, which planning didn't find.
    #[error("the plan can't compute on {found} rows ({reason})")]
    Unfit {
        /// Rows of the data.
        found: usize,
        /// Why.
        reason: GenerateError,
    },
}

impl Advised for RowsError {
    fn advice(&self) -> Vec<Advice> {
        match self {
            Self::Other { .. } => vec![Advice::PlanForData, Advice::FewerRows],
            Self::TooMany { found, .. } => vec![Advice::MoreRows { rows: *found }],
            Self::Unfit { .. } => vec![Advice::PlanForData],
        }
    }
}

/// The numbers of rows, up to the most, that stand for all between: a block of ciphertexts is as long as a power of two, and
/// asks for most where it's full, nearly full, or just above the half.
pub(super) fn fewer_rows(most: usize) -> Vec<usize> {
    let blocks = (0..=most.next_power_of_two().ilog2()).map(|log2| 1usize << log2);
    let mut rows: Vec<usize> =
        blocks.flat_map(|block| [block / 2 + 1, block - 1, block]).chain([most]).collect();
    rows.retain(|rows| (1..=most).contains(rows));
    rows.sort_unstable();
    rows.dedup();
    rows
}
