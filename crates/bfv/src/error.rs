//! What can go wrong in an operation.

use asanoha_lattice::{MissingKey, NoiseAboveBound, OtherKey, PlaintextError};
use thiserror::Error;

/// Why an operation can't be done. The operands are left as they were.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BfvError {
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
        "noise of 2^{noise_bits:.1} doesn't fit the modulus of level {level}, which holds less than 2^{available_bits:.1}: plan for more or wider primes"
    )]
    OutOfModulus {
        /// log2 of the noise bound that the result would have.
        noise_bits: f64,
        /// log2 of Q/2t.
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
    /// Values that make no plaintext.
    #[error(transparent)]
    Plaintext(#[from] PlaintextError),
    /// Noise above the ciphertext's bound, at decryption.
    #[error(transparent)]
    NoiseAboveBound(#[from] NoiseAboveBound),
    /// A key made with other parameters.
    #[error(transparent)]
    OtherKey(#[from] OtherKey),
    /// Parts that make no ciphertext of these parameters.
    #[error("these parts make no ciphertext of these parameters: {problem}")]
    UnsoundCiphertext {
        /// What is wrong with them.
        problem: &'static str,
    },
    /// A ciphertext or plaintext made with other parameters.
    #[error(
        "the operand was made with other parameters, of plaintext modulus {found}; here it's {expected}: use the parameters that it was made with"
    )]
    OtherParameters {
        /// The plaintext modulus here.
        expected: String,
        /// The operand's.
        found: String,
    },
    /// Words asked of a modulus that is too wide for them.
    #[error("values modulo a number of {bits} bits don't fit words; take those as integers")]
    WideModulus {
        /// The width of the values' modulus.
        bits: u64,
    },
    /// Weights modulo what is no word.
    #[error(
        "weights of linear and bilinear forms are taken modulo an integer of at most {most} bits, and the values' modulus has {bits} bits or belongs to a polynomial"
    )]
    FormModulus {
        /// The width of the values' modulus.
        bits: u64,
        /// The widest modulus of weights.
        most: u64,
    },
    /// A rotation where plaintexts have no slots.
    #[error(
        "the plaintexts of these parameters have no slots that could be rotated: take an integer plaintext modulus with slots and their encoding"
    )]
    NoSlots,
}
