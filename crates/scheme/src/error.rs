//! The errors of operations.

use asanoha_lattice::{LevelTooLow, MissingKey, NoiseAboveBound, OtherKey};
use thiserror::Error;

use crate::PlaintextError;

/// An error of an operation. The operands are left unchanged.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SchemeError {
    /// Operands of different levels.
    #[error("the operands have levels {left} and {right}: bring the higher one to level {} with switch_to, in CKKS with adjust_to, or take the operation without \"exact\" in its name, which does that", left.min(right))]
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
    /// A rescaling at level 0.
    #[error(transparent)]
    LevelTooLow(#[from] LevelTooLow),
    /// Operands of different scales.
    #[error(
        "the operands' scales are 2^{:.1} and {}: bring one to the other's level and scale with rescale or adjust_to, or take the operation without \"exact\" in its name, or add_values for numbers",
        left.log2(), apart(*left, *right)
    )]
    ScaleMismatch {
        /// The left operand's scale.
        left: f64,
        /// The right operand's scale, or the one it should have.
        right: f64,
    },
    /// A key that isn't there.
    #[error(transparent)]
    MissingKey(#[from] MissingKey),
    /// The result wouldn't be decryptable.
    #[error(
        "the result takes {}, noise included, and the modulus of level {level} holds less than 2^{available_bits:.1}: switch the modulus or rescale before; in CKKS say narrow_bound where values are known to be small; or ask for parameters of more depth() or headroom_bits()",
        size(*needed_bits)
    )]
    OutOfModulus {
        /// log2 of the noise bound that the result would have, in CKKS of the message and the noise together.
        needed_bits: f64,
        /// log2 of what the modulus holds.
        available_bits: f64,
        /// The level.
        level: usize,
    },
    /// Evaluation keys for parameters under which no key is switched.
    #[error(
        "these parameters, of 0 digits, are for sums and products with public values: keys need parameters of one digit at least"
    )]
    NoKeySwitching,
    /// A ciphertext of three parts where two are needed.
    #[error("the operand has {parts} parts: call relinearise first, or multiply, which does that")]
    NotRelinearised {
        /// The number of parts.
        parts: usize,
    },
    /// A ciphertext, plaintext or transform made with other parameters.
    #[error(
        "the operand was made with other parameters, {found}; here they're {expected}: use the parameters that it was made with"
    )]
    OtherParameters {
        /// The parameters here.
        expected: String,
        /// The operand's.
        found: String,
    },
    /// A key made with other parameters.
    #[error(transparent)]
    OtherKey(#[from] OtherKey),
    /// Parts that make no ciphertext of these parameters.
    #[error("these parts make no ciphertext of these parameters: {problem}")]
    UnsoundCiphertext {
        /// What is wrong with them.
        problem: &'static str,
    },
    /// Noise above the ciphertext's bound, at decryption.
    #[error(transparent)]
    NoiseAboveBound(#[from] NoiseAboveBound),
    /// A decrypted value beyond its bound: another key than the one encrypted under, or a damaged ciphertext.
    #[error(
        "the decrypted value is beyond its bound of 2^{bound_bits:.1}: this is not the ciphertext's key, or the ciphertext is damaged"
    )]
    WrongKey {
        /// log2 of the largest slot found, in scaled units.
        found_bits: f64,
        /// log2 of what the ciphertext says it can be.
        bound_bits: f64,
    },
    /// A rotation where plaintexts have no slots.
    #[error(
        "the plaintexts of these parameters have no slots that could be rotated: take a plaintext modulus with slots, and their encoding"
    )]
    NoSlots,
    /// A sum of a number of slots that can't be taken in stages.
    #[error("sums are of a power of two of slots, at most a row of {row}, and {count} were asked for")]
    SumLength {
        /// The number asked for.
        count: usize,
        /// The slots of a row.
        row: usize,
    },
    /// Integers that make no plaintext.
    #[error(transparent)]
    Plaintext(#[from] PlaintextError),
    /// Words asked of a modulus that is too wide for them.
    #[error("values modulo a number of {bits} bits don't fit words: take those as integers")]
    WideModulus {
        /// The width of the values' modulus.
        bits: u64,
    },
    /// Weights modulo what is no word.
    #[error(
        "weights of linear and bilinear forms are taken modulo an integer of at most {most} bits, and the values' modulus has {bits} bits or belongs to a polynomial: use separate products and sums"
    )]
    FormModulus {
        /// The width of the values' modulus.
        bits: u64,
        /// The widest modulus of weights.
        most: u64,
    },
    /// More values than slots.
    #[error(
        "{values} values don't fit {slots} slots: cut them into several vectors, or ask for parameters of more slots()"
    )]
    TooManyValues {
        /// The number of values.
        values: usize,
        /// The number of slots.
        slots: usize,
    },
    /// A value that is infinite or not a number.
    #[error("{value} is not a finite number")]
    NotFinite {
        /// The value.
        value: f64,
    },
    /// An integer that a double doesn't hold.
    #[error(
        "the integer at index {index} has more than the 53 bits that CKKS computes with: use BGV or BFV, or round it"
    )]
    NotHeld {
        /// The index, from 0.
        index: usize,
    },
    /// An operation on no ciphertexts at all.
    #[error(
        "no ciphertext is given, and the sum or product of none would be a constant: use add_constant or mul_constant"
    )]
    NoOperands,
    /// A scale that isn't a positive finite number.
    #[error("the scale {scale} must be a positive finite number")]
    InvalidScale {
        /// The scale.
        scale: f64,
    },
    /// A bound on values that can't be one.
    #[error("the bound {bound} on the values must be a finite number that isn't negative")]
    InvalidBound {
        /// The bound.
        bound: f64,
    },
    /// A bound that's too large for its level.
    #[error(
        "values up to {bound:e} at scale 2^{log2_scale:.1} don't fit level {level}, which holds less than 2^{available_bits:.1}: give a smaller bound, or ask for parameters of more headroom_bits()"
    )]
    BoundTooLarge {
        /// The bound on the values.
        bound: f64,
        /// log2 of the scale.
        log2_scale: f64,
        /// The level.
        level: usize,
        /// log2 of half the modulus.
        available_bits: f64,
    },
    /// A value beyond the bound. It isn't shown: the bound is public, and values are not.
    #[error(
        "the value at index {index} is the largest and exceeds the bound {bound}: give a bound for data of this kind, which everyone may know, with with_bound"
    )]
    BeyondBound {
        /// The index of the largest value, from 0.
        index: usize,
        /// The bound.
        bound: f64,
    },
    /// An argument of a polynomial that may be outside the interval that the polynomial is for.
    #[error(
        "the argument's bound allows values from {} to {}, and the polynomial is for those from {} to {}: fit it on an interval that holds them all, or, if the values are known to be within its interval, map them to [-1, 1] and say so with narrow_bound(1.0)",
        allowed.0, allowed.1, interval.0, interval.1
    )]
    OutsideInterval {
        /// The least and the largest value that the bound allows.
        allowed: (f64, f64),
        /// The ends of the polynomial's interval.
        interval: (f64, f64),
    },
    /// A vector of another length than a matrix has columns.
    #[error(
        "the matrix has {expected} columns, and the vector {found} entries: give one entry for each column"
    )]
    VectorLength {
        /// The number of columns.
        expected: usize,
        /// The vector's length.
        found: usize,
    },
    /// A bootstrapping whose error isn't proved to be smaller than values are, so that another pass can't correct it.
    #[error(
        "one pass of bootstrapping leaves an error of up to 2^{error_bits:.1} in values up to 2^{bound_bits:.1}, which is too large for another pass: bring values with less noise, or take one pass"
    )]
    NothingToCorrect {
        /// log2 of the bound on the error.
        error_bits: f64,
        /// log2 of the bound on values.
        bound_bits: f64,
    },
    /// Less statistical security than results are published with.
    #[error(
        "{asked} bits of statistical security are too few to publish a result with, for what it tells of the secret key stays for ever: take at least {least}"
    )]
    TooFewStatisticalBits {
        /// The bits asked for.
        asked: u32,
        /// The least.
        least: u32,
    },
    /// Flooding that would drown the result.
    #[error(
        "flooding with 2^{flooding_bits:.1} leaves nothing of a message of 2^{message_bits:.1}: plan for a larger scale, fewer published results or fewer statistical bits"
    )]
    NoPrecision {
        /// log2 of the flooding's bound in scaled units.
        flooding_bits: f64,
        /// log2 of bound·scale.
        message_bits: f64,
    },
    /// Flooding noise wider than the sampler can give.
    #[error(
        "flooding needs a standard deviation of 2^{deviation_bits:.1}, and at most 2^{available_bits} can be sampled: lower the noise before publishing"
    )]
    FloodingTooWide {
        /// log2 of the standard deviation.
        deviation_bits: f64,
        /// log2 of the widest that can be sampled.
        available_bits: u32,
    },
}

/// A size in bits, for those far above any modulus too.
fn size(bits: f64) -> String {
    /// More than the bits of any modulus.
    const MOST_BITS: f64 = 1e6;
    if bits < MOST_BITS { format!("2^{bits:.1}") } else { "more than any modulus holds".into() }
}

/// A scale beside another one, by what tells them apart.
fn apart(left: f64, right: f64) -> String {
    let ratio = (right / left).log2();
    if ratio.abs() >= 0.1 {
        format!("2^{:.1}", right.log2())
    } else {
        format!("that times 1 {} {:.1e}", if right < left { '−' } else { '+' }, (right / left - 1.0).abs())
    }
}
