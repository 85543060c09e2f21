//! The operations, a file for each group: what the noise model says of it, and what the evaluator does.

mod constant;
mod form;
mod level;
mod multiply;
mod plain;
mod rescale;
mod rotate;
mod settle;
mod sum;
mod trace;
mod transform;

pub use transform::Transform;
