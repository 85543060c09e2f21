//! Decrypted numbers.

use num_bigint::BigInt;

/// Noise of the outputs in bits, worst output: predicted, and what the modulus would hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// log2 of the predicted bound.
    pub predicted_bits: f64,
    /// log2 of the modulus' half over what it must hold: what's left.
    pub budget_bits: f64,
}

impl Noise {
    /// Of no outputs.
    pub const NONE: Self = Self { predicted_bits: f64::NEG_INFINITY, budget_bits: f64::INFINITY };

    /// The worse of two.
    #[must_use]
    pub fn worst(self, other: Self) -> Self {
        Self {
            predicted_bits: self.predicted_bits.max(other.predicted_bits),
            budget_bits: self.budget_bits.min(other.budget_bits),
        }
    }
}

/// The numbers of all outputs of a schedule, one for each row of a column.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The numbers.
    pub numbers: OpenedNumbers,
    /// The noise.
    pub noise: Noise,
}

/// Numbers of one kind or the other.
#[derive(Clone, Debug)]
pub enum OpenedNumbers {
    /// Of an exact scheme, before the outputs' factors.
    Whole(Vec<Vec<BigInt>>),
    /// Of an approximate scheme, with the outputs' factors.
    Real {
        /// The numbers.
        numbers: Vec<Vec<f64>>,
        /// How far those of each output may be off.
        errors: Vec<f64>,
    },
}

/// Decrypted numbers for others than the key's holder.
#[derive(Clone, Debug)]
pub struct Published {
    /// The numbers.
    pub opened: Opened,
    /// The largest τ that a ciphertext is flooded for.
    pub tau: f64,
    /// The most bits that all numbers together can tell of a value that somebody put into them.
    pub bits: f64,
}
