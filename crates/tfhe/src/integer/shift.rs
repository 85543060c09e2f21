//! Shifts and rotations by public numbers of places.

use super::{BASE, EncryptedInteger, add, integer, layer::Layers};
use crate::{Ciphertext, Table, TfheError};

/// What comes in where digits have left.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Fill {
    /// Zeros, or the sign.
    Above,
    /// What has left at the other end.
    Around,
}

/// [`super::Integers::shift_left`].
pub(super) fn shift_left(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    places: u32,
) -> Result<EncryptedInteger, TfheError> {
    moved(layers, a, i64::from(places), Fill::Above)
}

/// [`super::Integers::shift_right`].
pub(super) fn shift_right(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    places: u32,
) -> Result<EncryptedInteger, TfheError> {
    moved(layers, a, -i64::from(places), Fill::Above)
}

/// [`super::Integers::rotate_left`].
pub(super) fn rotate_left(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    places: u32,
) -> Result<EncryptedInteger, TfheError> {
    moved(layers, a, i64::from(places), Fill::Around)
}

/// [`super::Integers::rotate_right`].
pub(super) fn rotate_right(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    places: u32,
) -> Result<EncryptedInteger, TfheError> {
    moved(layers, a, -i64::from(places), Fill::Around)
}

/// The bits moved up by so many places: by whole digits, and then a bit out of two neighbours.
fn moved(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    places: i64,
    fill: Fill,
) -> Result<EncryptedInteger, TfheError> {
    let count = a.blocks.len() as i64;
    let bits = i64::from(a.integer_type().bits());
    let places = if fill == Fill::Around { places % bits } else { places.clamp(-bits, bits) };
    let (digits, bit) = (places.div_euclid(2), places.rem_euclid(2));
    let zero = layers.key.trivial(0)?;
    let above = if places < 0 && fill == Fill::Above { add::above(layers, a)? } else { zero.clone() };
    let [blocks] = layers.within(if bit == 1 { 1.0 } else { 5.0 }, [&a.blocks])?;
    let at = |i: i64| match fill {
        Fill::Around => &blocks[i.rem_euclid(count) as usize],
        Fill::Above if i < 0 => &zero,
        Fill::Above => blocks.get(i as usize).unwrap_or(&above),
    };
    let table = layers.functions(&[&|x| x / BASE * 2 % BASE + x % BASE / 2])?;
    let sources = (0..count).map(|i| i - digits);
    let blocks = if bit == 0 {
        sources.map(|i| at(i).clone()).collect()
    } else {
        let jobs = sources.map(|i| Ok((&table, at(i).scale(BASE)?.add(at(i - 1))?)));
        let jobs: Vec<(&Table, Ciphertext)> = jobs.collect::<Result<_, TfheError>>()?;
        layers.run(&jobs)?
    };
    integer(blocks, a.integer_type())
}
