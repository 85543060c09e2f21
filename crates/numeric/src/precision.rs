//! How near results that aren't exact come to the right ones.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Range, number};

/// The most bits of precision that can be asked for: what double precision carries, less what it loses.
const MOST_BITS: u32 = 50;

/// The precision that's asked of every output.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Precision {
    /// Relative to the output's range: an error of at most 2^−bits times the power of two that bounds it.
    Relative {
        /// 1 to 50.
        bits: u32,
    },
    /// The same for every output, whatever its range.
    Absolute {
        /// The largest error, above 0.
        error: f64,
    },
}

/// A precision that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum PrecisionError {
    /// Too many bits, or none.
    #[error("{0} bits of precision aren't possible; ask for 1 to {MOST_BITS}")]
    Bits(u32),
    /// An error that no computation keeps, or that isn't a number.
    #[error("an error of up to {0:e} can't be asked for; ask for a positive number, such as 1e-6")]
    Absolute(f64),
}

impl Precision {
    /// Refuses what makes no sense.
    pub fn check(self) -> Result<Self, PrecisionError> {
        match self {
            Self::Relative { bits } if !(1..=MOST_BITS).contains(&bits) => Err(PrecisionError::Bits(bits)),
            Self::Absolute { error } if !(error.is_normal() && error > 0.0) => {
                Err(PrecisionError::Absolute(error))
            }
            _ => Ok(self),
        }
    }

    /// With so many bits more, as far as there are any.
    pub fn narrowed(self, bits: u32) -> Self {
        match self {
            Self::Relative { bits: asked } => Self::Relative { bits: (asked + bits).min(MOST_BITS) },
            Self::Absolute { error } => {
                Self::Absolute { error: number::times_power_of_two(error, -i64::from(bits)) }
            }
        }
    }

    /// With so many bits less, if any are left.
    pub fn widened(self, bits: u32) -> Option<Self> {
        match self {
            Self::Relative { bits: asked } => {
                Some(Self::Relative { bits: asked.checked_sub(bits).filter(|left| *left > 0)? })
            }
            Self::Absolute { error } => {
                let error = number::times_power_of_two(error, bits.into());
                error.is_finite().then_some(Self::Absolute { error })
            }
        }
    }

    /// The largest error that an output of this range may have; relative to a range of nothing but 0, none.
    pub fn tolerance(self, range: &Range) -> f64 {
        match self {
            Self::Relative { bits } => range
                .log2_bound()
                .map_or(0.0, |bound| number::times_power_of_two(1.0, bound - i64::from(bits))),
            Self::Absolute { error } => error,
        }
    }
}

/// What doubles lose of a plain computation at most.
pub const PLAIN: Precision = Precision::Relative { bits: 48 };

impl std::fmt::Display for Precision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Relative { bits } => write!(f, "{bits} bits"),
            Self::Absolute { error } => write!(f, "absolute error of {error:e}"),
        }
    }
}
