//! CKKS: real numbers.

pub(crate) mod backend;
pub(crate) mod bootstrapped;
pub(crate) mod errors;
pub(crate) mod multiples;
pub(crate) mod numbers;
pub(crate) mod open;
pub(crate) mod placement;
pub(crate) mod schedule;
pub(crate) mod search;

pub use errors::{output_errors, published_errors, scale_of};
pub use numbers::bootstrapper;
pub use open::plain_slots;
pub use schedule::schedule_ckks;
pub use search::generate_ckks;
