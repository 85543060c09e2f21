//! Boolean gates: encrypted bits are numbers 0 and 1, and a gate of two is one bootstrapping.

use asanoha_ring::Sampler;

use crate::{Ciphertext, ClientKey, EncryptedInteger, ServerKey, TfheError};

/// An encrypted bit.
#[derive(Clone, Debug)]
pub struct EncryptedBit(pub(crate) Ciphertext);

impl ClientKey {
    /// Encrypts a bit.
    pub fn encrypt_bit(&self, bit: bool, sampler: &mut Sampler) -> Result<EncryptedBit, TfheError> {
        self.encrypt_up_to(bit.into(), 1, sampler).map(EncryptedBit)
    }

    /// Decrypts a bit.
    pub fn decrypt_bit(&self, bit: &EncryptedBit) -> Result<bool, TfheError> {
        Ok(self.decrypt(&bit.0)? == 1)
    }
}

/// A bit as an integer of one digit.
impl From<EncryptedBit> for EncryptedInteger {
    fn from(bit: EncryptedBit) -> Self {
        Self::of_digit(bit.0)
    }
}

impl EncryptedBit {
    /// The other bit. It needs no bootstrapping, and the noise stays.
    pub fn not(&self) -> Result<Self, TfheError> {
        self.0.subtract_from(1).map(Self)
    }
}

impl ServerKey {
    /// Any gate of two bits, by one bootstrapping: a table of 2a + b.
    pub fn gate(
        &self,
        function: impl Fn(bool, bool) -> bool,
        a: &EncryptedBit,
        b: &EncryptedBit,
    ) -> Result<EncryptedBit, TfheError> {
        self.apply_two(|a, b| function(a == 1, b == 1).into(), &a.0, &b.0).map(EncryptedBit)
    }

    /// Whether both are 1.
    pub fn and(&self, a: &EncryptedBit, b: &EncryptedBit) -> Result<EncryptedBit, TfheError> {
        self.gate(|a, b| a & b, a, b)
    }

    /// Whether one or both are 1.
    pub fn or(&self, a: &EncryptedBit, b: &EncryptedBit) -> Result<EncryptedBit, TfheError> {
        self.gate(|a, b| a | b, a, b)
    }

    /// Whether exactly one is 1.
    pub fn xor(&self, a: &EncryptedBit, b: &EncryptedBit) -> Result<EncryptedBit, TfheError> {
        self.gate(|a, b| a ^ b, a, b)
    }

    /// Whether not both are 1.
    pub fn nand(&self, a: &EncryptedBit, b: &EncryptedBit) -> Result<EncryptedBit, TfheError> {
        self.gate(|a, b| !(a & b), a, b)
    }
}
