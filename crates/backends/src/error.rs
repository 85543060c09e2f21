//! Why there are no parameters for a program.

use asanoha_compile::ExpandError;
use asanoha_lang::Origin;
use asanoha_numeric::precision::Precision;
use asanoha_scheme::{NoPrimes, SchemeError};
use asanoha_table::advice::{Advice, Advised};
use thiserror::Error;

use crate::failure_bits::FAILURE_BITS_RANGE;

/// Why there are no parameters for a program.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GenerateError {
    /// The program isn't for this scheme.
    #[error(transparent)]
    Expand(#[from] ExpandError),
    /// A column that is too far from 0 for a moment of it, and that an output needs as it is.
    #[error(
        "the values of column `{column}` are so near to each other and so far from 0 that nothing would be left of `{moment}`, unless a constant is taken away from them before encryption, and `{output}` needs them as they are"
    )]
    NeedsCentre {
        /// The column.
        column: String,
        /// What needs it as it is.
        output: String,
        /// The moment.
        moment: String,
    },
    /// Too few primes of a size.
    #[error(transparent)]
    NoPrimes(#[from] NoPrimes),
    /// No ring holds the modulus.
    #[error(
        "the program needs more modulus than {security}-bit security allows at ring degree 2^17 (log2(QP) ≤ {largest}): {why}"
    )]
    TooDeep {
        /// The security asked for.
        security: u32,
        /// The largest log2(QP) at the largest ring.
        largest: u32,
        /// What the search met last.
        why: String,
    },
    /// A security that the table doesn't have.
    #[error("{0}-bit security isn't in the table, which goes to 256 bits; ask for 128, 192 or 256")]
    Security(u32),
    /// Values too large for the plaintext modulus.
    #[error(
        "exact values of up to {value_bits} bits need a plaintext modulus of {needed} bits, and moduli of up to {largest} bits are built"
    )]
    ValuesTooLarge {
        /// Bits of the largest value.
        value_bits: u64,
        /// Bits of the modulus that would hold it.
        needed: u64,
        /// Bits of the widest modulus.
        largest: u64,
    },
    /// Values too wide for a plaintext modulus with slots, and too many rows to encrypt each number alone.
    #[error(
        "values of {value_bits} bits are encrypted one in a ciphertext, and {rows} rows are above the limit of {most}"
    )]
    WideRows {
        /// Bits of the largest value.
        value_bits: u64,
        /// The number of rows.
        rows: usize,
        /// The largest number of rows.
        most: usize,
    },
    /// Values too large for the plaintext modulus of functions.
    #[error(
        "columns or results take {bits} bits, and programs with functions of encrypted values take up to {most}"
    )]
    FunctionValues {
        /// Bits of the widest range.
        bits: u64,
        /// Bits of the widest range that is possible.
        most: u64,
    },
    /// Integers wider than TFHE's.
    #[error("a value between takes {bits} bits, and TFHE's integers have up to {most}")]
    IntegersTooWide {
        /// Its bits.
        bits: u64,
        /// Bits of the widest integer.
        most: u64,
    },
    /// A table of more entries than TFHE's have.
    #[error("the places of a `{function}` take {bits} bits, and TFHE's tables are of up to {most}")]
    TableTooWide {
        /// The function.
        function: &'static str,
        /// Bits of its operands together.
        bits: u64,
        /// Bits of the widest operands.
        most: u64,
    },
    /// More rows than TFHE takes.
    #[error(
        "the data have {found} rows, and TFHE, in which each has ciphertexts of its own, takes up to {most}"
    )]
    TooManyRows {
        /// The rows.
        found: usize,
        /// The most there may be.
        most: usize,
    },
    /// More bootstrappings than TFHE's plans have.
    #[error(
        "a row takes more than {found} bootstrappings, and TFHE's plans have up to {most}: narrow the ranges, or cut the program into several"
    )]
    TooManyBootstraps {
        /// How many there are, at least.
        found: usize,
        /// The most there may be.
        most: usize,
    },
    /// The choice doesn't depend on this scheme.
    #[error("not planned: the choice does not depend on it")]
    NotNeeded,
    /// The search was stopped ([`SearchProgress::stop`](crate::SearchProgress::stop)).
    #[error("the search was stopped")]
    Stopped,
    /// A security that TFHE's only parameters don't have.
    #[error(
        "TFHE's parameters have {found}-bit security, and {asked} bits are asked for: take another scheme"
    )]
    OneSecurity {
        /// What was asked for.
        asked: u32,
        /// What there is.
        found: u32,
    },
    /// A real result that double precision doesn't hold.
    #[error(
        "the magnitude of `{name}` can be up to 2^{bound}, and double precision, in which real results are given, holds the precision asked for between 2^-900 and 2^1023 only: narrow the ranges, or take exact arithmetic on whole numbers"
    )]
    BeyondDoubles {
        /// The output.
        name: String,
        /// log2 of the power of two that bounds it.
        bound: i64,
    },
    /// The precision can't be had.
    #[error(
        "a precision of {wanted}{} can't be reached, as at the largest scale, 2^{largest_scale}, {}",
        flooded(*publish), missing(*missing_bits)
    )]
    Precision {
        /// What was asked for.
        wanted: Precision,
        /// Bits by which the errors at the largest scale are above what was asked for.
        missing_bits: f64,
        /// log2 of the largest scale.
        largest_scale: u32,
        /// The bits of statistical security that results can be published with.
        publish: Option<u32>,
    },
    /// So many operations that a run may give a wrong result with a larger probability than is asked for.
    #[error(
        "a run may give a wrong result with a probability of up to 2^{log2_failure:.1}, and at most 2^-{bits} is asked for"
    )]
    Failure {
        /// log2 of the probability that a run fails.
        log2_failure: f64,
        /// What it may be at most, in bits.
        bits: u32,
    },
    /// The precision can't be had, and another can.
    #[error("{reason}")]
    Imprecise {
        /// Why it can't be had.
        reason: Box<Self>,
        /// The most precise that results can be.
        reachable: Precision,
    },
    /// A schedule that given parameters don't have.
    #[error("these parameters can't compute the program: {0}")]
    Unfit(String),
    /// Parameters that failed their own check: a bug, told instead of hidden.
    #[error("generated parameters were refused: {0}")]
    Refused(String),
}

impl Advised for GenerateError {
    fn advice(&self) -> Vec<Advice> {
        match self {
            Self::Expand(error) => error.advice(),
            Self::NeedsCentre { column, .. } => {
                vec![Advice::PublicCentre { column: column.clone() }, Advice::SplitProgram]
            }
            Self::ValuesTooLarge { .. } => vec![Advice::NarrowRanges, Advice::Approximate],
            Self::WideRows { .. } => vec![Advice::SplitRows, Advice::NarrowRanges],
            Self::FunctionValues { .. } | Self::IntegersTooWide { .. } | Self::TableTooWide { .. } => {
                vec![Advice::NarrowRanges]
            }
            Self::Precision { .. } | Self::TooDeep { .. } => vec![Advice::NarrowRanges],
            Self::Imprecise { reason, reachable } => {
                let less = Advice::LessPrecision { precision: *reachable };
                [vec![less], reason.advice()].concat()
            }
            Self::Failure { log2_failure, .. } => {
                let bits = (-log2_failure).floor().max(0.0) as u32;
                let more = FAILURE_BITS_RANGE.contains(&bits).then_some(Advice::LargerFailure { bits });
                more.into_iter().chain([Advice::SplitRows]).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl GenerateError {
    /// The reason itself, without what could be had in its place.
    pub fn reason(&self) -> &Self {
        if let Self::Imprecise { reason, .. } = self { reason } else { self }
    }

    /// The place in the program's text, if it's an operation's.
    pub fn origin(&self) -> Option<&Origin> {
        if let Self::Expand(error) = self.reason() { error.origin() } else { None }
    }

    /// Whether less precision may help.
    pub fn is_of_precision(&self) -> bool {
        match self {
            Self::Precision { .. } | Self::TooDeep { .. } => true,
            Self::Expand(error) => matches!(error.without_place(), ExpandError::Approximation(_)),
            _ => false,
        }
    }

    /// The bits of precision that are missing, if it's for that.
    pub fn missing_bits(&self) -> Option<f64> {
        if let Self::Precision { missing_bits, .. } = self { Some(*missing_bits) } else { None }
    }
}

/// What publication adds to a precision.
fn flooded(publish: Option<u32>) -> String {
    publish
        .map_or_else(String::new, |bits| format!(", with the noise that publishes results to {bits} bits,"))
}

/// How much precision is missing.
fn missing(bits: f64) -> String {
    if bits.is_finite() {
        format!("{bits:.1} bits are missing")
    } else {
        "no noise so wide can be drawn".to_owned()
    }
}

/// Why there's no schedule at the given parameters.
#[derive(Debug)]
pub enum NoSchedule {
    /// More levels are needed.
    MoreLevels,
    /// An operation fails.
    Fails(SchemeError),
}

impl From<SchemeError> for NoSchedule {
    fn from(error: SchemeError) -> Self {
        Self::Fails(error)
    }
}

/// Of parameters that are given.
impl From<NoSchedule> for GenerateError {
    fn from(error: NoSchedule) -> Self {
        match error {
            NoSchedule::MoreLevels => Self::Unfit("they have too few primes".to_owned()),
            NoSchedule::Fails(error) => Self::Unfit(error.to_string()),
        }
    }
}

/// Why parameters of a search are too small, in words; any other failure is the search's own.
pub(crate) fn too_small(error: &SchemeError) -> Result<String, GenerateError> {
    let why = error.to_string();
    if matches!(error, SchemeError::OutOfModulus { .. }) { Ok(why) } else { Err(GenerateError::Refused(why)) }
}
