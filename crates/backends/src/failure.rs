//! The probability that any noise bound of a whole run fails.

pub use super::failure_bits::{DEFAULT_FAILURE_BITS, FAILURE_BITS_RANGE, LEAST_DEFAULT_FAILURE_BITS};

use crate::backend::Scheduled;
use crate::error::GenerateError;

/// Refuses a run that may fail with a probability above 2^−`bits`.
///
/// # Errors
/// [`GenerateError::Failure`].
pub fn check(of: Scheduled<'_>, bits: u32) -> Result<(), GenerateError> {
    let log2_failure = of.backend().log2_failure(of);
    if log2_failure <= -f64::from(bits) { Ok(()) } else { Err(GenerateError::Failure { log2_failure, bits }) }
}
