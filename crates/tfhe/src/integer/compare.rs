//! Comparisons, minimum and maximum.

use super::{
    BASE, DIGIT_BITS, EncryptedInteger, add::differences, integer, layer::Layers, same, select,
    select::CONDITION,
};
use crate::{Ciphertext, EncryptedBit, Table, TfheError};

/// How one number stands to another, as a digit.
const LESS: u64 = 0;
const EQUAL: u64 = 1;
const GREATER: u64 = 2;
/// How many orders, weighted by powers of two, are joined by one table: 2·(1 + 2 + 4) = 14.
const JOINED: usize = 3;

/// A number, and the table's function of it.
type Leaf<'f> = (Ciphertext, Box<dyn Fn(u64) -> u64 + 'f>);

/// [`super::Integers::eq`].
pub(super) fn eq(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedBit, TfheError> {
    order(layers, a, b, &|order| u64::from(order == EQUAL)).map(EncryptedBit)
}

/// [`super::Integers::ne`].
pub(super) fn ne(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedBit, TfheError> {
    order(layers, a, b, &|order| u64::from(order != EQUAL)).map(EncryptedBit)
}

/// [`super::Integers::lt`].
pub(super) fn lt(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedBit, TfheError> {
    order(layers, a, b, &|order| u64::from(order == LESS)).map(EncryptedBit)
}

/// [`super::Integers::le`].
pub(super) fn le(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedBit, TfheError> {
    order(layers, a, b, &|order| u64::from(order != GREATER)).map(EncryptedBit)
}

/// [`super::Integers::gt`].
pub(super) fn gt(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedBit, TfheError> {
    lt(layers, b, a)
}

/// [`super::Integers::ge`].
pub(super) fn ge(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedBit, TfheError> {
    le(layers, b, a)
}

/// [`super::Integers::min`].
pub(super) fn min(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedInteger, TfheError> {
    let less = order(layers, a, b, &|order| if order == LESS { CONDITION } else { 0 })?;
    integer(select::choose(layers, &less, CONDITION, &a.blocks, &b.blocks)?, a.integer_type())
}

/// [`super::Integers::max`].
pub(super) fn max(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<EncryptedInteger, TfheError> {
    let less = order(layers, a, b, &|order| if order == LESS { CONDITION } else { 0 })?;
    integer(select::choose(layers, &less, CONDITION, &b.blocks, &a.blocks)?, a.integer_type())
}

/// A function of how a stands to b: 0 if it's less, 1 if equal, 2 if greater.
///
/// Orders of digits are joined in threes; or, where that's sooner and the function has two values, digit by digit.
fn order(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
    function: &dyn Fn(u64) -> u64,
) -> Result<Ciphertext, TfheError> {
    same(a, b)?;
    if let Some(public) = public_digits(&b.blocks) {
        return join(layers, against_public(layers, a, &public, false)?, function);
    }
    if let Some(public) = public_digits(&a.blocks) {
        return join(layers, against_public(layers, b, &public, true)?, function);
    }
    let count = a.blocks.len();
    let joins = std::iter::successors(Some(count), |&count| (count > 1).then(|| count.div_ceil(JOINED)));
    let rounds: usize = joins.map(|jobs| layers.rounds(jobs)).sum();
    if count + usize::from(a.signed) <= rounds {
        return order_in_turn(layers, a, b, function);
    }
    let (lower, top) = order_operands(layers, a, b)?;
    let mut leaves: Vec<Leaf> = Vec::with_capacity(count);
    for difference in lower {
        leaves.push((difference, Box::new(|x| order_of(x, BASE - 1))));
    }
    leaves.push((top, Box::new(|x| order_of_signed(x / BASE, x % BASE, BASE, a.signed))));
    join(layers, leaves, function)
}

/// aᵢ + 3 − bᵢ for all digits but the highest, and 4·a + b for these.
fn order_operands(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
) -> Result<(Vec<Ciphertext>, Ciphertext), TfheError> {
    let last = a.blocks.len() - 1;
    let [lower_a, lower_b] = layers.within(2.0, [&a.blocks[..last], &b.blocks[..last]])?;
    let [top_a, top_b] = layers.within(1.0, [&a.blocks[last..], &b.blocks[last..]])?;
    Ok((differences(&lower_a, &lower_b)?, top_a[0].scale(BASE)?.add(&top_b[0])?))
}

/// Whether what's below is less, equal or greater counts only where the digits are equal. From the lowest digit on,
/// two bits tell it: whether it's greater, or not less; the function says which of them is needed.
fn order_in_turn(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    b: &EncryptedInteger,
    function: &dyn Fn(u64) -> u64,
) -> Result<Ciphertext, TfheError> {
    let last = a.blocks.len() - 1;
    let [a_blocks, b_blocks] = layers.within(2.0, [&a.blocks, &b.blocks])?;
    let differences = differences(&a_blocks, &b_blocks)?;
    if function(LESS) == function(GREATER) {
        return equality_in_turn(layers, &differences, function);
    }
    // If equal is as good as less, the bit is whether a > b; otherwise whether a ≥ b, by a carry of 1 into the lowest.
    let carry = u64::from(function(LESS) != function(EQUAL));
    let value = |bit: u64| function(if bit == 1 { GREATER } else { LESS });
    let mut bit = layers.key.trivial(carry)?;
    let above = layers.functions(&[&|x| x / BASE])?;
    for difference in &differences[..last] {
        bit = layers.run_one(&above, difference.add(&bit)?)?;
    }
    if !a.signed {
        return layers.run_one(&layers.functions(&[&|x| value(x / BASE % 2)])?, differences[last].add(&bit)?);
    }
    let [top_a, top_b] = layers.within(1.0, [&a_blocks[last..], &b_blocks[last..]])?;
    let order = layers.functions(&[&|x| 2 * order_of_signed(x / BASE, x % BASE, BASE, true)])?;
    let top = layers.run_one(&order, top_a[0].scale(BASE)?.add(&top_b[0])?)?;
    // 2·order + bit: equal digits, 2, leave it to the bit.
    layers.run_one(&layers.functions(&[&|x| value(u64::from(x > 2 * EQUAL))])?, top.add(&bit)?)
}

/// A difference anywhere is handed on beside the next digits' difference, with a weight above it.
fn equality_in_turn(
    layers: &Layers<'_>,
    differences: &[Ciphertext],
    function: &dyn Fn(u64) -> u64,
) -> Result<Ciphertext, TfheError> {
    let last = differences.len() - 1;
    let next = layers.functions(&[&|x| if x == BASE - 1 { 0 } else { CONDITION }])?;
    let result = layers.functions(&[&|x| function(if x == BASE - 1 { EQUAL } else { LESS })])?;
    let mut differ = layers.key.trivial(0)?;
    for (i, difference) in differences.iter().enumerate() {
        differ = layers.run_one(if i == last { &result } else { &next }, difference.add(&differ)?)?;
    }
    Ok(differ)
}

/// Pairs of digits against public ones; the other way round if the public number is the first.
fn against_public<'f>(
    layers: &Layers<'_>,
    a: &EncryptedInteger,
    public: &[u64],
    reversed: bool,
) -> Result<Vec<Leaf<'f>>, TfheError> {
    let [blocks] = layers.within(1.0, [&a.blocks])?;
    let mut leaves: Vec<Leaf> = Vec::new();
    for (start, pair) in (0..).step_by(2).zip(blocks.chunks(2)) {
        let signed = a.signed && start + pair.len() == blocks.len();
        let (mut number, mut other, mut size) = (pair[0].clone(), public[start], BASE);
        if let Some(upper) = pair.get(1) {
            number = upper.scale(BASE)?.add(&number)?;
            (other, size) = (other + BASE * public[start + 1], BASE * BASE);
        }
        let order = move |x: u64| {
            let order = order_of_signed(x, other, size, signed);
            if reversed { GREATER - order } else { order }
        };
        leaves.push((number, Box::new(order)));
    }
    Ok(leaves)
}

/// A function of the order of numbers whose parts' orders are given by tables, the lowest first.
fn join(
    layers: &Layers<'_>,
    mut leaves: Vec<Leaf>,
    function: &dyn Fn(u64) -> u64,
) -> Result<Ciphertext, TfheError> {
    while leaves.len() > 1 {
        // One that is left over waits, as the lowest; of two, the lowest group is made.
        let waiting = (leaves.len() % JOINED == 1).then(|| leaves.remove(0));
        let first = (leaves.len() - 1) % JOINED + 1;
        let place = |i: usize| if i < first { i } else { (i - first) % JOINED };
        let tables: Result<Vec<Table>, TfheError> = leaves
            .iter()
            .enumerate()
            .map(|(i, (_, order))| layers.functions(&[&|x| order(x) << place(i)]))
            .collect();
        let tables = tables?;
        let jobs: Vec<_> = tables.iter().zip(&leaves).map(|(table, (x, _))| (table, x.clone())).collect();
        let orders = layers.run(&jobs)?;
        let (lowest, rest) = orders.split_at(first);
        leaves = Vec::from_iter(waiting);
        for group in std::iter::once(lowest).chain(rest.chunks(JOINED)) {
            let (head, tail) = group.split_first().ok_or(TfheError::NoSummands)?;
            let sum = tail.iter().try_fold(head.clone(), |sum, order| sum.add(order))?;
            // Equal throughout is 1 + 2 + 4.
            let equal = (1 << group.len()) - 1;
            leaves.push((sum, Box::new(move |x| order_of(x, equal))));
        }
    }
    let (number, order) = leaves.pop().ok_or(TfheError::NoSummands)?;
    layers.run_one(&layers.functions(&[&|x| function(order(x))])?, number)
}

fn order_of(x: u64, other: u64) -> u64 {
    match x.cmp(&other) {
        std::cmp::Ordering::Less => LESS,
        std::cmp::Ordering::Equal => EQUAL,
        std::cmp::Ordering::Greater => GREATER,
    }
}

/// The order of numbers below `size`, whose highest bit is a sign if they're signed.
fn order_of_signed(x: u64, other: u64, size: u64, signed: bool) -> u64 {
    let turned = |x: u64| if signed { (x + size / 2) % size } else { x };
    order_of(turned(x), turned(other))
}

/// The digits, if all are public.
pub(super) fn public_digits(blocks: &[Ciphertext]) -> Option<Vec<u64>> {
    blocks.iter().map(Ciphertext::public_value).collect()
}

/// The word of public digits.
pub(super) fn public_bits(blocks: &[Ciphertext]) -> Option<u128> {
    let public = public_digits(blocks)?;
    Some(public.iter().rev().fold(0, |bits, &digit| bits << DIGIT_BITS | u128::from(digit)))
}
