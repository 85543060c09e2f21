//! Sums of diagonals times rotations: the product of a plaintext matrix and an encrypted vector.

mod cost;
mod steps;
mod sum;

pub use cost::DiagonalCost;
pub use steps::{DiagonalNoise, DiagonalSteps, StepKeys};
pub use sum::{DiagonalSum, diagonal_slots};
