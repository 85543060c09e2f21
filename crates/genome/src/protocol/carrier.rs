//! What the protocol is computed on: ciphertexts, what is known of them beforehand, or plain slots.

use super::shape::BLOCKS;

/// Numbers modulo t, centred, that a value is multiplied with or that are added to it.
pub(crate) enum Slots<'a> {
    /// One number for all slots.
    All(i64),
    /// A number for each block, the same in all lanes.
    Blocks([i64; BLOCKS]),
    /// A number for every slot, the first row first. They are made only where they're needed, so not for what is foreseen.
    Each(&'a (dyn Fn() -> Vec<i64> + Sync)),
}

/// Carries out the protocol's operations. Those that overwrite an operand take it by value: fresh memory for thousands of ciphertexts
/// costs as much as adding them.
pub(crate) trait Carrier: Sync {
    /// Numbers modulo t in all slots.
    type Value: Clone + Send + Sync;
    /// What can go wrong in an operation.
    type Error: Send;

    /// a + b.
    fn add(&self, a: Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// a and an image of it under an automorphism: unlike two other values', their noises are taken to be uncorrelated.
    fn add_image(&self, a: Self::Value, image: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// a − b.
    fn sub(&self, a: Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// a·b, slot by slot.
    fn multiply(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// a·b at the level of the operands, for what is multiplied by plain numbers next: it's cheaper to let these add to the noise
    /// before it's divided.
    fn multiply_unsettled(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// a·b for products one after another with `b`, which are noisy, and `a`, which isn't: as [`Carrier::lossless`].
    fn multiply_lossless(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// Σ aₖ·bₖ, for [`Carrier::for_spoiling`].
    fn sum_of_products(&self, a: &[Self::Value], b: &[Self::Value]) -> Result<Self::Value, Self::Error>;
    /// The rows rotated to the left, by each of some numbers of places.
    fn rotate(&self, a: &Self::Value, rotations: &[i64]) -> Result<Vec<Self::Value>, Self::Error>;
    /// The sum of the images under all rotations by multiples of `stride`, of which there are `count`, a power of two.
    fn trace(&self, a: &Self::Value, stride: usize, count: usize) -> Result<Self::Value, Self::Error>;
    /// The rows swapped.
    fn swap_rows(&self, a: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// Each value, as a polynomial, times X^exponent; the exponent is taken modulo 2N.
    fn shift(&self, values: Vec<Self::Value>, exponent: i64) -> Result<Vec<Self::Value>, Self::Error>;
    /// Σ diagonalₖ·(a rotated to the left by k places), over k below `count`.
    fn diagonals(
        &self,
        a: &Self::Value,
        count: usize,
        diagonal: &(dyn Fn(usize) -> Vec<i64> + Sync),
    ) -> Result<Self::Value, Self::Error>;
    /// The product with plain numbers.
    fn times(&self, a: Self::Value, slots: &Slots<'_>) -> Result<Self::Value, Self::Error>;
    /// The sum with plain numbers.
    fn plus(&self, a: Self::Value, slots: &Slots<'_>) -> Result<Self::Value, Self::Error>;
    /// The same numbers at the level that suits the noise.
    fn settled(&self, a: Self::Value) -> Result<Self::Value, Self::Error>;
    /// The same numbers at the lowest level that takes as much of the noise as of the modulus.
    fn lossless(&self, a: Self::Value) -> Result<Self::Value, Self::Error>;
    /// The same numbers at a level from which a product with plain numbers, and then one of so many of these, comes to the level of
    /// another value.
    fn beside(
        &self,
        a: &Self::Value,
        other: &Self::Value,
        factors: usize,
    ) -> Result<Self::Value, Self::Error>;
    /// The same numbers for the bit check, at a level that leaves room for one product and no more.
    fn for_check(&self, a: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// The same numbers for blinding and packing, at their level and without a correction factor, so that sums of them
    /// aren't multiplied by such factors.
    fn for_packing(&self, a: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// As [`Carrier::for_packing`], but times a unit modulo t that is the same in all slots, which adds less to the noise.
    fn for_spoiling(&self, a: &Self::Value) -> Result<Self::Value, Self::Error>;
}
