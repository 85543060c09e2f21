//! Numbers of instructions.

use std::ops::{Add, Mul};

/// The width of the instructions' operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// One word.
    Word,
    /// Four words (256 bits).
    Half,
    /// Eight words (512 bits).
    Full,
}

/// The numbers of instructions by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Work {
    /// Multiplications and multiply-adds of integers or floats.
    pub(super) multiply: f64,
    /// Multiplications for the lower half that are written as one instruction (`vpmullq`, `vpmulld`).
    pub(super) multiply_low: f64,
    /// Unsigned minima.
    pub(super) minimum: f64,
    pub(super) shift: f64,
    /// Rearrangements within or across lanes.
    pub(super) shuffle: f64,
    /// Additions, roundings and conversions of floats.
    pub(super) float_add: f64,
    /// Additions, subtractions, logic and blends; for single words also comparisons and conditional moves.
    pub(super) simple: f64,
    pub(super) load: f64,
    pub(super) store: f64,
}

/// No instructions.
pub(super) const NONE: Work = Work {
    multiply: 0.0,
    multiply_low: 0.0,
    minimum: 0.0,
    shift: 0.0,
    shuffle: 0.0,
    float_add: 0.0,
    simple: 0.0,
    load: 0.0,
    store: 0.0,
};

impl Add for Work {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            multiply: self.multiply + other.multiply,
            multiply_low: self.multiply_low + other.multiply_low,
            minimum: self.minimum + other.minimum,
            shift: self.shift + other.shift,
            shuffle: self.shuffle + other.shuffle,
            float_add: self.float_add + other.float_add,
            simple: self.simple + other.simple,
            load: self.load + other.load,
            store: self.store + other.store,
        }
    }
}

impl Mul<f64> for Work {
    type Output = Self;

    fn mul(self, times: f64) -> Self {
        Self {
            multiply: self.multiply * times,
            multiply_low: self.multiply_low * times,
            minimum: self.minimum * times,
            shift: self.shift * times,
            shuffle: self.shuffle * times,
            float_add: self.float_add * times,
            simple: self.simple * times,
            load: self.load * times,
            store: self.store * times,
        }
    }
}
