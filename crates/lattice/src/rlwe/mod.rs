//! RLWE keys and ciphertexts.

mod ciphertext;
mod decrypt;
mod derive;
mod encrypt;
mod form;
mod public;
mod raise;
mod secret;
mod share;

pub use ciphertext::RlweCiphertext;
pub use decrypt::NoiseAboveBound;
pub use public::PublicKey;
pub use secret::{OtherKey, SecretKey};
pub use share::{ProductShare, SecretShare};
