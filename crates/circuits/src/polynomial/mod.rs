//! Polynomials: approximation by Chebyshev series, and evaluation with few multiplications and little depth.

mod chebyshev;
mod evaluate;
mod exact;
mod sign;

pub(crate) use chebyshev::divided;
pub use chebyshev::{ApproximationError, Chebyshev};
pub use evaluate::evaluate;
pub use exact::{Schedule, evaluate_all, evaluate_exact};
pub use sign::Sign;
