//! Keys that are missing or don't fit.

use std::io;

use thiserror::Error;

use crate::{KeyName, Level, RlweParams};

/// The error of an operation whose evaluation key is missing or doesn't fit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MissingKey {
    /// The relinearisation key.
    #[error("the keys hold no relinearisation key: make them with evaluation_keys().relinearise()")]
    Relinearisation,
    /// The key of a rotation.
    #[error(
        "the keys hold none for rotation by {rotation}{}; present are {present:?}: make them with evaluation_keys().rotate([{rotation}])",
        if *swapped { " with the rows swapped" } else { "" }
    )]
    Rotation {
        /// The rotation that was asked for, in slots to the left.
        rotation: i64,
        /// Whether it was asked for together with the conjugation (the row swap).
        swapped: bool,
        /// The rotations of that kind that there are keys for, in slots.
        present: Vec<i64>,
    },
    /// A key for products with images, or one of bootstrapping.
    #[error("the keys don't hold {0}: generate it too")]
    Absent(KeyName),
    /// The key of the conjugation (the row swap).
    #[error(
        "the keys hold none for the conjugation (the row swap): make them with evaluation_keys().swap_rows()"
    )]
    Conjugation,
    /// The key was made for lower levels only.
    #[error(
        "{key} is there for ciphertexts up to level {present}, and one of level {needed} needs it: generate it for level {needed}"
    )]
    Level {
        /// The key.
        key: KeyName,
        /// The highest level at which it can be used.
        present: usize,
        /// The level at which it's needed.
        needed: usize,
    },
    /// The key was made for ciphertexts of other levels, which have another key.
    #[error(
        "{key} is there for other levels, and one of level {needed} needs it: levels {lowest} to {highest} have keys of their own; generate it for level {highest}"
    )]
    Tier {
        /// The key.
        key: KeyName,
        /// The level at which it's needed.
        needed: usize,
        /// The lowest level that uses the same key as `needed`.
        lowest: usize,
        /// The highest level that uses the same key as `needed`.
        highest: usize,
    },
    /// The key was made for another ring degree, other primes or digits, or another plaintext modulus.
    #[error(
        "{key} was made for another ring degree, other primes or digits, or another plaintext modulus: use the keys of these parameters"
    )]
    OtherParameters {
        /// The key.
        key: KeyName,
    },
    /// The key is in a file that was readable when it was opened and isn't any more; the message names the file.
    #[error("{0}")]
    Unreadable(String),
}

impl MissingKey {
    /// The error of a key that isn't there for the needed level, but is for others.
    pub(crate) fn tier(params: &RlweParams, key: KeyName, needed: Level) -> Self {
        let levels = params.levels_of_keys(needed);
        Self::Tier { key, needed: needed.0, lowest: levels.start().0, highest: levels.end().0 }
    }

    // Takes the error by value, for `map_err`.
    #[allow(clippy::needless_pass_by_value)]
    pub(crate) fn unreadable(error: io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}
