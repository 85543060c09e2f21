//! Encrypted integers.

use asanoha_lattice::KeyId;

use crate::{
    Ciphertext, EncryptedBit, IntegerType, MAX_BLOCKS, TfheError,
    integer_type::{BASE, digits},
};

/// An encrypted integer: its digits, least first, each from 0 to 3.
#[derive(Clone, Debug)]
pub struct EncryptedInteger {
    pub(super) blocks: Vec<Ciphertext>,
    pub(super) signed: bool,
}

impl EncryptedInteger {
    /// Creates an integer from its digits, least first.
    ///
    /// # Errors
    /// If there are none or more than [`MAX_BLOCKS`], one may be above 3, or they belong to different keys.
    pub fn from_blocks(blocks: Vec<Ciphertext>, signed: bool) -> Result<Self, TfheError> {
        check_width(IntegerType { blocks: blocks.len(), signed })?;
        for block in &blocks {
            block.check_key(&blocks[0].params, blocks[0].id)?;
            if block.largest >= BASE {
                return Err(TfheError::TooLarge { found: block.largest, messages: BASE });
            }
        }
        Ok(Self { blocks, signed })
    }

    /// Returns the digits, least first.
    pub fn blocks(&self) -> &[Ciphertext] {
        &self.blocks
    }

    /// Returns the type.
    pub fn integer_type(&self) -> IntegerType {
        IntegerType { blocks: self.blocks.len(), signed: self.signed }
    }

    /// Returns the identifier of the key generation that the integer belongs to.
    pub fn key_id(&self) -> KeyId {
        self.blocks[0].id
    }
}

/// A bit as an integer of one digit.
impl From<EncryptedBit> for EncryptedInteger {
    fn from(bit: EncryptedBit) -> Self {
        Self { blocks: vec![bit.0], signed: false }
    }
}

/// Refuses widths that there aren't.
pub(crate) fn check_width(integer_type: IntegerType) -> Result<IntegerType, TfheError> {
    if (1..=MAX_BLOCKS).contains(&integer_type.blocks) {
        Ok(integer_type)
    } else {
        Err(TfheError::Width { found: integer_type.blocks })
    }
}

/// The digits of a value of a type, least first.
///
/// # Errors
/// If it's out of range.
pub(crate) fn digits_of_value(value: i128, integer_type: IntegerType) -> Result<Vec<u64>, TfheError> {
    check_width(integer_type)?;
    let (least, largest) = (integer_type.least(), integer_type.largest());
    if (least..=largest).contains(&value) {
        Ok(digits(value.cast_unsigned(), integer_type.blocks))
    } else {
        Err(TfheError::OutOfRange { found: value, least, largest })
    }
}

/// Refuses operands of different types.
pub(super) fn same(a: &EncryptedInteger, b: &EncryptedInteger) -> Result<IntegerType, TfheError> {
    let (found, expected) = (b.integer_type(), a.integer_type());
    if found == expected { Ok(found) } else { Err(TfheError::OtherType { found, expected }) }
}

/// The integer of some digits.
pub(super) fn integer(
    blocks: Vec<Ciphertext>,
    integer_type: IntegerType,
) -> Result<EncryptedInteger, TfheError> {
    EncryptedInteger::from_blocks(blocks, integer_type.signed)
}
