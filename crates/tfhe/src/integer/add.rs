//! Sums, differences and negation.

use super::{BASE, EncryptedInteger, IntegerType, Integers, check_width, integer, same};
use crate::{Ciphertext, TfheError};

impl Integers<'_> {
    /// Adds two integers: a + b modulo 4^blocks.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn add(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        let integer_type = same(a, b)?;
        let [a, b] = self.within(2.0, [&a.blocks, &b.blocks])?;
        let sums: Result<Vec<_>, _> = a.iter().zip(&b).map(|(a, b)| a.add(b)).collect();
        integer(self.propagate(sums?, false)?.0, integer_type)
    }

    /// Subtracts two integers: a − b modulo 4^blocks, as a + (4^blocks − 1 − b) + 1.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn sub(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        let integer_type = same(a, b)?;
        let [a, b] = self.within(2.0, [&a.blocks, &b.blocks])?;
        let mut sums = differences(&a, &b)?;
        sums[0] = sums[0].add_constant(1)?;
        integer(self.propagate(sums, false)?.0, integer_type)
    }

    /// Negates an integer: −a modulo 4^blocks.
    ///
    /// # Errors
    /// If it belongs to another key.
    pub fn neg(&self, a: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        self.sub(&self.trivial(0, a.integer_type())?, a)
    }

    /// Converts an integer to another type: drops the upper digits, or extends by zero or sign.
    ///
    /// # Errors
    /// If there's no such type.
    pub fn cast(
        &self,
        a: &EncryptedInteger,
        integer_type: IntegerType,
    ) -> Result<EncryptedInteger, TfheError> {
        let blocks = self.extended(a, check_width(integer_type)?.blocks)?;
        integer(blocks, integer_type)
    }

    /// The digits, so many of them.
    pub(super) fn extended(&self, a: &EncryptedInteger, count: usize) -> Result<Vec<Ciphertext>, TfheError> {
        let mut blocks = a.blocks.clone();
        if count > blocks.len() {
            blocks.resize(count, self.above(a)?);
        }
        blocks.truncate(count);
        Ok(blocks)
    }

    /// The digit that all above the highest are: 3 for a negative number, otherwise 0.
    pub(super) fn above(&self, a: &EncryptedInteger) -> Result<Ciphertext, TfheError> {
        match a.blocks.last() {
            Some(top) if a.signed => {
                let sign = self.functions(&[&|x| if x >= BASE / 2 { BASE - 1 } else { 0 }])?;
                self.run_one(&sign, top.clone())
            }
            _ => self.key.trivial(0),
        }
    }
}

/// aᵢ + 3 − bᵢ for all digits.
pub(super) fn differences(a: &[Ciphertext], b: &[Ciphertext]) -> Result<Vec<Ciphertext>, TfheError> {
    a.iter().zip(b).map(|(a, b)| a.add(&b.subtract_from(BASE - 1)?)).collect()
}
