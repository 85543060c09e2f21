//! What checkpoints are of.

use asanoha_lattice::KeyId;

use super::folder::Checkpoints;
use crate::params::Parameters;
use crate::reencryptions::Reencryptions;

/// The kind of the files.
pub(crate) const KIND: &str = "unfinished evaluation";

/// What checkpoints are of.
#[derive(Debug)]
pub struct Evaluation<'a> {
    pub(crate) checkpoints: &'a Checkpoints,
    pub(crate) digest: String,
    pub(crate) key: KeyId,
    pub(crate) seeded: bool,
    /// How often the inputs were re-encrypted.
    pub(crate) reencryptions: Reencryptions,
}

impl<'a> Evaluation<'a> {
    /// Of an evaluation of a plan, by its parameters and its digest, whose keys and inputs are files; `None` if these have no digests.
    pub fn new(
        checkpoints: &'a Checkpoints,
        plan: (&dyn Parameters, &str),
        (key, seeded): (KeyId, bool),
        (keys, inputs): (Option<&str>, Option<&str>),
        reencryptions: Reencryptions,
    ) -> Option<Self> {
        // Re-encrypted inputs state the digest of those that were encrypted.
        let inputs = format!("{} {}", inputs?, reencryptions.inputs);
        let digest = evaluation(plan, key, keys?, &inputs);
        Some(Self { checkpoints, digest, key, seeded, reencryptions })
    }
}

/// The digest of all that decides the values of an evaluation.
fn evaluation((params, plan): (&dyn Parameters, &str), key: KeyId, keys: &str, inputs: &str) -> String {
    let mut hash = blake3::Hasher::new();
    let version = env!("CARGO_PKG_VERSION");
    for part in [KIND, version, params.digest(), plan, &key.to_string(), keys, inputs] {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().to_hex().to_string()
}
