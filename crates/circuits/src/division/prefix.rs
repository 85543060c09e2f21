//! Carries of digits, all at once.

use crate::parallel::try_map;

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
        let joined = try_map(digits.len() - distance, &|j| {
            let (upper, lower) = (&digits[j + distance], &digits[j]);
            let carried = arithmetic.multiply(&upper.propagates, &lower.generates)?;
            Ok(Carry {
                generates: arithmetic.add(&upper.generates, &carried)?,
                propagates: arithmetic.multiply(&upper.propagates, &lower.propagates)?,
            })
        })?;
        digits.truncate(distance);
        digits.extend(joined);
        distance *= 2;
    }
    Ok(digits.into_iter().map(|digit| digit.generates).collect())
}
