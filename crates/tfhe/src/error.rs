//! Why an operation, or a literal, is refused.

use std::io::ErrorKind;

use asanoha_lattice::KeyId;
use asanoha_ring::{ExternalProductError, FftError, GadgetError};
use thiserror::Error;

use crate::{
    IntegerType, MAX_BLOCKS,
    security::{LARGEST_DIMENSION, LEAST_DIMENSION},
};

/// The reason why an operation is refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum TfheError {
    /// The caller ended the work.
    #[error("the work was stopped")]
    Stopped,
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
    /// No function for a table, or too many.
    #[error("a table holds from 1 to {most} functions, and not {found}")]
    Functions {
        /// How many were given.
        found: usize,
        /// How many there may be.
        most: u64,
    },
    /// Parameters that integers don't go by.
    #[error("integers need numbers of 4 bits, and not {found}: take parameters such as message_2_carry_2")]
    MessageBits {
        /// The bits of a number.
        found: u32,
    },
    /// An integer without digits, or of too many.
    #[error("an integer has from 1 to {MAX_BLOCKS} blocks of two bits, and not {found}")]
    Width {
        /// The number of digits.
        found: usize,
    },
    /// A value that an integer can't have.
    #[error("{found} is out of the range from {least} to {largest}: take more blocks, or a signed type")]
    OutOfRange {
        /// The value, or the largest `i128` in place of what's above.
        found: i128,
        /// The least value.
        least: i128,
        /// The largest value.
        largest: i128,
    },
    /// An integer of another type.
    #[error("an integer of {found:?} was given where one of {expected:?} is needed: cast it first")]
    OtherType {
        /// The type of what was given.
        found: IntegerType,
        /// The type that it has to be of.
        expected: IntegerType,
    },
    /// A table of too many bits.
    #[error("a table of {found} bits is too large: tables may have up to {most}")]
    TableBits {
        /// The bits that were given.
        found: u32,
        /// The most that there may be.
        most: u32,
    },
    /// No summands.
    #[error("a sum needs at least one summand, which says whose the result is")]
    NoSummands,
    /// A range that reals in fixed point can't have.
    #[error(
        "no fixed point of {bits} bits for reals from {least} to {largest}: give an ascending range of sizes from 2^-256 to 2^256, and 1 to 53 bits"
    )]
    FixedRange {
        /// The least real.
        least: f64,
        /// The largest one.
        largest: f64,
        /// The bits of their integers.
        bits: u32,
    },
    /// A real that is out of its type's range.
    #[error("{found} is out of the range from {least} to {largest}: make the range wider")]
    FixedOutOfRange {
        /// The real.
        found: f64,
        /// The least one.
        least: f64,
        /// The largest one.
        largest: f64,
    },
    /// A result that would be too wide.
    #[error("the result would need more than 126 bits: truncate products to fewer bits")]
    FixedWidth,
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
    /// A ciphertext of a number that it can't hold.
    #[error(
        "a ciphertext decrypts to too large a number, and it holds at most {largest}: it or the server key was altered, or is of other keys; fetch or make them again, and compute again"
    )]
    NumberAboveBound {
        /// What it decrypts to.
        found: u64,
        /// The largest number that it may hold.
        largest: u64,
    },
    /// More noise than the operations allow.
    #[error(
        "a ciphertext has more noise than its bound, 2^{bound_bits:.1}: it or the server key was altered, or is of other keys; fetch or make them again, and compute again"
    )]
    NoiseAboveBound {
        /// log2 of the noise, in units of 2^−64 of the torus.
        found_bits: f64,
        /// log2 of its bound.
        bound_bits: f64,
    },
    /// The file of a server key that stays there fails.
    #[error(
        "the server key can't be used any more ({0}): its file can't be read, or was changed since it was opened; make or fetch it again"
    )]
    Unreadable(ErrorKind),
}

/// The reason why a literal is refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TfheParamsError {
    /// The ring degree isn't supported.
    #[error(transparent)]
    Ring(#[from] FftError),
    /// A gadget whose digits don't fit a word.
    #[error(transparent)]
    Gadget(#[from] GadgetError),
    /// Digits or polynomials that external products don't have.
    #[error(transparent)]
    Product(#[from] ExternalProductError),
    /// A number that is out of its range.
    #[error("{what} is {found}, and must be from {least} to {largest}")]
    Range {
        /// Which number it is.
        what: &'static str,
        /// What it is.
        found: f64,
        /// The least it may be.
        least: f64,
        /// The largest it may be.
        largest: f64,
    },
    /// Too little noise for the dimension.
    #[error(
        "the {what} standard deviation 2^{found:.2} at dimension {dimension} is below the 2^{least:.2} of 128-bit security, or the dimension is outside of {LEAST_DIMENSION} to {LARGEST_DIMENSION} for which that's known (set insecure: true only in tests)"
    )]
    Insecure {
        /// LWE or GLWE.
        what: &'static str,
        /// The dimension, k·N for GLWE.
        dimension: usize,
        /// log2 of the standard deviation.
        found: f64,
        /// log2 of the least one.
        least: f64,
    },
    /// Even one bootstrapped number would fail too often.
    #[error(
        "a table of a bootstrapped number would fail with probability 2^{found:.1}, above 2^{largest}: take fewer message bits, a larger ring degree or more digits"
    )]
    Noise {
        /// log2 of the probability.
        found: f64,
        /// log2 of the largest one allowed.
        largest: f64,
    },
}
