//! Division by a public number.

use super::{
    BASE, DIGIT_BITS, EncryptedInteger, add, bitwise, columns, compare::public_bits, digits, integer,
    layer::Layers, multiply, restoring, shift, signs,
};
use crate::{Ciphertext, TfheError, integer_type::digits_of};

/// [`super::Integers::div`] by a public number.
pub(super) fn div_public(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    divisor: Divisor,
) -> Result<EncryptedInteger, TfheError> {
    let integer_type = a.integer_type();
    if divisor.bits == 0 {
        layers.trivial(0, integer_type)
    } else if divisor.is_power_of_two() {
        shift::shift_right(layers, a, divisor.bits.trailing_zeros())
    } else if integer_type.signed {
        integer(signed_quotient(layers, a, divisor.magnitude(), divisor.negative)?, integer_type)
    } else {
        integer(quotient(layers, &a.blocks, divisor.bits)?, integer_type)
    }
}

/// [`super::Integers::div_rem`] by a public number.
pub(super) fn div_rem_public(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    divisor: Divisor,
) -> Result<(EncryptedInteger, EncryptedInteger), TfheError> {
    let integer_type = a.integer_type();
    let count = a.blocks.len();
    if divisor.bits == 0 || divisor.is_power_of_two() {
        return Ok((div_public(layers, a, divisor)?, rem_public(layers, a, divisor)?));
    }
    if !integer_type.signed && restoring_is_sooner(layers, count, divisor.bits) {
        let divisor = layers.trivial_blocks(&digits(divisor.bits, count))?;
        let (quotient, remainder) = restoring::divide(layers, &a.blocks, &divisor)?;
        return Ok((integer(quotient, integer_type)?, integer(remainder, integer_type)?));
    }
    let quotient = div_public(layers, a, divisor)?;
    let mut columns =
        multiply::public_products(layers, &quotient.blocks, &digits(divisor.negated, count), count)?;
    columns.iter_mut().zip(&a.blocks).for_each(|(column, digit)| column.push(digit.clone()));
    Ok((quotient, integer(columns::add_columns(layers, &columns)?, integer_type)?))
}

/// [`super::Integers::rem`] by a public number.
pub(super) fn rem_public(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    divisor: Divisor,
) -> Result<EncryptedInteger, TfheError> {
    if divisor.bits == 0 {
        Ok(a.clone())
    } else if divisor.is_power_of_two() {
        let below = layers.trivial_blocks(&digits(divisor.bits - 1, a.blocks.len()))?;
        bitwise::and(layers, a, &integer(below, a.integer_type())?)
    } else {
        Ok(div_rem_public(layers, a, divisor)?.1)
    }
}

/// ⌊a/d⌋ for d = ±`magnitude`, as for encrypted signed divisors.
fn signed_quotient(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    magnitude: u128,
    negative: bool,
) -> Result<Vec<Ciphertext>, TfheError> {
    let [blocks] = layers.within(1.0, [&a.blocks])?;
    let top = |blocks: &[Ciphertext]| blocks[blocks.len() - 1].clone();
    let (turned, sign) = if negative {
        let turned = add::neg(layers, a)?.blocks;
        let mut sign = signs::turned_sign(layers, &layers.key.trivial(BASE)?, &top(&blocks), &top(&turned))?;
        (turned, sign.swap_remove(0))
    } else {
        let sign = layers.functions(&[&|x| if x >= BASE / 2 { BASE } else { 0 }])?;
        let sign = layers.run_one(&sign, top(&blocks))?;
        (blocks, sign)
    };
    let quotient = quotient(layers, &signs::inverted_where(layers, &sign, &turned)?, magnitude)?;
    signs::inverted_where(layers, &sign, &quotient)
}

/// ⌊a/d⌋ for unsigned digits and d > 0, as the upper digits of a product.
///
/// For a below 2^w and 2^l ≥ d, it's ⌊a·m/2^(w + l)⌋ with m = ⌊2^(w + l)/d⌋ + 1.
///
/// Source: Granlund, Montgomery, "Division by invariant integers using multiplication" (PLDI 1994).
fn quotient(layers: &Layers<'_>, a: &[Ciphertext], d: u128) -> Result<Vec<Ciphertext>, TfheError> {
    if d == 1 {
        return Ok(a.to_vec());
    }
    if restoring_is_sooner(layers, a.len(), d) {
        return Ok(restoring::divide(layers, a, &layers.trivial_blocks(&digits(d, a.len()))?)?.0);
    }
    let log2_d = u128::BITS - (d - 1).leading_zeros();
    let shift = a.len() + log2_d.div_ceil(DIGIT_BITS) as usize;
    // The quotient's highest digits are 0.
    let kept = a.len() - (d.ilog2() / DIGIT_BITS) as usize;
    let columns = multiply::public_products(layers, a, &reciprocal(d, shift), shift + kept)?;
    let mut quotient = columns::add_columns(layers, &columns)?.split_off(shift);
    quotient.resize(a.len(), layers.key.trivial(0)?);
    Ok(quotient)
}

/// A public divisor.
#[derive(Clone, Copy)]
pub(super) struct Divisor {
    /// In two's complement if it's signed.
    bits: u128,
    /// The number that makes 0 with it modulo 4^blocks.
    negated: u128,
    negative: bool,
}

impl Divisor {
    /// The divisor, if it's public.
    pub(super) fn new(b: &EncryptedInteger) -> Option<Self> {
        let bits = public_bits(&b.blocks)?;
        let mask = u128::MAX >> (u128::BITS - b.integer_type().bits());
        Some(Self { bits, negated: bits.wrapping_neg() & mask, negative: b.signed && bits > mask / 2 })
    }

    fn is_power_of_two(self) -> bool {
        self.bits.is_power_of_two() && !self.negative
    }

    fn magnitude(self) -> u128 {
        if self.negative { self.negated } else { self.bits }
    }
}

/// Whether restoring division by a public number is done sooner than a product with its reciprocal: in rounds of
/// bootstrappings, exactly for the first and about for the second.
fn restoring_is_sooner(layers: &Layers<'_>, count: usize, d: u128) -> bool {
    let remaining = digits_of(d);
    let restoring: usize = (remaining..=count)
        .map(|k| k.min(remaining + 1))
        .map(|digits| 2 * (digits - 1 + layers.rounds(2) + layers.rounds(digits)))
        .sum();
    // Terms of both products, each with a quarter of a table and two thirds of a sum, and carries through them.
    let terms = count * (count + 2) + count * count / 2;
    restoring + layers.rounds(count) < layers.rounds(terms * 11 / 12) + 2 * count
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
