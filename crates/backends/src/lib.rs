//! Everything that a scheme does for programs: parameters, schedules, what they cost, and the operations of a schedule.
//!
//! [`slots`] has what schemes whose ciphertexts have slots share; [`exact`], [`ckks`] and [`tfhe`] have a scheme's own. A search gives
//! parameters with a schedule and its hints ([`SearchResult`]); [`schedule_at`] derives the same schedule from these again.

pub mod ckks;
mod derive;
mod error;
pub mod exact;
pub mod failure;
mod failure_bits;
mod hints;
mod params;
mod progress;
mod reading;
mod rings;
pub mod slots;
pub mod tfhe;

pub use derive::{schedule_at, schedule_sharing};
pub use error::{GenerateError, NoSchedule};
pub use hints::{ScheduleHints, SearchResult};
pub use params::{ParamsLiteral, Scheme, SchemeParams};
pub use progress::SearchProgress;
pub use reading::Reading;
pub use rings::NO_SECURITY;
