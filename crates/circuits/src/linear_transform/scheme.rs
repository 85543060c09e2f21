//! What a scheme gives to linear transforms.

use asanoha_bgv::{BgvError, BgvTransform};
use asanoha_ckks::{CkksError, CkksTransform, Complex64};
use asanoha_lattice::{DiagonalSteps, Level, RlweParams};
use num_bigint::BigInt;

use crate::Slots;

/// Parameters of a scheme whose slots stand in rows.
pub trait SlotParams {
    /// The ring's parameters.
    fn rlwe(&self) -> &RlweParams;
    /// The number of slots of a row.
    fn row_slots(&self) -> usize;
}

/// Ciphertexts whose rotations can be multiplied by encoded diagonals and summed.
pub trait LinearSlots: Slots {
    /// What a slot holds.
    type Value;
    /// How diagonals are scaled.
    type Scale;
    /// Encoded diagonals.
    type Transform;

    /// The ring's parameters.
    fn rlwe(&self) -> &RlweParams;
    /// Encodes the diagonals at the offsets that the steps make, for ciphertexts of a level and those below.
    fn encode_transform(
        &self,
        steps: &DiagonalSteps,
        level: Level,
        scale: Self::Scale,
        diagonal: impl Fn(usize) -> Vec<Self::Value> + Sync,
    ) -> Result<Self::Transform, Self::Error>;
    /// The sum of the rotations times the diagonals.
    fn transform(
        &self,
        a: &Self::Ciphertext,
        transform: &Self::Transform,
    ) -> Result<Self::Ciphertext, Self::Error>;
    /// Bytes of encoded diagonals in memory.
    fn transform_bytes(transform: &Self::Transform) -> usize;
}

impl SlotParams for asanoha_bgv::BgvParams {
    fn rlwe(&self) -> &RlweParams {
        self.rlwe()
    }
    fn row_slots(&self) -> usize {
        self.row_slots()
    }
}

impl SlotParams for asanoha_ckks::CkksParams {
    fn rlwe(&self) -> &RlweParams {
        self.rlwe()
    }
    fn row_slots(&self) -> usize {
        self.slots()
    }
}

/// Exact: there is no scale.
impl LinearSlots for asanoha_bgv::Evaluator {
    type Value = BigInt;
    type Scale = ();
    type Transform = BgvTransform;

    fn rlwe(&self) -> &RlweParams {
        self.params().rlwe()
    }
    fn encode_transform(
        &self,
        steps: &DiagonalSteps,
        level: Level,
        (): (),
        diagonal: impl Fn(usize) -> Vec<BigInt> + Sync,
    ) -> Result<BgvTransform, BgvError> {
        asanoha_bgv::Encoder::new(self.params()).encode_transform(steps, level, diagonal)
    }
    fn transform(
        &self,
        a: &Self::Ciphertext,
        transform: &BgvTransform,
    ) -> Result<Self::Ciphertext, BgvError> {
        self.transform(a, transform)
    }
    fn transform_bytes(transform: &BgvTransform) -> usize {
        transform.bytes()
    }
}

/// The result has the product of the scales: the caller rescales it. Diagonals at the scale of the prime that this
/// divides by leave the ciphertext's scale as it was.
impl LinearSlots for asanoha_ckks::Evaluator {
    type Value = Complex64;
    type Scale = f64;
    type Transform = CkksTransform;

    fn rlwe(&self) -> &RlweParams {
        self.params().rlwe()
    }
    fn encode_transform(
        &self,
        steps: &DiagonalSteps,
        level: Level,
        scale: f64,
        diagonal: impl Fn(usize) -> Vec<Complex64> + Sync,
    ) -> Result<CkksTransform, CkksError> {
        asanoha_ckks::Encoder::new(self.params()).encode_transform(steps, level, scale, diagonal)
    }
    fn transform(
        &self,
        a: &Self::Ciphertext,
        transform: &CkksTransform,
    ) -> Result<Self::Ciphertext, CkksError> {
        self.transform(a, transform)
    }
    fn transform_bytes(transform: &CkksTransform) -> usize {
        transform.bytes()
    }
}
