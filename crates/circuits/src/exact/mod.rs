//! Exact arithmetic on encrypted integers, as the circuits for division, comparison and tables need it.

mod cost;
mod plain;
mod scheme;

pub use cost::{Cost, CostCounter, StageCost};
pub use plain::{PlainArithmetic, PlainValue, TooDeep};

use std::borrow::Cow;

use num_bigint::BigUint;

/// Slot by slot arithmetic modulo t, in levels: every product costs one or more, and nothing else does.
///
/// Each scheme's evaluator implements it, and [`PlainArithmetic`] on plain numbers. Levels only say which of two
/// values more can be done with; what one is worth is the scheme's to say.
pub trait ExactArithmetic: Sync {
    /// A vector of integers modulo t: a ciphertext or plain numbers.
    type Value: Clone + Send + Sync;
    /// What can go wrong in an operation.
    type Error: Send;

    /// The plaintext modulus t.
    fn modulus(&self) -> BigUint;
    /// The level of a value.
    fn level(&self, a: &Self::Value) -> usize;
    /// The same values at a level; as they are if theirs isn't above it.
    fn lowered<'a>(&self, a: &'a Self::Value, level: usize) -> Result<Cow<'a, Self::Value>, Self::Error>;
    /// A constant, taken modulo t, in every slot, which hides nothing and has no noise.
    fn constant(&self, constant: i64, level: usize) -> Result<Self::Value, Self::Error>;
    /// a + b; the higher operand is lowered.
    fn add(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// a − b; the higher operand is lowered.
    fn sub(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// a·b; the higher operand is lowered.
    fn multiply(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// Σ wₖ·aₖ with weights modulo t, of values of one level: costs no level.
    ///
    /// # Panics
    /// If there are no values, or not as many weights.
    fn weighted_sum(&self, values: &[&Self::Value], weights: &[u64]) -> Result<Self::Value, Self::Error>;
    /// Σⱼₖ wⱼₖ·leftⱼ·rightₖ with weights modulo t, row j after row, of values of one level: costs as many levels as one
    /// product, and one relinearisation.
    ///
    /// # Panics
    /// If there are no values, or other than left·right weights.
    fn bilinear_form(
        &self,
        left: &[&Self::Value],
        weights: &[u64],
        right: &[&Self::Value],
    ) -> Result<Self::Value, Self::Error>;
}
