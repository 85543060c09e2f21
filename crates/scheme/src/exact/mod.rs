//! The shared parts of exact schemes: encoders, decryption and masks.

mod decryptor;
mod encoder;
mod mask;
mod scheme;

pub use decryptor::Decryptor;
pub use encoder::Encoder;
pub use mask::{Mask, MaskEncoder};
pub use scheme::{Exact, ExactPlaintext};
