//! Division by a public number.

use super::{BASE, DIGIT_BITS, EncryptedInteger, Integers, digits, integer};
use crate::{Ciphertext, TfheError};

impl Integers<'_> {
    /// [`Integers::div_rem`] by a public integer of the given bits.
    pub(super) fn div_rem_public(
        &self,
        a: &EncryptedInteger,
        b: &EncryptedInteger,
        divisor: u128,
    ) -> Result<(EncryptedInteger, EncryptedInteger), TfheError> {
        let integer_type = a.integer_type();
        let mask = u128::MAX >> (u128::BITS - integer_type.bits());
        let negated = divisor.wrapping_neg() & mask;
        let negative = integer_type.signed && divisor > mask / 2;
        if divisor == 0 {
            return Ok((self.trivial(0, integer_type)?, a.clone()));
        }
        if divisor.is_power_of_two() && !negative {
            let below =
                integer(self.trivial_blocks(&digits(divisor - 1, integer_type.blocks))?, integer_type)?;
            return Ok((self.shift_right(a, divisor.trailing_zeros())?, self.and(a, &below)?));
        }
        let quotient = if integer_type.signed {
            self.signed_quotient(a, if negative { negated } else { divisor }, negative)?
        } else {
            self.quotient(&a.blocks, divisor)?
        };
        let mut columns =
            self.public_products(&quotient, &digits(negated, b.blocks.len()), b.blocks.len())?;
        columns.iter_mut().zip(&a.blocks).for_each(|(column, digit)| column.push(digit.clone()));
        let remainder = self.add_columns(&columns)?;
        Ok((integer(quotient, integer_type)?, integer(remainder, integer_type)?))
    }

    /// ⌊a/d⌋ for d = ±`magnitude`, as for encrypted signed divisors.
    fn signed_quotient(
        &self,
        a: &EncryptedInteger,
        magnitude: u128,
        negative: bool,
    ) -> Result<Vec<Ciphertext>, TfheError> {
        let [blocks] = self.within(1.0, [&a.blocks])?;
        let top = |blocks: &[Ciphertext]| blocks[blocks.len() - 1].clone();
        let (turned, sign) = if negative {
            let turned = self.neg(a)?.blocks;
            let mut sign = self.turned_sign(&self.key.trivial(BASE)?, &top(&blocks), &top(&turned))?;
            (turned, sign.swap_remove(0))
        } else {
            let sign = self.functions(&[&|x| if x >= BASE / 2 { BASE } else { 0 }])?;
            let sign = self.run_one(&sign, top(&blocks))?;
            (blocks, sign)
        };
        let quotient = self.quotient(&self.inverted_where(&sign, &turned)?, magnitude)?;
        self.inverted_where(&sign, &quotient)
    }

    /// ⌊a/d⌋ for unsigned digits and d > 0, as the upper digits of a product.
    ///
    /// For a below 2^w and 2^l ≥ d, it's ⌊a·m/2^(w + l)⌋ with m = ⌊2^(w + l)/d⌋ + 1.
    ///
    /// Source: Granlund, Montgomery, "Division by invariant integers using multiplication" (PLDI 1994).
    fn quotient(&self, a: &[Ciphertext], d: u128) -> Result<Vec<Ciphertext>, TfheError> {
        if d == 1 {
            return Ok(a.to_vec());
        }
        let log2_d = u128::BITS - (d - 1).leading_zeros();
        let shift = a.len() + log2_d.div_ceil(DIGIT_BITS) as usize;
        // The quotient's highest digits are 0.
        let kept = a.len() - (d.ilog2() / DIGIT_BITS) as usize;
        let columns = self.public_products(a, &reciprocal(d, shift), shift + kept)?;
        let mut quotient = self.add_columns(&columns)?.split_off(shift);
        quotient.resize(a.len(), self.key.trivial(0)?);
        Ok(quotient)
    }
}

/// The digits of ⌊4^count/d⌋ + 1, without zeros above, by long division in bits.
fn reciprocal(d: u128, count: usize) -> Vec<u64> {
    let mut rest = 1;
    let mut out: Vec<u64> = (0..count)
        .map(|_| {
            (0..DIGIT_BITS).fold(0, |digit, _| {
                let (above, doubled) = (rest >> (u128::BITS - 1) == 1, rest << 1);
                let fits = above || doubled >= d;
                rest = if fits { doubled.wrapping_sub(d) } else { doubled };
                digit << 1 | u64::from(fits)
            })
        })
        .collect();
    out.reverse();
    out.push(0);
    for digit in &mut out {
        *digit = (*digit + 1) % BASE;
        if *digit != 0 {
            break;
        }
    }
    while out.last() == Some(&0) {
        out.pop();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reciprocals_are_the_next_digits_above() {
        for d in [2, 3, 5, 7, 10, 85, 255, 65535] {
            let value =
                reciprocal(d, 20).iter().rev().fold(0, |value, &digit| value << 2 | u128::from(digit));
            assert_eq!(value, (1 << 40) / d + 1);
        }
        // Of the largest divisor, by 4^65, which is beyond words: 4^65/(2^128 − 1) is 4 and a little.
        assert_eq!(reciprocal(u128::MAX, 65), [1, 1]);
    }
}
