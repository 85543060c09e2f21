//! Encrypted bits: numbers 0 and 1.

use crate::{Ciphertext, TfheError};

/// An encrypted bit.
#[derive(Clone, Debug)]
pub struct EncryptedBit(pub(crate) Ciphertext);

impl EncryptedBit {
    /// The other bit. It needs no bootstrapping, and the noise stays.
    pub fn not(&self) -> Result<Self, TfheError> {
        self.0.subtract_from(1).map(Self)
    }
}
