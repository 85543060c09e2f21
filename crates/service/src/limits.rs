//! What a service grants its clients.

use std::time::Duration;

/// What a service grants its clients. Bytes are those of files, and include uploads that aren't complete at the length that they
/// will have.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most bytes of all clients. Results of jobs that were accepted are kept even if they exceed it.
    pub store_bytes: u64,
    /// The most bytes of a client.
    pub client_bytes: u64,
    /// The most bytes of a file of evaluation keys.
    pub key_bytes: u64,
    /// The most bytes of a file of inputs.
    pub input_bytes: u64,
    /// The most uploads of a client that aren't complete.
    pub client_uploads: usize,
    /// The most files of keys and inputs of a client, uploads that aren't complete included.
    pub client_files: usize,
    /// The most jobs that wait.
    pub queue: usize,
    /// The most jobs of a client that wait or run.
    pub client_queue: usize,
    /// The most jobs of a client that are remembered, finished ones included.
    pub client_jobs: usize,
    /// How long an upload may take from its beginning to its end, interruptions included.
    pub keep_uploads: Duration,
    /// How long keys are kept after their last use.
    pub keep_keys: Duration,
    /// How long inputs are kept after their last use.
    pub keep_inputs: Duration,
    /// How long finished jobs and their results are kept.
    pub keep_results: Duration,
    /// The longest that a job may take, in seconds. Jobs that are predicted to take longer aren't accepted, and those that do all the same
    /// are stopped.
    pub job_seconds: Option<f64>,
    /// The most memory of the whole process, in bytes. Jobs that are predicted to need more, even with their keys left on the
    /// disk, aren't accepted, and those that do all the same are stopped.
    pub memory_bytes: Option<u64>,
    /// How often a job is begun, if the process or the disk fails while it runs.
    pub attempts: u32,
    /// How many jobs run at the same time: as many as there are workers. Waits are predicted by it.
    pub workers: usize,
}

impl Default for Limits {
    fn default() -> Self {
        const DAY: Duration = Duration::from_hours(24);
        Self {
            store_bytes: 100 << 30,
            client_bytes: 16 << 30,
            key_bytes: 8 << 30,
            input_bytes: 2 << 30,
            client_uploads: 16,
            client_files: 4096,
            queue: 256,
            client_queue: 32,
            client_jobs: 4096,
            keep_uploads: 2 * DAY,
            keep_keys: 30 * DAY,
            keep_inputs: 7 * DAY,
            keep_results: 7 * DAY,
            job_seconds: None,
            memory_bytes: None,
            attempts: 3,
            workers: 1,
        }
    }
}
