//! Digits that depend on an encrypted sign.

use super::{BASE, carry, layer::Layers};
use crate::{Ciphertext, Table, TfheError};

/// The digits' complements where the condition is 4, and the digits where it's 0.
pub(super) fn inverted_where(
    layers: &Layers<'_>,
    condition: &Ciphertext,
    digits: &[Ciphertext],
) -> Result<Vec<Ciphertext>, TfheError> {
    where_set(layers, condition, digits, |x| if x >= BASE { 2 * BASE - 1 - x } else { x })
}

/// The digits where the condition is 4, and zeros where it's 0.
pub(super) fn masked_where(
    layers: &Layers<'_>,
    condition: &Ciphertext,
    digits: &[Ciphertext],
) -> Result<Vec<Ciphertext>, TfheError> {
    where_set(layers, condition, digits, |x| x.saturating_sub(BASE))
}

fn where_set(
    layers: &Layers<'_>,
    condition: &Ciphertext,
    digits: &[Ciphertext],
    function: impl Fn(u64) -> u64,
) -> Result<Vec<Ciphertext>, TfheError> {
    let [digits] = layers.within(4.0, [digits])?;
    let table = layers.functions(&[&|x| function(x.min(2 * BASE - 1))])?;
    let jobs = digits.iter().map(|digit| Ok((&table, digit.add(condition)?)));
    let jobs: Vec<(&Table, Ciphertext)> = jobs.collect::<Result<_, TfheError>>()?;
    layers.run(&jobs)
}

/// −x where the sign is set, which comes with the weights 4 and 1.
pub(super) fn negated_where(
    layers: &Layers<'_>,
    sign: &[Ciphertext],
    digits: &[Ciphertext],
) -> Result<Vec<Ciphertext>, TfheError> {
    let mut sums = inverted_where(layers, &sign[0], digits)?;
    sums[0] = sums[0].add(&sign[1])?;
    Ok(carry::propagate(layers, sums, false)?.0)
}

/// Whether a, or −a where b is negative, is negative, with the weights 4 and 1.
pub(super) fn turned_sign(
    layers: &Layers<'_>,
    b_sign: &Ciphertext,
    a_top: &Ciphertext,
    turned_top: &Ciphertext,
) -> Result<Vec<Ciphertext>, TfheError> {
    // 4 where b is negative: then a must not be.
    let least = layers.functions(&[&|x| u64::from(x >= BASE + BASE / 2)])?;
    let excluded = layers.run_one(&least, a_top.add(b_sign)?)?;
    let sign = layers.functions(&[&|x| if x % BASE >= BASE / 2 && x < BASE { BASE } else { 0 }, &|x| {
        u64::from(x % BASE >= BASE / 2 && x < BASE)
    }])?;
    layers.run(&[(&sign, excluded.scale(BASE)?.add(turned_top)?)])
}
