//! Why a client's record of inputs can't be used.

use std::{io, path::PathBuf};

use thiserror::Error;

use crate::advice::{Advice, Advised};

/// Why a client's record of inputs can't be used.
#[derive(Debug, Error)]
#[error("{}: {problem}", path.display())]
pub struct ClientRecordError {
    /// The record, or the folder of keys.
    pub path: PathBuf,
    /// What is wrong.
    pub problem: ClientRecordProblem,
}

/// What is wrong with a client's record of inputs.
#[derive(Debug, Error)]
pub enum ClientRecordProblem {
    /// There is none of these inputs.
    #[error(
        "it holds no record of the inputs that these results name, which alone says how many rows were encrypted, which were left out and which are canaries"
    )]
    Missing,
    /// There is none, and only it has the constants that were taken away.
    #[error(
        "it holds no record of the inputs that these results name, which has the constant that was taken away from column `{column}` before encryption"
    )]
    NoCentres {
        /// The column.
        column: String,
    },
    /// Several differ, and only the results say which one is meant.
    #[error(
        "inputs of {} rows and of {} rows were encrypted for this plan with these keys, and only the results say which inputs they belong to",
        rows[0],
        rows[1]
    )]
    Ambiguous {
        /// The rows of two of them.
        rows: [usize; 2],
    },
    /// As before, of inputs that are less different constants.
    #[error(
        "several inputs, less different constants of yours, were encrypted for this plan with these keys, and only the results say which inputs they belong to"
    )]
    AmbiguousCentres,
    /// As before, of inputs with canaries.
    #[error(
        "inputs with canaries were encrypted for this plan with these keys, and only the results say which inputs they belong to"
    )]
    AmbiguousCanaries,
    /// As before, of inputs that leave out different rows.
    #[error(
        "inputs that leave out different rows were encrypted for this plan with these keys, and only the results say which inputs they belong to"
    )]
    AmbiguousLeftOut,
    /// As before, of inputs before and after a rotation of keys.
    #[error(
        "the keys were replaced a different number of times since inputs of this plan were encrypted, and only the results say which inputs they belong to"
    )]
    AmbiguousRotations,
    /// The rows that the client states aren't those of its record.
    #[error("{recorded} rows were encrypted of these inputs, and {stated} are stated")]
    OtherRows {
        /// By the record.
        recorded: usize,
        /// By the client.
        stated: usize,
    },
    /// It can't be read or written.
    #[error("the record of encrypted inputs can't be read or written: {0}")]
    Io(#[from] io::Error),
    /// Its contents aren't those of a record.
    #[error("the record of encrypted inputs is damaged ({0})")]
    Damaged(&'static str),
    /// It says of a plan or of keys that they're others.
    #[error(
        "the record is of inputs for another plan or other keys: use the plan and the keys of one encryption"
    )]
    Other,
}

impl Advised for ClientRecordError {
    fn advice(&self) -> Vec<Advice> {
        match self.problem {
            ClientRecordProblem::Missing => vec![Advice::EncryptingKeys, Advice::StateRows],
            ClientRecordProblem::NoCentres { .. } => vec![Advice::EncryptingKeys],
            ClientRecordProblem::Ambiguous { .. } => vec![Advice::NameInputs, Advice::StateRows],
            ClientRecordProblem::AmbiguousCentres
            | ClientRecordProblem::AmbiguousCanaries
            | ClientRecordProblem::AmbiguousLeftOut
            | ClientRecordProblem::AmbiguousRotations => vec![Advice::NameInputs],
            ClientRecordProblem::OtherRows { .. } => vec![Advice::RowsOfRecord],
            ClientRecordProblem::Damaged(_) => vec![Advice::RestoreRecord, Advice::RemoveRecord],
            ClientRecordProblem::Io(_) | ClientRecordProblem::Other => Vec::new(),
        }
    }
}
