//! Execution of plans: their back-ends run the schedules, and what all schemes have in common is here. Nothing is decided here.

mod backup;
mod canaries;
mod client_record;
mod collect;
mod correction;
mod encrypted;
mod error;
mod folder_error;
mod keys;
mod measure;
mod merge;
mod progress;
mod publish;
mod record;
mod reencryption;
mod run;
mod sealed;

pub use asanoha_backends::{
    CheckpointError, Checkpoints, Ciphertexts, Contents, DecryptionKey, EncryptedValues, EncryptionKey,
    Noise, Progress, Reencryptions, Resumed,
};
pub use asanoha_planner::plan::Centres;
pub use backup::{Backup, back_up};
pub use canaries::{Canaries, CanaryError, MAX_CANARIES};
pub use client_record::{ClientRecord, ClientRecordError, ClientRecordProblem};
pub use encrypted::{Encrypted, plan_of};
pub use error::ExecuteError;
pub use folder_error::FolderError;
pub use keys::{EvaluationKey, Keys, generate_keys, generate_keys_with_progress, generate_stored_keys};
pub use measure::measure_noise;
pub use merge::{MergeError, Merging, Part, decrypt_part};
pub use progress::unwatched;
pub use publish::{Publication, publish, publish_once};
pub use record::{PublicationRecord, RecordError, RecordProblem};
pub use reencryption::{MOST_REENCRYPTIONS, ReencryptionError, ReencryptionKey, reencrypt};
pub use run::{
    Decrypted, check, decrypt, decrypt_with_progress, encrypt, encrypt_with_progress, evaluate,
    evaluate_with_checkpoints,
};
