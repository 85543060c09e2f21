//! Parameters for a circuit: the smallest ring whose security table entry holds the modulus that the circuit's
//! noise asks for.

mod bootstrapped;
pub(crate) mod bootstraps;
mod ckks;
pub mod cost;
mod derive;
mod error;
mod exact;
pub mod failure;
mod failure_bits;
mod hints;
mod progress;
mod reading;
mod rings;
mod switches;
mod tfhe;

pub use ckks::generate_ckks;
pub use derive::schedule_at;
pub(crate) use derive::schedule_sharing;
pub use error::GenerateError;
pub(crate) use exact::ExactSearch;
pub use hints::{ScheduleHints, SearchResult};
pub use progress::SearchProgress;
pub(crate) use reading::Reading;
pub(crate) use rings::NO_SECURITY;
pub(crate) use tfhe::{generate_tfhe, integer_states};
