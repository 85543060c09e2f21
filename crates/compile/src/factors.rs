//! What exact arithmetic makes of factors and functions.

use asanoha_circuits::BinaryFunction;
use asanoha_lang::{Function, Kind, ops::binary};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;

use super::error::ExpandError;

/// A function as exact arithmetic has it: where numbers are exact, none are too near to be told apart.
pub(super) fn exactly(function: &Function) -> Result<Function, ExpandError> {
    match function.kind() {
        Kind::Smooth => Err(ExpandError::NotExact(function.name())),
        Kind::Less => Ok(binary(BinaryFunction::Less)),
        _ => Ok(function.clone()),
    }
}

/// A factor that makes both others whole multiples of it.
pub(super) fn common_factor(a: &BigRational, b: &BigRational) -> BigRational {
    if a == b {
        a.clone()
    } else {
        // gcd(p/q, r/s) = gcd(p, r)/lcm(q, s).
        let (numerator, denominator): (BigInt, BigInt) = (a.numer().gcd(b.numer()), a.denom().lcm(b.denom()));
        BigRational::new(numerator, denominator)
    }
}
