//! Predicted time and memory of a run.

use serde::{Deserialize, Serialize};

/// What's predicted of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// Seconds of the evaluation, on the machine and with the threads of the planning.
    pub evaluate_s: f64,
    /// Seconds of reading and checking the encrypted inputs, on the same machine.
    pub read_s: f64,
    /// Bytes of the inputs as the secret key encrypts them, but for a file's header.
    pub input_bytes: u64,
    /// Bytes of evaluation keys and ciphertexts in memory.
    pub bytes: u64,
    /// Bits of precision of the least precise output, relative to its range: `None` where it's exact.
    pub precision_bits: Option<f64>,
}
