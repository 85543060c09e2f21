//! Fractions: read from decimals, written as programs write them, rounded.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{Pow, Signed, Zero};

pub(crate) fn ratio(numerator: i64, denominator: i64) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

/// Reads a decimal number with or without an exponent.
pub(crate) fn parsed(text: &str) -> BigRational {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: BigInt = format!("{before}{after}").parse().unwrap();
    let exponent = exponent.parse::<i32>().unwrap() - after.len() as i32;
    let power = BigInt::from(10).pow(exponent.unsigned_abs());
    if exponent < 0 { BigRational::new(digits, power) } else { BigRational::from_integer(digits * power) }
}

/// Rounds to the nearest whole number, halves away from zero.
pub(crate) fn half_away_from_zero(value: &BigRational) -> BigRational {
    let magnitude = (value.abs() + ratio(1, 2)).floor();
    if value.is_negative() { -magnitude } else { magnitude }
}

/// The quotient rounded down and the remainder; both 0 by 0, of rows that are left out.
pub(crate) fn divided(a: &BigRational, b: &BigRational) -> (BigRational, BigRational) {
    if b.is_zero() {
        return (BigRational::zero(), BigRational::zero());
    }
    let quotient = (a / b).floor();
    let remainder = a - b * &quotient;
    (quotient, remainder)
}

/// Writes a number: its decimals if they end, with an exponent if they're many, or else a fraction in brackets.
pub(crate) fn literal(value: &BigRational) -> String {
    let mut places = 0usize;
    let mut rest = value.denom().clone();
    for factor in [2, 5] {
        let mut count = 0;
        while rest.is_multiple_of(&BigInt::from(factor)) {
            (rest, count) = (rest / factor, count + 1);
        }
        places = places.max(count);
    }
    if rest != BigInt::from(1) {
        return format!("({}/{})", value.numer(), value.denom());
    }
    let digits = (value * BigRational::from_integer(BigInt::from(10).pow(places as u32))).to_integer();
    let sign = if digits.is_negative() { "-" } else { "" };
    let text = digits.magnitude().to_string();
    match places {
        0 => format!("{sign}{text}"),
        1..=25 => {
            let text = format!("{text:0>width$}", width = places + 1);
            let (before, after) = text.split_at(text.len() - places);
            format!("{sign}{before}.{after}")
        }
        _ => format!("{sign}{text}e-{places}"),
    }
}

#[test]
fn literals_are_read_as_they_are_written() {
    for text in ["0", "-12", "0.30000000000000004", "1e-300", "-5e-30", "12.05", "500000000000000000"] {
        assert_eq!(literal(&parsed(text)), text);
    }
    assert_eq!(literal(&ratio(-1, 3)), "(-1/3)");
    assert_eq!(
        (divided(&ratio(-7, 1), &ratio(2, 1)), half_away_from_zero(&ratio(-5, 2))),
        ((ratio(-4, 1), ratio(1, 1)), ratio(-3, 1))
    );
}
