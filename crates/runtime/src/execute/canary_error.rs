//! What canaries show.

use thiserror::Error;

use crate::advice::{Advice, Advised};

/// The most canaries of one encryption.
pub const MAX_CANARIES: usize = 1 << 16;
/// The most bytes that the results of canaries take in the client's record.
pub(super) const MAX_RESULT_BYTES: usize = 32 << 20;

/// The most different results of the same inputs that are decrypted. Honest evaluations give the same results every time.
pub const MOST_CANARY_RESULTS: usize = 4;

/// Why canaries can't be used, or what they show.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CanaryError {
    /// None, or too many.
    #[error("{count} canaries are asked for: take from 1 to {MAX_CANARIES}")]
    Count {
        /// How many are asked for.
        count: usize,
    },
    /// The plan has no room for them.
    #[error("{rows} rows of data and {canaries} canaries are {} rows, and the plan is for {most}", rows + canaries)]
    Rows {
        /// Rows of the data.
        rows: usize,
        /// Canaries.
        canaries: usize,
        /// The rows of the plan, at most.
        most: usize,
    },
    /// An output that depends on several rows in another way than a sum or a mean.
    #[error(
        "canaries would change output `{output}`: they can be taken out of values for each row, of sums and of means, but not out of other values that depend on several rows"
    )]
    Aggregate {
        /// The output.
        output: String,
    },
    /// No output shows anything.
    #[error("canaries detect nothing in this program: no output has a value for each row")]
    NoRowOutput,
    /// A result that isn't a number.
    #[error("the plain computation of the canaries gives a result that isn't a number")]
    NoNumber,
    /// Results that are too long.
    #[error("the results of {count} canaries take more than {MAX_RESULT_BYTES} bytes: take fewer canaries")]
    TooLong {
        /// How many canaries there are.
        count: usize,
    },
    /// The client's record of them doesn't belong to the plan.
    #[error("the client's record of canaries, which was altered, doesn't fit the plan")]
    Damaged,
    /// Wrong results.
    #[error(
        "{wrong} of {canaries} canaries have wrong results, such as in output `{output}`: the server altered results, or evaluated another program or other inputs; use none of these results, and do not tell the server why: each refusal that it learns of tells it a bit about the places of canaries"
    )]
    Wrong {
        /// How many of them have wrong results.
        wrong: usize,
        /// How many there are.
        canaries: usize,
        /// The first output with such a result.
        output: String,
    },
    /// Canaries that were wrong before.
    #[error(
        "these canaries had wrong results before, and a server that learns which answers are refused finds their places; no results of these inputs are decrypted any more"
    )]
    Spent,
    /// More different results than the canaries are good for.
    #[error(
        "{MOST_CANARY_RESULTS} different results of these inputs were decrypted, the most that canaries are good for, and honest evaluations all give the same"
    )]
    UsedUp,
}

impl Advised for CanaryError {
    fn advice(&self) -> Vec<Advice> {
        match self {
            Self::Rows { rows, canaries, .. } => vec![Advice::MoreRows { rows: rows + canaries }],
            Self::Aggregate { .. } => vec![Advice::SplitProgram, Advice::WithoutCanaries],
            Self::NoRowOutput => vec![Advice::WithoutCanaries],
            Self::Damaged => vec![Advice::RestoreRecord],
            Self::Wrong { .. } | Self::Spent | Self::UsedUp => vec![Advice::NewKeys],
            _ => Vec::new(),
        }
    }
}
