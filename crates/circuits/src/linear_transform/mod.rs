//! A plaintext matrix times an encrypted vector, by diagonals.

mod matrix;
mod plan;
mod repeated;

pub use matrix::{LinearTransform, MatrixError};
pub use plan::{LinearCost, LinearPlan, Method, PreparedTransform};
pub use repeated::Repeated;
