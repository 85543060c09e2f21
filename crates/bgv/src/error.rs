//! What can go wrong in an operation.

use asanoha_lattice::MissingKey;
use thiserror::Error;

/// Why an operation can't be done. The operands are left as they were.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BgvError {
    /// Operands of different levels.
    #[error("the operands have levels {left} and {right}: switch the higher one to level {}", left.min(right))]
    LevelMismatch {
        /// The left operand's level.
        left: usize,
        /// The right operand's level.
        right: usize,
    },
    /// A level above the highest one that can be had here.
    #[error("level {asked} is above {highest}, the highest possible here: levels only go down")]
    LevelTooHigh {
        /// The level asked for.
        asked: usize,
        /// The highest level possible.
        highest: usize,
    },
    /// A key that isn't there.
    #[error(transparent)]
    MissingKey(#[from] MissingKey),
    /// The result wouldn't be decryptable.
    #[error(
        "noise of 2^{noise_bits:.1} doesn't fit the modulus of level {level}, which holds less than 2^{available_bits:.1}: plan for more or wider primes, or switch the modulus before"
    )]
    OutOfModulus {
        /// log2 of the noise bound that the result would have.
        noise_bits: f64,
        /// log2 of half the modulus.
        available_bits: f64,
        /// The level.
        level: usize,
    },
    /// A ciphertext of three parts where two are needed.
    #[error("the operand has {parts} parts: relinearise it first")]
    NotRelinearised {
        /// The number of parts.
        parts: usize,
    },
    /// A value that isn't in (−t/2, t/2).
    #[error(
        "value {value} at position {index} is outside of -{largest} to {largest}, the range of the plaintext modulus"
    )]
    ValueOutOfRange {
        /// Where it stands.
        index: usize,
        /// The value.
        value: i64,
        /// The largest value that fits: (t − 1)/2.
        largest: i64,
    },
    /// More values than slots.
    #[error("{found} values don't fit {slots} slots: cut them into several vectors")]
    TooManyValues {
        /// How many were given.
        found: usize,
        /// The number of slots.
        slots: usize,
    },
}
