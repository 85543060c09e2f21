//! Shifts and rotations by encrypted numbers of places.

use std::borrow::Cow;

use super::{
    BASE, DIGIT_BITS, EncryptedInteger, IntegerType, add, divide, integer, layer::Layers, shift::Fill,
};
use crate::{Ciphertext, Table, TfheError};

/// How many bits, of 4 each, are summed before one table: the sum is below 16.
const JOINED_BITS: usize = 3;
/// Digits that hold the number of bits of the widest integer.
const MODULUS_BLOCKS: usize = 4;

/// The weight of a condition beside a digit.
fn any(condition: bool) -> u64 {
    if condition { BASE } else { 0 }
}

/// [`super::Integers::shift_left_by`].
pub(super) fn shift_left_by(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    places: &EncryptedInteger,
) -> Result<EncryptedInteger, TfheError> {
    moved_by(layers, a, places, 1, Fill::Above)
}

/// [`super::Integers::shift_right_by`].
pub(super) fn shift_right_by(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    places: &EncryptedInteger,
) -> Result<EncryptedInteger, TfheError> {
    moved_by(layers, a, places, -1, Fill::Above)
}

/// [`super::Integers::rotate_left_by`].
pub(super) fn rotate_left_by(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    places: &EncryptedInteger,
) -> Result<EncryptedInteger, TfheError> {
    moved_by(layers, a, places, 1, Fill::Around)
}

/// [`super::Integers::rotate_right_by`].
pub(super) fn rotate_right_by(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    places: &EncryptedInteger,
) -> Result<EncryptedInteger, TfheError> {
    moved_by(layers, a, places, -1, Fill::Around)
}

/// The bits moved by 1, 2, 4, … places where the amount's bits are set, up for `direction` 1 and down for −1; and, where what leaves
/// is gone, by all places if any of the amount's bits above these is set.
///
/// In each stage, one bootstrapping a digit gives what stays at its place and what goes to another.
fn moved_by(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    amount: &EncryptedInteger,
    direction: i64,
    fill: Fill,
) -> Result<EncryptedInteger, TfheError> {
    let width = a.integer_type().bits();
    let amount = &*turns(layers, amount, width, fill)?;
    let stages = width.next_power_of_two().ilog2() as usize;
    let bits = layers.functions(&[&|x| BASE * (x % 2), &|x| BASE * (x / 2 % 2)])?;
    let needed = amount.blocks.len().min(stages.div_ceil(DIGIT_BITS as usize));
    let mut jobs: Vec<_> = amount.blocks[..needed].iter().map(|block| (&bits, block.clone())).collect();
    // The digits with bits above the stages', of which the first may have one below.
    let above = amount.blocks.get(stages / DIGIT_BITS as usize..).filter(|_| fill == Fill::Above);
    let lowest = 1 << (stages % DIGIT_BITS as usize);
    let (first, other) = (layers.functions(&[&|x| any(x >= lowest)])?, layers.functions(&[&|x| any(x > 0)])?);
    let [above] = layers.within(1.0, [above.unwrap_or_default()])?;
    for (start, pair) in (0..).step_by(2).zip(above.chunks(2)) {
        let value = match pair {
            [low, high] => high.scale(BASE)?.add(low)?,
            _ => pair[0].clone(),
        };
        jobs.push((if start == 0 { &first } else { &other }, value));
    }
    let mut values = layers.run(&jobs)?;
    let beyond = any_of(layers, values.split_off(2 * needed))?;
    let mut blocks = a.blocks.clone();
    for (stage, bit) in values.iter().take(stages).enumerate() {
        let (inside, digits) = (stage == 0, if stage == 0 { 1 } else { 1 << (stage - 1) });
        blocks = moved_where(layers, bit, &blocks, (inside, direction * digits), fill, a.signed)?;
    }
    if let Some(beyond) = beyond {
        let all = direction * blocks.len() as i64;
        blocks = moved_where(layers, &beyond, &blocks, (false, all), fill, a.signed)?;
    }
    integer(blocks, a.integer_type())
}

/// The places that bits are turned by: modulo their number, where its bits don't give that by themselves.
fn turns<'a>(
    layers: &Layers<'_>,
    amount: &'a EncryptedInteger,
    width: u32,
    fill: Fill,
) -> Result<Cow<'a, EncryptedInteger>, TfheError> {
    let amount_type = amount.integer_type();
    if fill == Fill::Above || width.is_power_of_two() || amount_type.bits() <= width.ilog2() {
        return Ok(Cow::Borrowed(amount));
    }
    let wide = IntegerType::unsigned(amount_type.blocks.max(MODULUS_BLOCKS));
    let amount = add::cast(layers, &EncryptedInteger { signed: false, ..amount.clone() }, wide)?;
    Ok(Cow::Owned(divide::rem(layers, &amount, &layers.trivial(width.into(), wide)?)?))
}

/// 4 where any of some bits is set, each given as 4; `None` for none.
fn any_of(layers: &Layers<'_>, mut bits: Vec<Ciphertext>) -> Result<Option<Ciphertext>, TfheError> {
    let table = layers.functions(&[&|x| any(x > 0)])?;
    while bits.len() > 1 {
        let sum = |group: &[Ciphertext]| {
            let (first, rest) = group.split_first().ok_or(TfheError::NoSummands)?;
            Ok((&table, rest.iter().try_fold(first.clone(), |sum, bit| sum.add(bit))?))
        };
        let jobs: Vec<_> = bits.chunks(JOINED_BITS).map(sum).collect::<Result<_, TfheError>>()?;
        bits = layers.run(&jobs)?;
    }
    Ok(bits.pop())
}

/// The digits moved by a bit (if `inside`) or by whole digits, where the condition is 4, and not where it's 0.
fn moved_where(
    layers: &Layers<'_>,
    condition: &Ciphertext,
    blocks: &[Ciphertext],
    (inside, digits): (bool, i64),
    fill: Fill,
    signed: bool,
) -> Result<Vec<Ciphertext>, TfheError> {
    let up = digits > 0;
    let count = blocks.len() as i64;
    let stays = |x: u64| match (x >= BASE, inside, up) {
        (false, ..) => x % BASE,
        (true, false, _) => 0,
        (true, true, true) => x * 2 % BASE,
        (true, true, false) => x % BASE / 2,
    };
    let goes = |x: u64| match (x >= BASE, inside, up) {
        (false, ..) => 0,
        (true, false, _) => x % BASE,
        (true, true, true) => x % BASE / 2,
        (true, true, false) => x % 2 * 2,
    };
    let parts = layers.functions(&[&stays, &goes])?;
    // What goes into the highest place out of a digit that is the sign.
    let sign = layers.functions(&[&|x| if x >= BASE + BASE / 2 { goes(2 * BASE - 1) } else { 0 }])?;
    let [blocks] = layers.within(4.0, [blocks])?;
    let jobs = blocks.iter().map(|block| Ok((&parts, block.add(condition)?)));
    let mut jobs: Vec<(&Table, Ciphertext)> = jobs.collect::<Result<_, TfheError>>()?;
    let fills = signed && !up && fill == Fill::Above;
    if let (true, Some((_, top))) = (fills, jobs.last()) {
        jobs.push((&sign, top.clone()));
    }
    let mut values = layers.run(&jobs)?;
    let above = if fills { values.pop() } else { None };
    let pairs: Vec<_> = values.chunks(2).collect();
    (0..count)
        .map(|i| {
            let source = i - digits;
            let incoming = match fill {
                Fill::Around => Some(&pairs[source.rem_euclid(count) as usize][1]),
                Fill::Above if source < 0 => None,
                Fill::Above => pairs.get(source as usize).map(|pair| &pair[1]).or(above.as_ref()),
            };
            let stays = &pairs[i as usize][0];
            Ok(incoming.map_or(Ok(stays.clone()), |incoming| stays.add(incoming))?.at_most(BASE - 1))
        })
        .collect()
}
