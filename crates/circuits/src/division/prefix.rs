//! Carries of digits, all at once.

use rayon::prelude::*;

use crate::ExactArithmetic;

/// How a digit, or several neighbours, carry, as encrypted bits of which one at most is 1.
#[derive(Clone, Debug)]
pub(super) struct Carry<V> {
    /// A carry goes out whatever comes in.
    pub(super) generates: V,
    /// A carry goes out if one comes in.
    pub(super) propagates: V,
}

/// The carry out of every digit, none coming into the lowest: ⌈log2⌉ of their number products deep.
/// Source: Kogge, Stone 1973.
pub(super) fn carries<A: ExactArithmetic>(
    arithmetic: &A,
    mut digits: Vec<Carry<A::Value>>,
) -> Result<Vec<A::Value>, A::Error> {
    let mut distance = 1;
    while distance < digits.len() {
        // Each spans the `distance` digits from its own down; those that reach the lowest have settled.
        let joined = (distance..digits.len()).into_par_iter().map(|j| {
            let (upper, lower) = (&digits[j], &digits[j - distance]);
            let carried = arithmetic.multiply(&upper.propagates, &lower.generates)?;
            Ok(Carry {
                generates: arithmetic.add(&upper.generates, &carried)?,
                propagates: arithmetic.multiply(&upper.propagates, &lower.propagates)?,
            })
        });
        let joined = joined.collect::<Result<Vec<_>, A::Error>>()?;
        digits.truncate(distance);
        digits.extend(joined);
        distance *= 2;
    }
    Ok(digits.into_iter().map(|digit| digit.generates).collect())
}
