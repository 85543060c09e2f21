//! Everything that a scheme does for programs: parameters, schedules, what they cost, and the operations of a schedule.
//!
//! [`slots`] has what schemes whose ciphertexts have slots share; [`exact`], [`ckks`] and [`tfhe`] have a scheme's own. A search gives
//! parameters with a schedule and its hints ([`SearchResult`]); [`schedule_at`] derives the same schedule from these again.

mod altered;
mod backend;
mod backend_error;
mod checkpoints;
mod ciphertexts;
pub mod ckks;
mod column;
mod contents;
mod derive;
mod done;
mod error;
pub mod exact;
pub mod failure;
mod failure_bits;
mod hints;
mod keys;
mod list;
mod literal;
mod machine;
mod opened;
mod params;
mod progress;
mod reading;
mod reencryptions;
mod rings;
mod scheme_name;
mod shared;
pub mod slots;
pub mod tfhe;

pub use altered::{AlteredResult, Finding, ResultPlace};
pub use backend::{Backend, Listed, Ordinal, Request, Scheduled, SchemeParams, ServerBackend};
pub use backend_error::BackendError;
pub use checkpoints::{CheckpointError, Checkpoints, Evaluation, Resumed};
pub use ciphertexts::{Ciphertexts, EncryptedValues, Fresh, Stated, StatedCiphertext, StatedValue};
pub use column::InputColumn;
pub use contents::Contents;
pub use derive::{schedule_at, schedule_sharing};
pub use done::{Done, Progress, go_on};
pub use error::{GenerateError, NoSchedule};
pub use hints::{ScheduleHints, SearchResult};
pub use keys::{DecryptionKey, EncryptionKey, EvaluationKey, Keeping, Key, KeysOfEvaluation, NewKeys};
pub use list::{BACKENDS, Backends, CLIENT_BACKENDS, check_params};
pub use literal::ParamsLiteral;
pub use machine::{Machine, MachineCost, REFERENCE, ReferenceSpeeds};
pub use opened::{Noise, Opened, OpenedNumbers, Published};
pub use params::Parameters;
pub use progress::SearchProgress;
pub use reading::Reading;
pub use reencryptions::Reencryptions;
pub use rings::NO_SECURITY;
pub use scheme_name::SchemeName;
pub use shared::Shared;
