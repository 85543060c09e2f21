//! The entries of tables.

use asanoha_numeric::Range;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

/// The ranges of entries and of 0, which places outside have.
pub(super) fn hull<'a>(entries: impl Iterator<Item = &'a i64> + Clone) -> Option<Range> {
    let all = entries.chain([&0]);
    Range::whole(*all.clone().min()?, *all.max()?)
}

/// Constants as whole multiples of a fraction, and its denominator; `None` if one has more than 63 bits.
pub(super) fn whole_entries(numbers: Vec<BigRational>) -> Option<(Vec<i64>, BigRational)> {
    let denominator = numbers.iter().fold(BigInt::one(), |lcm, number| lcm.lcm(number.denom()));
    let unit = BigRational::from_integer(denominator);
    let whole = |number: BigRational| (number * &unit).to_integer().to_i64();
    Some((numbers.into_iter().map(whole).collect::<Option<_>>()?, unit))
}
