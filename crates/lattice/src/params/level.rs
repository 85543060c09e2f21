//! Levels.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The level of a ciphertext whose polynomials are modulo q₀ … q_level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Level(pub usize);

/// The error of an operation that needs more levels than its operand has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the operation needs a ciphertext of level {needed}, and this one has level {found}: ask for parameters of more depth()"
)]
pub struct LevelTooLow {
    /// The lowest level at which the operation would be possible.
    pub needed: usize,
    /// The level of the operand.
    pub found: usize,
}
