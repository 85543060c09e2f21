//! The subject of a run.

/// The facts of a run beside its times and counts.
pub(super) struct Subject {
    pub(super) parameters: String,
    /// The number of bootstrapped ciphertexts.
    pub(super) ciphertexts: usize,
    /// The server's keys are in `memory` or in a `file`.
    pub(super) key_place: &'static str,
    /// Their bytes, whole.
    pub(super) key_bytes: u64,
}
