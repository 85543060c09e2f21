//! Why no bootstrapping can be prepared.

use asanoha_scheme::SchemeError;
use thiserror::Error;

use crate::linear_transform::MatrixError;

/// The most passes that a bootstrapping may have: more add nothing to double precision.
pub(super) const MOST_PASSES: u32 = 4;

/// Why no bootstrapping can be prepared.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BootstrapError {
    /// Parameters without a shape for it.
    #[error(
        "these parameters have no levels for bootstrapping such values: take a set that is made for them"
    )]
    NoShape,
    /// A number of slots that ciphertexts don't have.
    #[error("{asked} slots must be a power of two from 2 to {slots}")]
    Slots {
        /// What was asked for.
        asked: usize,
        /// The slots of a ciphertext.
        slots: usize,
    },
    /// A number of passes that can't be.
    #[error(
        "{0} passes: give 1 to {MOST_PASSES}, and more than 1 only of numbers in all slots of a ciphertext, which are corrected one by one"
    )]
    Passes(u32),
    /// A bound that isn't positive and finite.
    #[error("the bound on bootstrapped values, {0}, must be a positive finite number")]
    Bound(f64),
    /// A matrix that can't be.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// Entries that can't be encoded.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
}
