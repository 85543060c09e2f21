//! How rarely runs may fail.

use std::ops::RangeInclusive;

/// What a plan promises if nothing else is asked for: a run gives a wrong result with a probability of at most 2^−96.
pub const DEFAULT_FAILURE_BITS: u32 = 96;

/// What plans can be asked for, in bits.
pub const FAILURE_BITS_RANGE: RangeInclusive<u32> = 40..=128;
