//! Products.

use super::{
    BASE, EncryptedInteger, IntegerType, add, check_width, columns,
    compare::{public_bits, public_digits},
    integer,
    layer::Layers,
    same, shift,
};
use crate::{Ciphertext, Table, TfheError};

/// Functions of a digit that one table holds.
const FUNCTIONS: usize = 4;

/// [`super::Integers::mul`].
pub(super) fn mul(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedInteger, TfheError> {
    let integer_type = same(a, b)?;
    let (a, b) = if public_bits(&a.blocks).is_some() { (b, a) } else { (a, b) };
    let Some((factor, digits)) = public_bits(&b.blocks).zip(public_digits(&b.blocks)) else {
        let columns = products(layers, &a.blocks, &b.blocks, integer_type.blocks)?;
        return integer(columns::add_columns(layers, &columns)?, integer_type);
    };
    let negative = factor.wrapping_neg() & u128::MAX >> (u128::BITS - integer_type.bits());
    if factor == 0 {
        layers.trivial(0, integer_type)
    } else if factor.is_power_of_two() {
        shift::shift_left(layers, a, factor.trailing_zeros())
    } else if negative.is_power_of_two() {
        add::neg(layers, &shift::shift_left(layers, a, negative.trailing_zeros())?)
    } else {
        let columns = public_products(layers, &a.blocks, &digits, integer_type.blocks)?;
        integer(columns::add_columns(layers, &columns)?, integer_type)
    }
}

/// [`super::Integers::mul_wide`].
pub(super) fn mul_wide(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedInteger, TfheError> {
    let (found, expected) = (b.integer_type(), a.integer_type());
    if found.signed != expected.signed {
        return Err(TfheError::OtherType { found, expected });
    }
    let blocks = found.blocks + expected.blocks;
    let integer_type = check_width(IntegerType { blocks, ..expected })?;
    let mut columns = products(layers, &a.blocks, &b.blocks, blocks)?;
    if a.signed {
        let sign = layers.functions(&[&|x| if x >= BASE / 2 { BASE } else { 0 }])?;
        // The complement of the other's digit if the sign is set, otherwise of 0.
        let complement = layers.functions(&[&|x| BASE - 1 - if x >= BASE { x % BASE } else { 0 }])?;
        let [a_blocks, b_blocks] = layers.within(1.0, [&a.blocks, &b.blocks])?;
        let tops = [&a_blocks, &b_blocks].map(|blocks| (&sign, blocks[blocks.len() - 1].clone()));
        let signs = layers.run(&tops)?;
        let mut jobs: Vec<(&Table, Ciphertext)> = Vec::new();
        let mut places = Vec::new();
        for (sign, (own, other)) in signs.iter().zip([(&a_blocks, &b_blocks), (&b_blocks, &a_blocks)]) {
            columns[own.len()].push(layers.key.trivial(1)?);
            for (i, digit) in other.iter().enumerate() {
                places.push(own.len() + i);
                jobs.push((&complement, sign.add(digit)?));
            }
        }
        places.into_iter().zip(layers.run(&jobs)?).for_each(|(place, digit)| columns[place].push(digit));
    }
    integer(columns::add_columns(layers, &columns)?, integer_type)
}

/// The lower and upper digits of the products of all digits, at their places below `count`.
fn products(
    layers: &Layers<'_>,
    a: &[Ciphertext],
    b: &[Ciphertext],
    count: usize,
) -> Result<Vec<Vec<Ciphertext>>, TfheError> {
    let [a, b] = layers.within(1.0, [a, b])?;
    let product = |x: u64| (x / BASE) * (x % BASE);
    let low = layers.functions(&[&|x| product(x) % BASE])?;
    let high = layers.functions(&[&|x| product(x) / BASE])?;
    let (mut jobs, mut places) = (Vec::new(), Vec::new());
    for (i, a) in a.iter().enumerate().take(count) {
        let shifted = a.scale(BASE)?;
        for (j, b) in b.iter().enumerate().take(count - i) {
            if a.largest * b.largest == 0 {
                continue;
            }
            let both = shifted.add(b)?;
            if i + j + 1 < count {
                jobs.push((&high, both.clone()));
                places.push(i + j + 1);
            }
            jobs.push((&low, both));
            places.push(i + j);
        }
    }
    let mut columns = vec![Vec::new(); count];
    places.into_iter().zip(layers.run(&jobs)?).for_each(|(place, digit)| columns[place].push(digit));
    Ok(columns)
}

/// The digits of the products of all digits with a public factor, at their places below `count`: each table gives
/// four of them.
pub(super) fn public_products(
    layers: &Layers<'_>,
    a: &[Ciphertext],
    factor: &[u64],
    count: usize,
) -> Result<Vec<Vec<Ciphertext>>, TfheError> {
    let multiples: Vec<Vec<u64>> = (0..BASE).map(|digit| multiple(factor, digit)).collect();
    let digit = |x: u64, place: usize| multiples[(x % BASE) as usize][place];
    let places: Vec<usize> =
        (0..=factor.len()).filter(|&place| (0..BASE).any(|x| digit(x, place) != 0)).collect();
    let mut tables = Vec::new();
    for places in places.chunks(FUNCTIONS) {
        let functions: Vec<_> = places.iter().map(|&place| move |x| digit(x, place)).collect();
        let functions: Vec<&dyn Fn(u64) -> u64> = functions.iter().map(|f| f as _).collect();
        tables.push((places, layers.functions(&functions)?));
    }
    let (mut jobs, mut targets) = (Vec::new(), Vec::new());
    for (i, block) in a.iter().enumerate() {
        for (places, table) in tables.iter().filter(|(places, _)| i + places[0] < count) {
            jobs.push((table, block.clone()));
            targets.extend(places.iter().map(|place| i + place));
        }
    }
    let mut columns = vec![Vec::new(); count];
    for (target, digit) in targets.into_iter().zip(layers.run(&jobs)?) {
        if let Some(column) = columns.get_mut(target) {
            column.push(digit);
        }
    }
    Ok(columns)
}

/// The digits of a factor times a digit, one more than the factor has.
fn multiple(factor: &[u64], digit: u64) -> Vec<u64> {
    let mut carry = 0;
    let mut out: Vec<u64> = factor
        .iter()
        .map(|&place| {
            let sum = place * digit + carry;
            carry = sum / BASE;
            sum % BASE
        })
        .collect();
    out.push(carry);
    out
}
