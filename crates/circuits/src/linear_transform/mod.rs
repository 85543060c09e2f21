//! A plaintext matrix times an encrypted vector, by diagonals.

mod error;
mod matrix;
mod plan;
mod repeated;

pub use error::MatrixError;
pub use matrix::LinearTransform;
pub use plan::{LinearCost, LinearPlan, Method, PreparedTransform};
pub use repeated::Repeated;
