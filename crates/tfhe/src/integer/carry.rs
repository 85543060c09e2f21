//! Carries: from sums of digits to digits.

use super::{BASE, layer::Layers};
use crate::{Ciphertext, Table, TfheError};

/// The digits of Σ sumᵢ·4^i, and the carry above them if it's wanted.
///
/// One digit after another if that's soonest with the threads there are ([`super::Integers::carries_in_turn`]), for sums up to
/// 15 less the carry from below. Otherwise in logarithmic depth, for sums up to 6, and 7 for the first.
pub(super) fn propagate(
    layers: &Layers<'_>,
    sums: Vec<Ciphertext>,
    carry_out: bool,
) -> Result<(Vec<Ciphertext>, Option<Ciphertext>), TfheError> {
    if carries_in_turn(layers, sums.len()) {
        propagate_in_turn(layers, sums, carry_out)
    } else {
        propagate_by_prefixes(layers, sums, carry_out)
    }
}

fn propagate_in_turn(
    layers: &Layers<'_>,
    sums: Vec<Ciphertext>,
    carry_out: bool,
) -> Result<(Vec<Ciphertext>, Option<Ciphertext>), TfheError> {
    let parts = layers.pair(&|x| x % BASE, &|x| x / BASE)?;
    let low = layers.functions(&[&|x| x % BASE])?;
    let count = sums.len();
    let mut digits = Vec::with_capacity(count);
    let mut carry = layers.key.trivial(0)?;
    for (i, sum) in sums.into_iter().enumerate() {
        let sum = sum.add(&carry)?;
        carry = layers.key.trivial(0)?;
        if sum.largest < BASE {
            digits.push(sum);
        } else if i + 1 == count && !carry_out {
            digits.push(layers.run_one(&low, sum)?);
        } else {
            let mut values = layers.run(&parts.jobs(sum))?.into_iter();
            digits.extend(values.next());
            carry = values.next().unwrap_or(carry);
        }
    }
    Ok((digits, carry_out.then_some(carry)))
}

/// Sums that are 4 or more make a carry, those of 3 hand one on. These states, 2 and 1, are joined over ranges of
/// doubling length; ranges from the lowest digit know their carry, 1 or 0.
///
/// Source: Sklansky, "Conditional-sum addition logic" (1960).
fn propagate_by_prefixes(
    layers: &Layers<'_>,
    sums: Vec<Ciphertext>,
    carry_out: bool,
) -> Result<(Vec<Ciphertext>, Option<Ciphertext>), TfheError> {
    let state = |x: u64| if x >= BASE { 2 } else { u64::from(x == BASE - 1) };
    let low = layers.functions(&[&|x| x % BASE])?;
    let first = layers.functions(&[&|x| x % BASE, &|x| x / BASE])?;
    let other = layers.functions(&[&|x| x % BASE, &state])?;
    let count = sums.len();
    // The last carry is needed only if it goes out.
    let carries = count - 1 + usize::from(carry_out);
    let table = |i: usize| match i {
        0 if carries > 0 => &first,
        i if i < carries => &other,
        _ => &low,
    };
    let jobs: Vec<(&Table, Ciphertext)> =
        sums.into_iter().enumerate().map(|(i, sum)| (table(i), sum)).collect();
    let mut values = layers.run(&jobs)?.into_iter();
    let (mut digits, mut states) = (Vec::new(), Vec::new());
    for i in 0..count {
        digits.extend(values.next());
        states.extend(values.by_ref().take(usize::from(i < carries)));
    }

    let joined = layers.functions(&[&|x| state(x)])?;
    let known = layers.functions(&[&|x| u64::from(x >= BASE - 1)])?;
    let steps = (0..usize::BITS).map(|s| 1 << s).take_while(|&step| step < carries);
    for step in steps {
        let upper: Vec<usize> = (0..carries).filter(|i| i & step != 0).collect();
        let jobs: Result<Vec<_>, TfheError> = upper
            .iter()
            .map(|&i| {
                let both = states[i].scale(2)?.add(&states[i / step * step - 1])?;
                Ok((if i < 2 * step { &known } else { &joined }, both))
            })
            .collect();
        let values = layers.run(&jobs?)?;
        upper.into_iter().zip(values).for_each(|(i, value)| states[i] = value);
    }

    let jobs: Result<Vec<_>, TfheError> =
        digits[1..].iter().zip(&states).map(|(digit, carry)| Ok((&low, digit.add(carry)?))).collect();
    digits.truncate(1);
    digits.extend(layers.run(&jobs?)?);
    Ok((digits, if carry_out { states.pop() } else { None }))
}

/// Whether carries through so many digits are soonest found one after another.
pub(super) fn carries_in_turn(layers: &Layers<'_>, digits: usize) -> bool {
    let steps = (0..usize::BITS).map(|s| 1 << s).take_while(|&step| step < digits);
    let prefixes: usize =
        steps.map(|step| layers.rounds((0..digits).filter(|i| i & step != 0).count())).sum();
    digits <= 2 * layers.rounds(digits) + prefixes
}
