//! Division of unsigned digits.

use super::{
    BASE,
    add::differences,
    compare::public_bits,
    layer::{Layers, Pair},
    select,
};
use crate::{Ciphertext, Table, TfheError, integer_type::digits_of};

/// The weights of borrows beside a difference of digits (from 0 to 6), which tell both apart in their sum.
const BORROW_OF_DOUBLE: u64 = 2 * BASE;
const BORROW_OF_SINGLE: u64 = 2 * BASE - 1;

/// Quotient and remainder of unsigned digits. A public divisor bounds the digits that remain.
///
/// Restoring division by two bits a step: the remainder so far with the next digit, k digits in the k-th step, less
/// twice the divisor if it's not below that, and less the divisor likewise.
pub(super) fn divide(
    layers: &Layers<'_>,
    a: &[Ciphertext],
    b: &[Ciphertext],
) -> Result<(Vec<Ciphertext>, Vec<Ciphertext>), TfheError> {
    let count = a.len();
    let [a, b] = layers.within(1.0, [a, b])?;
    let double = layers.functions(&[&|x| x / BASE * 2 % BASE + x % BASE / 2])?;
    let zero = layers.key.trivial(0)?;
    let jobs = (0..count).map(|i| {
        let below = if i == 0 { &zero } else { &b[i - 1] };
        Ok((&double, b[i].scale(BASE)?.add(below)?))
    });
    let jobs: Vec<(&Table, Ciphertext)> = jobs.collect::<Result<_, TfheError>>()?;
    let twice = layers.run(&jobs)?;
    let larger = larger_than_digits(layers, &b)?;

    let remaining = public_bits(&b).filter(|&bits| bits > 0).map_or(count, digits_of);
    let mut remainder: Vec<Ciphertext> = Vec::new();
    let mut borrows = Vec::new();
    for k in 1..=count {
        remainder.truncate(remaining);
        remainder.insert(0, a[count - k].clone());
        let k = remainder.len();
        let [of_single, of_double] = &larger.flags[k - 1];
        let (rest, double) = subtract_where(layers, &remainder, &twice[..k], of_double, BORROW_OF_DOUBLE)?;
        let (rest, single) = subtract_where(layers, &rest, &b[..k], of_single, BORROW_OF_SINGLE)?;
        remainder = rest;
        // A divisor of 0 borrows nothing: then they're 0, and otherwise the 1 that says so is.
        let both = double.add(&single)?.at_most(BASE * BASE - 2);
        borrows.push(both.add(&larger.zero)?);
    }
    let digit = layers.functions(&[&|x| match x {
        0 => 3,
        BORROW_OF_SINGLE => 2,
        BORROW_OF_DOUBLE => 1,
        _ => 0,
    }])?;
    let jobs: Vec<_> = borrows.into_iter().rev().map(|borrow| (&digit, borrow)).collect();
    remainder.truncate(remaining);
    remainder.resize(count, zero);
    Ok((layers.run(&jobs)?, remainder))
}

/// r − d where that's not negative, otherwise r; and the weighted borrow, which is set as well where the flag is 8.
fn subtract_where(
    layers: &Layers<'_>,
    r: &[Ciphertext],
    d: &[Ciphertext],
    flag: &Ciphertext,
    weight: u64,
) -> Result<(Vec<Ciphertext>, Ciphertext), TfheError> {
    if flag.public_value().is_some_and(|flag| flag > 0) {
        return Ok((r.to_vec(), layers.key.trivial(weight)?));
    }
    let parts = layers.pair(&|x| x % BASE, &|x| x / BASE)?;
    let last = layers.pair(&|x| x % BASE, &|x| if x / BASE == 1 { 0 } else { weight })?;
    let [r] = layers.within(2.0, [r])?;
    let mut carry = layers.key.trivial(1)?;
    let mut digits = Vec::new();
    for (i, difference) in differences(&r, d)?.into_iter().enumerate() {
        let sum = difference.add(&carry)?;
        let jobs = if i + 1 < r.len() { parts.jobs(sum) } else { Pair::jobs(&last, sum.add(flag)?) };
        let mut values = layers.run(&jobs)?.into_iter();
        digits.extend(values.next());
        carry = values.next().unwrap_or(carry);
    }
    Ok((select::choose(layers, &carry, weight, &r, &digits)?, carry))
}

/// Where a divisor, or its double, has more than k digits, for k from 1 on; and whether it's 0.
fn larger_than_digits(layers: &Layers<'_>, b: &[Ciphertext]) -> Result<Larger, TfheError> {
    let count = b.len();
    let next =
        layers.functions(&[&|x| if x > 0 { BASE } else { 0 }, &|x| if x >= 2 { 2 * BASE } else { 0 }])?;
    let weighted = layers.functions(&[&|x| if x > 0 { 2 * BASE } else { 0 }])?;
    let last = layers.functions(&[&|x| u64::from(x == 0), &|x| if x >= 2 { 2 * BASE } else { 0 }])?;
    let zero = layers.key.trivial(0)?;
    let (mut above, mut of_single) = (zero.clone(), zero.clone());
    let mut flags = Vec::new();
    for k in (1..=count).rev() {
        // Digits from k − 1 on: 4 if one above isn't 0, and the digit.
        let number = above.add(&b[k - 1])?;
        let mut jobs = vec![(if k == 1 { &last } else { &next }, number.clone())];
        jobs.extend((k > 1).then_some((&weighted, number)));
        let mut values = layers.run(&jobs)?.into_iter();
        above = values.next().unwrap_or(above);
        let of_double = values.next().unwrap_or_else(|| zero.clone());
        flags.push([of_single, of_double]);
        of_single = values.next().unwrap_or_else(|| zero.clone());
    }
    flags.reverse();
    Ok(Larger { flags, zero: above })
}

/// How a divisor compares with powers of the radix.
struct Larger {
    /// For each k from 1 on, 8 if the divisor, and if its double, is 4^k or more.
    flags: Vec<[Ciphertext; 2]>,
    /// 1 if it's 0.
    zero: Ciphertext,
}
