//! Sums, differences and negation.

use super::{BASE, EncryptedInteger, IntegerType, carry, check_width, integer, layer::Layers, same};
use crate::{Ciphertext, TfheError};

/// [`super::Integers::add`].
pub(super) fn add(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedInteger, TfheError> {
    let integer_type = same(a, b)?;
    let [a, b] = layers.within(2.0, [&a.blocks, &b.blocks])?;
    let sums: Result<Vec<_>, _> = a.iter().zip(&b).map(|(a, b)| a.add(b)).collect();
    integer(carry::propagate(layers, sums?, false)?.0, integer_type)
}

/// [`super::Integers::sub`].
pub(super) fn sub(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedInteger, TfheError> {
    let integer_type = same(a, b)?;
    let [a, b] = layers.within(2.0, [&a.blocks, &b.blocks])?;
    let mut sums = differences(&a, &b)?;
    sums[0] = sums[0].add_constant(1)?;
    integer(carry::propagate(layers, sums, false)?.0, integer_type)
}

/// [`super::Integers::neg`].
pub(super) fn neg(layers: &Layers<'_>, a: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
    sub(layers, &layers.trivial(0, a.integer_type())?, a)
}

/// [`super::Integers::cast`].
pub(super) fn cast(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    integer_type: IntegerType,
) -> Result<EncryptedInteger, TfheError> {
    let blocks = extended(layers, a, check_width(integer_type)?.blocks)?;
    integer(blocks, integer_type)
}

/// The digits, so many of them.
pub(super) fn extended(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    count: usize,
) -> Result<Vec<Ciphertext>, TfheError> {
    let mut blocks = a.blocks.clone();
    if count > blocks.len() {
        blocks.resize(count, above(layers, a)?);
    }
    blocks.truncate(count);
    Ok(blocks)
}

/// The digit that all above the highest are: 3 for a negative number, otherwise 0.
pub(super) fn above(layers: &Layers<'_>, a: &EncryptedInteger) -> Result<Ciphertext, TfheError> {
    match a.blocks.last() {
        Some(top) if a.signed => {
            let sign = layers.functions(&[&|x| if x >= BASE / 2 { BASE - 1 } else { 0 }])?;
            layers.run_one(&sign, top.clone())
        }
        _ => layers.key.trivial(0),
    }
}

/// aᵢ + 3 − bᵢ for all digits.
pub(super) fn differences(a: &[Ciphertext], b: &[Ciphertext]) -> Result<Vec<Ciphertext>, TfheError> {
    a.iter().zip(b).map(|(a, b)| a.add(&b.subtract_from(BASE - 1)?)).collect()
}
