//! Bitwise operations.

use super::{BASE, EncryptedInteger, integer, layer::Layers, same};
use crate::{Ciphertext, Table, TfheError};

/// [`super::Integers::and`].
pub(super) fn and(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedInteger, TfheError> {
    digit_by_digit(layers, a, b, |a, b| a & b)
}

/// [`super::Integers::or`].
pub(super) fn or(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedInteger, TfheError> {
    digit_by_digit(layers, a, b, |a, b| a | b)
}

/// [`super::Integers::xor`].
pub(super) fn xor(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedInteger, TfheError> {
    digit_by_digit(layers, a, b, |a, b| a ^ b)
}

/// [`super::Integers::not`].
pub(super) fn not(a: &EncryptedInteger) -> Result<EncryptedInteger, TfheError> {
    let blocks: Result<Vec<_>, _> = a.blocks.iter().map(|block| block.subtract_from(BASE - 1)).collect();
    integer(blocks?, a.integer_type())
}

/// A function of the bits at each place, the same both ways round.
fn digit_by_digit(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
    function: impl Fn(u64, u64) -> u64,
) -> Result<EncryptedInteger, TfheError> {
    let integer_type = same(a, b)?;
    let [a, b] = layers.within(1.0, [&a.blocks, &b.blocks])?;
    let table = layers.functions(&[&|x| function(x / BASE, x % BASE)])?;
    let mut jobs: Vec<(&Table, Ciphertext)> = Vec::new();
    // Digits that a public one leaves as they are, or makes public.
    let mut known = Vec::new();
    for (a, b) in a.iter().zip(&b) {
        let (a, b) = if a.public_value().is_some() { (b, a) } else { (a, b) };
        let values = b.public_value().map(|b| [0, 1, 2, 3].map(|a| function(a, b)));
        known.push(match values {
            Some([0, 1, 2, 3]) => Some(a.clone()),
            Some(values) if values == [values[0]; 4] => Some(layers.key.trivial(values[0])?),
            _ => None,
        });
        if known.last().is_some_and(Option::is_none) {
            jobs.push((&table, a.scale(BASE)?.add(b)?));
        }
    }
    let mut values = layers.run(&jobs)?.into_iter();
    let blocks = known.into_iter().filter_map(|block| block.or_else(|| values.next())).collect();
    integer(blocks, integer_type)
}
