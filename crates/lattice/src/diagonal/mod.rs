//! Sums of diagonals times rotations: what a plaintext matrix times an encrypted vector is.

mod cost;
mod steps;
mod sum;

pub use cost::DiagonalCost;
pub use steps::{DiagonalNoise, DiagonalSteps, StepKeys};
pub use sum::{DiagonalSum, diagonal_slots};
