//! Encrypted integers as the scheme floor's circuits ask for arithmetic: sums, products and constants. There are no levels and
//! no slots, so that what asks for those doesn't run on them.

use asanoha_scheme::capability::{Additive, Constants, Multiplicative, Values};

use crate::{EncryptedInteger, Integers, TfheError};

impl Values for Integers<'_> {
    type Value = EncryptedInteger;
    type Error = TfheError;
}

/// Modulo 4^blocks, for operands of one type.
impl Additive for Integers<'_> {
    fn add(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        self.add(a, b)
    }
    fn sub(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        self.sub(a, b)
    }
}

/// Modulo 4^blocks, for operands of one type.
impl Multiplicative for Integers<'_> {
    fn multiply(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        self.mul(a, b)
    }
}

/// Constants that are values of the operand's type: others are refused.
impl Constants<i128> for Integers<'_> {
    fn add_constant(&self, a: &EncryptedInteger, constant: i128) -> Result<EncryptedInteger, TfheError> {
        self.add(a, &self.trivial(constant, a.integer_type())?)
    }
    fn mul_constant(&self, a: &EncryptedInteger, factor: i128) -> Result<EncryptedInteger, TfheError> {
        self.mul(a, &self.trivial(factor, a.integer_type())?)
    }
}
