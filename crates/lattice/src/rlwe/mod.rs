//! RLWE keys and ciphertexts.

mod ciphertext;
mod error;
mod noise_above_bound;
mod public;
mod randomness;
mod secret;
mod share;

pub use ciphertext::RlweCiphertext;
pub(crate) use error::scaled_error;
pub use noise_above_bound::NoiseAboveBound;
pub use public::PublicKey;
pub use secret::{OtherKey, SecretKey};
pub use share::{ProductShare, SecretShare};
