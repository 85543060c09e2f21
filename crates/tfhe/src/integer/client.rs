//! Encryption and decryption of integers.

use asanoha_ring::{Sampler, Seed};
use zeroize::Zeroizing;

use super::{BASE, DIGIT_BITS, EncryptedInteger, IntegerType, digits};
use crate::{ClientKey, TfheError};

impl ClientKey {
    /// Encrypts an integer, digit by digit.
    ///
    /// # Errors
    /// If it's out of its type's range, or there's no such type.
    pub fn encrypt_integer(
        &self,
        value: i128,
        integer_type: IntegerType,
        sampler: &mut Sampler,
    ) -> Result<EncryptedInteger, TfheError> {
        Ok(self.encrypt_integer_seeded(value, integer_type, sampler)?.0)
    }

    /// Encrypts an integer with the public seeds that the digits' masks are expanded from ([`crate::Ciphertext::from_seed`]).
    /// Send the seeds in place of the masks.
    ///
    /// # Errors
    /// Those of [`ClientKey::encrypt_integer`].
    pub fn encrypt_integer_seeded(
        &self,
        value: i128,
        integer_type: IntegerType,
        sampler: &mut Sampler,
    ) -> Result<(EncryptedInteger, Vec<Seed>), TfheError> {
        self.encrypt_digits(&integer_type.digits(value)?, integer_type.signed, sampler)
    }

    /// Encrypts an unsigned integer of up to 128 bits, beyond the range of [`ClientKey::encrypt_integer`].
    ///
    /// # Errors
    /// If it's out of range, or there's no such type.
    pub fn encrypt_unsigned(
        &self,
        value: u128,
        blocks: usize,
        sampler: &mut Sampler,
    ) -> Result<EncryptedInteger, TfheError> {
        match i128::try_from(value) {
            Ok(value) => self.encrypt_integer(value, IntegerType::unsigned(blocks), sampler),
            Err(_) if blocks == super::MAX_BLOCKS => {
                Ok(self.encrypt_digits(&digits(value, blocks), false, sampler)?.0)
            }
            Err(_) => Err(TfheError::OutOfRange {
                found: i128::MAX,
                least: 0,
                largest: IntegerType::unsigned(blocks).check()?.largest(),
            }),
        }
    }

    fn encrypt_digits(
        &self,
        digits: &[u64],
        signed: bool,
        sampler: &mut Sampler,
    ) -> Result<(EncryptedInteger, Vec<Seed>), TfheError> {
        // From a given seed, equal digits at one position must not have equal ciphertexts: not in other integers either.
        let whole: Zeroizing<Vec<u8>> = Zeroizing::new(digits.iter().map(|&digit| digit as u8).collect());
        let mut sampler = sampler.branch("TFHE integer", &[&whole, &[u8::from(signed)]]);
        let blocks = digits.iter().map(|&digit| self.encrypt_seeded(digit, BASE - 1, &mut sampler));
        let (blocks, seeds) = blocks.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        Ok((EncryptedInteger::from_blocks(blocks, signed)?, seeds))
    }

    /// Decrypts an integer.
    ///
    /// # Errors
    /// Those of [`ClientKey::decrypt`], or if it is unsigned and above the largest `i128`.
    pub fn decrypt_integer(&self, integer: &EncryptedInteger) -> Result<i128, TfheError> {
        let value = integer.integer_type().value(self.decrypt_digits(integer)?);
        let range = (integer.integer_type().least(), integer.integer_type().largest());
        if integer.signed || value >= 0 {
            Ok(value)
        } else {
            Err(TfheError::OutOfRange { found: i128::MAX, least: range.0, largest: range.1 })
        }
    }

    /// Decrypts an unsigned integer.
    ///
    /// # Errors
    /// If it belongs to another key, or is signed.
    pub fn decrypt_unsigned(&self, integer: &EncryptedInteger) -> Result<u128, TfheError> {
        let found = integer.integer_type();
        let expected = IntegerType { signed: false, ..found };
        if integer.signed {
            Err(TfheError::OtherType { found, expected })
        } else {
            self.decrypt_digits(integer)
        }
    }

    fn decrypt_digits(&self, integer: &EncryptedInteger) -> Result<u128, TfheError> {
        let mut bits = 0;
        for (i, block) in integer.blocks.iter().enumerate() {
            bits |= u128::from(self.decrypt(block)?) << (DIGIT_BITS * i as u32);
        }
        Ok(bits)
    }
}
