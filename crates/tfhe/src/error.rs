//! Why an operation is refused.

use asanoha_lattice::KeyId;
use thiserror::Error;

/// The reason why an operation is refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum TfheError {
    /// A ciphertext, a key or a table of other parameters.
    #[error(
        "the operands belong to different parameters: encrypt, generate keys and make tables with the same ones"
    )]
    OtherParameters,
    /// A ciphertext or a key of another key generation.
    #[error(
        "what belongs to the keys {found} was given to something of the keys {expected}: use ciphertexts and the server key of one client key"
    )]
    OtherKey {
        /// The key generation of what was given.
        found: KeyId,
        /// The one that it has to be of.
        expected: KeyId,
    },
    /// A number that isn't below the number of messages.
    #[error("{found} is too large: numbers must be below {messages}; split it, or apply a table first")]
    TooLarge {
        /// The largest number that there may be.
        found: u64,
        /// How many numbers there are.
        messages: u64,
    },
    /// A difference that may be negative.
    #[error("the difference may be negative: at most {largest} is subtracted from a number that may be 0")]
    Negative {
        /// The largest number that may be subtracted.
        largest: u64,
    },
    /// The noise might change the result.
    #[error(
        "the result would be wrong with a probability of 2^{found:.1}, where at most 2^{largest} is allowed: apply a table to the operands first"
    )]
    Noise {
        /// log2 of the probability of a wrong result.
        found: f64,
        /// log2 of the largest one allowed.
        largest: f64,
    },
}
