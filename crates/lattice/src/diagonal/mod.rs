//! Sums of diagonals times rotations: the product of a plaintext matrix and an encrypted vector.

mod steps;
mod sum;

pub use steps::{DiagonalCost, DiagonalNoise, DiagonalSteps, StepKeys};
pub use sum::{DiagonalSum, diagonal_slots};
