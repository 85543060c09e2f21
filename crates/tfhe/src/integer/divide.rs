//! Division with a remainder.

use super::{BASE, EncryptedInteger, IntegerType, Integers, constant::Divisor, integer, same};
use crate::{Ciphertext, TfheError};

impl Integers<'_> {
    /// Returns the quotient ⌊a/b⌋, or 0 if b is 0. The least signed integer divided by −1 wraps to itself. A public divisor
    /// costs less.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn div(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        same(a, b)?;
        match Divisor::new(b) {
            Some(divisor) => self.div_public(a, divisor),
            None => Ok(self.div_rem(a, b)?.0),
        }
    }

    /// Returns the remainder a − b·⌊a/b⌋, which has the sign of b, or a if b is 0. A public divisor costs less.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn rem(&self, a: &EncryptedInteger, b: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
        same(a, b)?;
        match Divisor::new(b) {
            Some(divisor) => self.rem_public(a, divisor),
            None => Ok(self.div_rem(a, b)?.1),
        }
    }

    /// Returns the quotient and the remainder, as [`Integers::div`] and [`Integers::rem`] do.
    ///
    /// # Errors
    /// If the types or the keys differ.
    pub fn div_rem(
        &self,
        a: &EncryptedInteger,
        b: &EncryptedInteger,
    ) -> Result<(EncryptedInteger, EncryptedInteger), TfheError> {
        let integer_type = same(a, b)?;
        if let Some(divisor) = Divisor::new(b) {
            return self.div_rem_public(a, divisor);
        }
        if a.signed {
            return self.signed_div_rem(a, b);
        }
        let (quotient, remainder) = self.divide(&a.blocks, &b.blocks)?;
        Ok((integer(quotient, integer_type)?, integer(remainder, integer_type)?))
    }

    /// Floor division of signed integers, by that of magnitudes.
    ///
    /// Where b is negative, both change their sign. Where a is negative then, ⌊a/b⌋ = −1 − ⌊(−1 − a)/b⌋, and the remainder is
    /// b − 1 less that of −1 − a.
    fn signed_div_rem(
        &self,
        a: &EncryptedInteger,
        b: &EncryptedInteger,
    ) -> Result<(EncryptedInteger, EncryptedInteger), TfheError> {
        let integer_type = a.integer_type();
        let [a_blocks, b_blocks] = self.within(1.0, [&a.blocks, &b.blocks])?;
        let sign =
            self.functions(&[&|x| if x >= BASE / 2 { BASE } else { 0 }, &|x| u64::from(x >= BASE / 2)])?;
        let top = |blocks: &[Ciphertext]| blocks[blocks.len() - 1].clone();
        let b_sign = self.run(&[(&sign, top(&b_blocks))])?;
        let magnitude = self.negated_where(&b_sign, &b_blocks)?;
        let turned = self.negated_where(&b_sign, &a_blocks)?;
        // −a is negative if its highest bit is set, but for the least a, whose highest bit is set too: b's sign and both
        // digits say it.
        let negative = self.turned_sign(&b_sign[0], &top(&a_blocks), &top(&turned))?;
        let (quotient, remainder) = self.divide(&self.inverted_where(&negative[0], &turned)?, &magnitude)?;
        let quotient = self.quotient_where(&negative[0], &magnitude, &quotient)?;
        // b − 1 − r is b + (4^blocks − 1 − r), and r is r + 0.
        let remainder = self.inverted_where(&negative[0], &remainder)?;
        let masked = self.masked_where(&negative[0], &magnitude)?;
        let sums: Result<Vec<_>, _> = remainder.iter().zip(&masked).map(|(r, b)| r.add(b)).collect();
        let remainder = self.negated_where(&b_sign, &self.propagate(sums?, false)?.0)?;
        Ok((integer(quotient, integer_type)?, integer(remainder, integer_type)?))
    }

    /// The quotient of −1 − a made that of a where a is negative, but 0 stays where the divisor is 0.
    fn quotient_where(
        &self,
        negative: &Ciphertext,
        divisor: &[Ciphertext],
        quotient: &[Ciphertext],
    ) -> Result<Vec<Ciphertext>, TfheError> {
        let divisor = EncryptedInteger::from_blocks(divisor.to_vec(), false)?;
        let zero = self.trivial(0, IntegerType::unsigned(divisor.blocks.len()))?;
        let nonzero = self.ne(&divisor, &zero)?;
        let both = self.functions(&[&|x| if x == BASE + 1 { BASE } else { 0 }])?;
        let inverted = self.run_one(&both, negative.add(&nonzero.0)?)?;
        self.inverted_where(&inverted, quotient)
    }
}
