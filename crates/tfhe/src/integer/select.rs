//! Choices by encrypted bits.

use super::{BASE, EncryptedInteger, add::differences, integer, layer::Layers, same};
use crate::{Ciphertext, EncryptedBit, Table, TfheError};

/// The weight of a condition beside a difference of digits, which is from 0 to 6.
pub(super) const CONDITION: u64 = 2 * BASE - 1;

/// [`super::Integers::select`].
pub(super) fn select(
    layers: &Layers<'_>,
    condition: &EncryptedBit,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedInteger, TfheError> {
    let integer_type = same(a, b)?;
    let weighted = layers.run_one(&layers.functions(&[&|x| CONDITION * (x & 1)])?, condition.0.clone())?;
    integer(choose(layers, &weighted, CONDITION, &a.blocks, &b.blocks)?, integer_type)
}

/// a where the condition is `weight`, at least 7, and b where it's 0: b + condition·(a − b).
///
/// Noise: that of b and of one bootstrapping.
pub(super) fn choose(
    layers: &Layers<'_>,
    condition: &Ciphertext,
    weight: u64,
    a: &[Ciphertext],
    b: &[Ciphertext],
) -> Result<Vec<Ciphertext>, TfheError> {
    let [a, b] = layers.within(2.0, [a, b])?;
    let table =
        layers.functions(&[&|x| if x < weight { BASE - 1 } else { (x - weight).min(2 * BASE - 2) }])?;
    let jobs = differences(&a, &b)?.into_iter().map(|d| Ok((&table, d.add(condition)?)));
    let jobs: Vec<(&Table, Ciphertext)> = jobs.collect::<Result<_, TfheError>>()?;
    let changes = layers.run(&jobs)?;
    b.iter().zip(&changes).map(|(b, change)| Ok(b.add(change)?.less(BASE - 1, BASE - 1))).collect()
}
