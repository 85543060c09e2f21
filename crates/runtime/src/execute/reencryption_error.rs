//! Why ciphertexts can't be re-encrypted.

use asanoha_lattice::KeyId;
use asanoha_scheme::SchemeError;
use thiserror::Error;

use crate::advice::{Advice, Advised};

/// How often the inputs and the results of one computation may be re-encrypted together.
pub const MOST_REENCRYPTIONS: u32 = 8;

/// Why ciphertexts can't be re-encrypted, or re-encrypted ones can't be used.
#[derive(Debug, Error)]
pub enum ReencryptionError {
    /// A scheme or parameters without a key for it.
    #[error("{0} can't be re-encrypted under new keys")]
    Unsupported(String),
    /// A secret key for its own key generation.
    #[error("the old and the new keys are of one key generation, {0}")]
    SameKeys(KeyId),
    /// Ciphertexts that are under the new keys.
    #[error("the ciphertexts are under key generation {0} already, to which the re-encryption key leads")]
    Already(KeyId),
    /// Ciphertexts of another key generation.
    #[error(
        "the re-encryption key takes ciphertexts of key generation {from}, and these are of {ciphertexts}"
    )]
    OtherKeys {
        /// The key generation that the key takes.
        from: KeyId,
        /// The ciphertexts' key generation.
        ciphertexts: KeyId,
    },
    /// Too many.
    #[error("inputs and results can be re-encrypted {MOST_REENCRYPTIONS} times together and no more")]
    TooMany,
    /// Noise that the plan has no room for.
    #[error("the plan has no bits left for the noise of {what}: {error}")]
    NoRoom {
        /// What would have it.
        what: &'static str,
        /// What doesn't fit.
        error: Box<SchemeError>,
    },
    /// A circuit that was fitted to the noise of fresh inputs.
    #[error(
        "the plan compares or bootstraps approximate numbers, by what it knows of the noise of fresh inputs, and re-encrypted ones have more"
    )]
    Fitted,
    /// Results that state another number of re-encryptions than the client knows of.
    #[error(
        "the results state {stated} re-encryptions, and by your record the keys were replaced {known} times since these inputs were encrypted"
    )]
    Rotations {
        /// By the results.
        stated: u32,
        /// By the client.
        known: u32,
    },
    /// Results for others than the key's holder.
    #[error(
        "approximate results of re-encrypted ciphertexts can't be published: what they tell of the old secret key was counted beside that key"
    )]
    Published,
}

impl Advised for ReencryptionError {
    fn advice(&self) -> Vec<Advice> {
        match self {
            Self::Unsupported(_) | Self::TooMany | Self::Fitted | Self::NoRoom { .. } => {
                vec![Advice::EncryptAgain]
            }
            Self::Rotations { .. } => vec![Advice::StateRotations, Advice::EncryptAgain],
            Self::Published => vec![Advice::PublishOld, Advice::EncryptAgain],
            Self::SameKeys(_) | Self::Already(_) => Vec::new(),
            Self::OtherKeys { .. } => vec![Advice::ReencryptingKeys],
        }
    }
}
