//! Refusals of operands that don't fit together.

use asanoha_lattice::Level;

use crate::{Scheme, SchemeError};

/// Scales that differ by a smaller part than this count as equal; the difference times the bound is noise. Canonical
/// scales that were reached in different ways differ by some 2^−50; primes differ from one another by more than
/// 2^−40 in all but contrived sets.
const SCALE_TOLERANCE: f64 = 1.0 / (1u64 << 40) as f64;

/// Refuses different levels.
pub(crate) fn same_level(left: Level, right: Level) -> Result<(), SchemeError> {
    if left == right { Ok(()) } else { Err(SchemeError::LevelMismatch { left: left.0, right: right.0 }) }
}

/// Refuses a level above the highest possible.
///
/// # Errors
/// [`SchemeError::LevelTooHigh`].
pub fn not_above(asked: Level, highest: Level) -> Result<(), SchemeError> {
    if asked <= highest {
        Ok(())
    } else {
        Err(SchemeError::LevelTooHigh { asked: asked.0, highest: highest.0 })
    }
}

/// Returns how much two scales differ, and refuses those that differ by more than one part in 2^40.
///
/// # Errors
/// [`SchemeError::ScaleMismatch`].
pub fn scale_difference(left: f64, right: f64) -> Result<f64, SchemeError> {
    let difference = (left - right).abs();
    if difference <= left.max(right) * SCALE_TOLERANCE {
        Ok(difference)
    } else {
        Err(SchemeError::ScaleMismatch { left, right })
    }
}

/// Refuses parameters that aren't the ones expected. It compares two pointers, or digests where the parameters were
/// checked apart.
///
/// # Errors
/// [`SchemeError::OtherParameters`].
pub fn same_parameters<S: Scheme>(expected: &S, found: &S) -> Result<(), SchemeError> {
    if expected == found {
        return Ok(());
    }
    Err(SchemeError::OtherParameters { expected: expected.describe(), found: found.describe() })
}
