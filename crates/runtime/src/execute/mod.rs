//! Execution of plans: their back-ends run the schedules, and what all schemes have in common is here. Nothing is decided here.

mod canaries;
mod canary_error;
mod checks;
mod client_record_error;
mod collect;
mod correction;
mod decrypted;
mod encrypted;
mod error;
pub(crate) mod files;
mod folder_error;
mod input_secrets;
mod keys;
mod measure;
mod merge;
mod progress;
mod publish;
pub(crate) mod record;
mod record_error;
mod reencryption;
mod reencryption_counts;
mod reencryption_error;
mod run;
pub(crate) mod sealed;
mod showing_error;

pub use asanoha_backends::{
    AlteredResult, CheckpointError, Checkpoints, Ciphertexts, Contents, DecryptionKey, EncryptedValues,
    EncryptionKey, Finding, Noise, Progress, Reencryptions, ResultPlace, Resumed,
};
pub use asanoha_planner::plan::Centres;
pub use canaries::Canaries;
pub use canary_error::{CanaryError, MAX_CANARIES, MOST_CANARY_RESULTS};
pub use checks::check;
pub use client_record_error::{ClientRecordError, ClientRecordProblem};
pub use decrypted::{Decrypted, Publication, ShownBits, largest};
pub use encrypted::{Encrypted, plan_of};
pub use error::ExecuteError;
pub use folder_error::FolderError;
pub use input_secrets::InputSecrets;
pub use keys::{
    EvaluationKey, Keys, generate_keys, generate_keys_to, generate_keys_with_progress, generate_stored_keys,
};
pub use measure::measure_noise;
pub use merge::{MergeError, Merging, Part, decrypt_part};
pub use progress::unwatched;
pub use publish::{Confirmation, check_evaluation, needs_record, publish, publish_by, publish_once};
pub use record::PublicationRecord;
pub use record_error::{RecordError, RecordProblem};
pub use reencryption::{ReencryptionKey, reencrypt};
pub use reencryption_error::{MOST_REENCRYPTIONS, ReencryptionError};
pub use run::{
    decrypt, decrypt_with_progress, encrypt, encrypt_with_progress, evaluate, evaluate_with_checkpoints,
};
pub use showing_error::ShowingError;
