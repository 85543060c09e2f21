//! Why there's no counting on a record of publications.

use std::{io, path::PathBuf};

use thiserror::Error;

use crate::advice::{Advice, Advised};

/// The most publications under one key: τ is then 19 million, and the noise 12 bits more than the first one's.
pub(super) const MOST: usize = 1 << 16;

/// Why there's no counting on a record, so that nothing is published.
#[derive(Debug, Error)]
#[error("{}: {problem}", path.display())]
pub struct RecordError {
    /// The record, or what it's locked by.
    pub path: PathBuf,
    /// What's wrong with it.
    pub problem: RecordProblem,
}

/// What's wrong with a record.
#[derive(Debug, Error)]
pub enum RecordProblem {
    /// It isn't there.
    #[error(
        "there is no record of what was published under this key, and starting anew would publish with too little noise: put back the record that was made beside the secret key, or make new keys and encrypt again"
    )]
    Missing,
    /// It can't be read or written.
    #[error(
        "the record of what was published can't be read or written, and nothing is published uncounted: {0}"
    )]
    Io(#[from] io::Error),
    /// Its contents aren't what was written.
    #[error(
        "the record of what was published under this key is damaged or was edited ({0}): put back the last one from a backup, or make new keys and encrypt again"
    )]
    Damaged(&'static str),
    /// It's the record of another key.
    #[error(
        "the record is of key generation {found}, and the secret key beside it is of {expected}: put the files of one key generation into a folder"
    )]
    OtherKey {
        /// The record's key generation.
        found: String,
        /// The secret key's.
        expected: String,
    },
    /// There's no room for more.
    #[error(
        "{MOST} results were published under this key, the most that there may be: make new keys and encrypt again"
    )]
    Full,
    /// More bits of unchecked results than the key can bear.
    #[error(
        "these numbers have {more} bits, {shown} were shown under this key before, and a key bears {limit} of results that nobody checked, since a server can put a bit of the key into each"
    )]
    TooMuchShown {
        /// The bits that were shown before.
        shown: u64,
        /// The bits of these results.
        more: u64,
        /// The most bits.
        limit: u64,
    },
    /// A scheme whose keys derive no key that seals a record.
    #[error("the keys of this scheme have no record of what was shown")]
    Unkeyed,
}

impl Advised for RecordError {
    fn advice(&self) -> Vec<Advice> {
        match self.problem {
            RecordProblem::TooMuchShown { .. } => {
                vec![Advice::SecondEvaluation, Advice::CompareData, Advice::NewKeys]
            }
            _ => Vec::new(),
        }
    }
}
