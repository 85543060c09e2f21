//! Division with a remainder.

use super::{
    BASE, EncryptedInteger, IntegerType, carry, compare, constant, constant::Divisor, integer, layer::Layers,
    restoring, same, signs,
};
use crate::{Ciphertext, TfheError};

/// [`super::Integers::div`].
pub(super) fn div(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedInteger, TfheError> {
    same(a, b)?;
    match Divisor::new(b) {
        Some(divisor) => constant::div_public(layers, a, divisor),
        None => Ok(div_rem(layers, a, b)?.0),
    }
}

/// [`super::Integers::rem`].
pub(super) fn rem(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedInteger, TfheError> {
    same(a, b)?;
    match Divisor::new(b) {
        Some(divisor) => constant::rem_public(layers, a, divisor),
        None => Ok(div_rem(layers, a, b)?.1),
    }
}

/// [`super::Integers::div_rem`].
pub(super) fn div_rem(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<(EncryptedInteger, EncryptedInteger), TfheError> {
    let integer_type = same(a, b)?;
    if let Some(divisor) = Divisor::new(b) {
        return constant::div_rem_public(layers, a, divisor);
    }
    if a.signed {
        return signed_div_rem(layers, a, b);
    }
    let (quotient, remainder) = restoring::divide(layers, &a.blocks, &b.blocks)?;
    Ok((integer(quotient, integer_type)?, integer(remainder, integer_type)?))
}

/// Floor division of signed integers, by that of magnitudes.
///
/// Where b is negative, both change their sign. Where a is negative then, ⌊a/b⌋ = −1 − ⌊(−1 − a)/b⌋, and the remainder is
/// b − 1 less that of −1 − a.
fn signed_div_rem(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<(EncryptedInteger, EncryptedInteger), TfheError> {
    let integer_type = a.integer_type();
    let [a_blocks, b_blocks] = layers.within(1.0, [&a.blocks, &b.blocks])?;
    let sign =
        layers.functions(&[&|x| if x >= BASE / 2 { BASE } else { 0 }, &|x| u64::from(x >= BASE / 2)])?;
    let top = |blocks: &[Ciphertext]| blocks[blocks.len() - 1].clone();
    let b_sign = layers.run(&[(&sign, top(&b_blocks))])?;
    let magnitude = signs::negated_where(layers, &b_sign, &b_blocks)?;
    let turned = signs::negated_where(layers, &b_sign, &a_blocks)?;
    // −a is negative if its highest bit is set, but for the least a, whose highest bit is set too: b's sign and both
    // digits say it.
    let negative = signs::turned_sign(layers, &b_sign[0], &top(&a_blocks), &top(&turned))?;
    let (quotient, remainder) =
        restoring::divide(layers, &signs::inverted_where(layers, &negative[0], &turned)?, &magnitude)?;
    let quotient = quotient_where(layers, &negative[0], &magnitude, &quotient)?;
    // b − 1 − r is b + (4^blocks − 1 − r), and r is r + 0.
    let remainder = signs::inverted_where(layers, &negative[0], &remainder)?;
    let masked = signs::masked_where(layers, &negative[0], &magnitude)?;
    let sums: Result<Vec<_>, _> = remainder.iter().zip(&masked).map(|(r, b)| r.add(b)).collect();
    let remainder = signs::negated_where(layers, &b_sign, &carry::propagate(layers, sums?, false)?.0)?;
    Ok((integer(quotient, integer_type)?, integer(remainder, integer_type)?))
}

/// The quotient of −1 − a made that of a where a is negative, but 0 stays where the divisor is 0.
fn quotient_where(
    layers: &Layers<'_>,
    negative: &Ciphertext,
    divisor: &[Ciphertext],
    quotient: &[Ciphertext],
) -> Result<Vec<Ciphertext>, TfheError> {
    let divisor = EncryptedInteger::from_blocks(divisor.to_vec(), false)?;
    let zero = layers.trivial(0, IntegerType::unsigned(divisor.blocks.len()))?;
    let nonzero = compare::ne(layers, &divisor, &zero)?;
    let both = layers.functions(&[&|x| if x == BASE + 1 { BASE } else { 0 }])?;
    let inverted = layers.run_one(&both, negative.add(&nonzero.0)?)?;
    signs::inverted_where(layers, &inverted, quotient)
}
