//! How rarely runs may fail.

use std::ops::RangeInclusive;

/// The promise of a plan if nothing else is asked for: a run gives a wrong result with a probability of at most 2^−128.
pub const DEFAULT_FAILURE_BITS: u32 = 128;

/// The promise of a plan that doesn't keep [`DEFAULT_FAILURE_BITS`], if nothing else is asked for, and of every plan of TFHE.
pub const LEAST_DEFAULT_FAILURE_BITS: u32 = 96;

/// What plans can be asked for, in bits.
pub const FAILURE_BITS_RANGE: RangeInclusive<u32> = 40..=128;
