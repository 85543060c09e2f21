//! Parameters for a circuit: the smallest ring whose security table entry holds the modulus that the circuit's
//! noise asks for.

mod bfv;
mod bgv;
mod ckks;
mod exact;
mod primes;

use asanoha_lattice::largest_log2_modulus;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use bfv::generate_bfv;
pub use bgv::generate_bgv;
pub use ckks::{CkksCandidate, generate_ckks};
pub use exact::ExactCandidate;

use crate::{
    circuit::{Circuit, ExpandError},
    data::Schema,
    plan::SchemeParams,
    precision::Precision,
    program::Program,
};

/// What a search chose beside parameters. With the program, the schema, the parameters and the precision it
/// determines the schedule; exact schemes need no such choice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Derivation {
    /// CKKS: values of degree 1 stay at this level or above.
    pub floor: usize,
    /// CKKS: log2 of the largest error of every approximated function's polynomial, in the program's order.
    pub fit_bits: Vec<i32>,
}

/// The schedule of a program at parameters that a search found, or others: a function of its arguments and of
/// nothing else. It refuses what the parameters can't compute to the precision.
pub fn schedule_at(
    program: &Program,
    schema: &Schema,
    precision: Precision,
    params: &SchemeParams,
    derivation: &Derivation,
) -> Result<Circuit, GenerateError> {
    match params {
        SchemeParams::Bgv(params) => bgv::schedule_bgv_at(program, schema, params),
        SchemeParams::Bfv(params) => bfv::schedule_bfv_at(program, schema, params),
        SchemeParams::Ckks(params) => ckks::schedule_ckks_at(program, schema, precision, params, derivation),
    }
}

/// The ring degrees that are tried, as log2.
const LOG2_RING_DEGREES: std::ops::RangeInclusive<u32> = 12..=17;
/// More primes than any modulus that is secure at the largest ring degree has.
const MAX_PRIMES: usize = 110;

/// Why there are no parameters for a program.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GenerateError {
    /// The program isn't for this scheme.
    #[error(transparent)]
    Expand(#[from] ExpandError),
    /// Too few primes of a size.
    #[error("too few primes near 2^{log2:.1} for ring degree {ring_degree}")]
    NoPrimes {
        /// Size asked for.
        log2: f64,
        /// The ring degree.
        ring_degree: usize,
    },
    /// No ring holds the modulus.
    #[error(
        "the program needs more modulus than {security}-bit security allows at ring degree 2^17 (log2(QP) ≤ {largest}): {why}; make it shallower, narrow its ranges, or ask fewer bits"
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
        "exact values of up to {value_bits} bits need a plaintext modulus of {needed} bits, and moduli of up to {largest} bits are built: narrow the ranges, or take --scheme ckks"
    )]
    ValuesTooLarge {
        /// Bits of the largest value.
        value_bits: u64,
        /// Bits of the modulus that would hold it.
        needed: u64,
        /// Bits of the widest modulus.
        largest: u64,
    },
    /// Values too large for the plaintext modulus of functions.
    #[error(
        "columns or results take {bits} bits, and programs with functions of encrypted values take up to {most}: narrow the ranges with --range"
    )]
    FunctionValues {
        /// Bits of the widest range.
        bits: u64,
        /// Bits of the widest range that is possible.
        most: u64,
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
        "a precision of {wanted} can't be reached: at the largest scale, 2^{largest_scale}, {missing_bits:.1} bits are missing; ask for less with --precision-bits or --precision, or narrow the ranges"
    )]
    Precision {
        /// What was asked for.
        wanted: Precision,
        /// Bits by which the errors at the largest scale are above what was asked for.
        missing_bits: f64,
        /// log2 of the largest scale.
        largest_scale: u32,
    },
    /// More polynomials than noise bounds may fail for together.
    #[error(
        "a run would bound so many noise polynomials that the probability that one exceeds its bound is 2^{log2_failure:.1}, and plans are made for 2^{most}: split the rows into several runs",
        most = crate::failure::LOG2_FAILURE
    )]
    Failure {
        /// log2 of the probability that a run fails.
        log2_failure: f64,
    },
    /// A schedule that given parameters don't have.
    #[error("these parameters can't compute the program: {0}")]
    Unfit(String),
    /// Parameters that failed their own check: a bug, told instead of hidden.
    #[error("generated parameters were refused: {0}")]
    Refused(String),
}

/// The largest log2(QP) at a ring degree, or an error for a security that isn't in the table.
fn largest_modulus(ring_degree: usize, security: u32) -> Result<f64, GenerateError> {
    if security > 256 || security == 0 {
        return Err(GenerateError::Security(security));
    }
    Ok(largest_log2_modulus(ring_degree, security).map_or(0.0, f64::from))
}

/// The digit counts worth trying for so many primes: one for each digit size, few digits first.
fn digit_counts(primes: usize) -> impl Iterator<Item = usize> {
    let mut last_size = 0;
    (1..=primes).filter(move |&digits| {
        let size = primes.div_ceil(digits);
        std::mem::replace(&mut last_size, size) != size
    })
}

/// log2 of the largest digit when the primes are cut into so many digits.
fn largest_digit_bits(primes: &[u64], digits: usize) -> f64 {
    let size = primes.len().div_ceil(digits);
    let bits = |digit: &[u64]| digit.iter().map(|&q| (q as f64).log2()).sum::<f64>();
    primes.chunks(size).map(bits).fold(0.0, f64::max)
}

fn log2_product(primes: &[u64]) -> f64 {
    primes.iter().map(|&q| (q as f64).log2()).sum()
}

/// The cut into digits that costs the least among those whose modulus is secure: digits and special primes.
fn choose_digits(
    q: &[u64],
    primes: &primes::Primes,
    largest: f64,
) -> Result<Option<(usize, Vec<u64>)>, GenerateError> {
    let mut best: Option<(f64, usize, Vec<u64>)> = None;
    for digits in digit_counts(q.len()) {
        let special = primes.clone().special(largest_digit_bits(q, digits))?;
        if log2_product(q) + log2_product(&special) > largest {
            continue;
        }
        let extended = (q.len() + special.len()) as f64;
        let cost = (digits as f64 + 2.0) * extended;
        if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
            best = Some((cost, digits, special));
        }
    }
    Ok(best.map(|(_, digits, special)| (digits, special)))
}
