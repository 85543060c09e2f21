//! The least and the largest values of columns, and ranges that hold them.

use asanoha_numeric::{Range, number};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::table::ColumnValues;

/// A value and its row, from 1.
pub(crate) struct Extreme {
    pub(crate) value: BigRational,
    row: usize,
}

/// The smallest and largest value, the first of each.
pub(crate) fn extremes(values: &ColumnValues) -> Vec<Extreme> {
    fn ends<T: PartialOrd + Clone>(values: &[T], exact: impl Fn(T) -> Option<BigRational>) -> Vec<Extreme> {
        let pick = |better: fn(&T, &T) -> bool| {
            let (row, value) =
                values.iter().enumerate().reduce(|a, b| if better(b.1, a.1) { b } else { a })?;
            Some(Extreme { value: exact(value.clone())?, row: row + 1 })
        };
        [pick(|a, b| a < b), pick(|a, b| a > b)].into_iter().flatten().collect()
    }
    match values {
        ColumnValues::Whole(values) | ColumnValues::Categories { values, .. } => {
            ends(values, |value| Some(BigRational::from_integer(value.into())))
        }
        ColumnValues::Integers(values) => ends(values, |value| Some(BigRational::from_integer(value))),
        ColumnValues::Decimal { values, places } => {
            ends(values, |value| Some(BigRational::new(value.into(), power_of_ten(*places))))
        }
        ColumnValues::WideDecimal { values, places } => {
            ends(values, |value| Some(BigRational::new(value, power_of_ten(*places))))
        }
        ColumnValues::Real(values) => ends(values, BigRational::from_float),
    }
}

/// The row, from 1, of a value outside of a range, and the value: one that is no number, else the smallest or the largest.
pub fn outside(values: &ColumnValues, range: &Range) -> Option<(usize, String)> {
    let is_exact = match values {
        ColumnValues::Real(values) => {
            if let Some(at) = values.iter().position(|value| !value.is_finite()) {
                return Some((at + 1, values[at].to_string()));
            }
            false
        }
        _ => true,
    };
    let is_inside = |value: &BigRational| {
        if is_exact { range.contains(value) } else { range.contains_f64(number::to_f64(value)) }
    };
    let Extreme { value, row } = extremes(values).into_iter().find(|extreme| !is_inside(&extreme.value))?;
    Some((row, if is_exact { number::format(&value) } else { number::to_f64(&value).to_string() }))
}

/// A range whose ends are decimals of so many places; the same range for 0. An end isn't rounded to 0, which a range of one sign
/// leaves out: no decimal of so many places lies between.
pub(crate) fn rounded_outward(range: &Range, places: u32) -> Range {
    if places == 0 {
        return range.clone();
    }
    let power = BigRational::from_integer(power_of_ten(places));
    let [mut lo, mut hi] = [(range.lo() * &power).floor(), (range.hi() * &power).ceil()];
    if range.lo().is_positive() {
        lo = lo.max(BigRational::one());
    }
    if range.hi().is_negative() {
        hi = hi.min(-BigRational::one());
    }
    Range::between(lo / &power, hi / &power)
}

/// 10^places.
pub(crate) fn power_of_ten(places: u32) -> BigInt {
    BigInt::from(10).pow(places)
}

/// The range of values, rounded outward to powers of two. Where all are on one side of 0, so is the range, whose nearer end comes
/// down by a factor of two at most: what is defined on all of them is defined on it.
pub(crate) fn rounded_range(values: &ColumnValues) -> Range {
    let ends = extremes(values);
    let range = range_with_zero(values, &ends);
    let (Some(least), Some(most)) = (ends.first(), ends.last()) else { return range };
    let nearest = if most.value.is_negative() { &most.value } else { &least.value };
    if nearest.is_zero() || least.value.is_negative() != most.value.is_negative() {
        return range;
    }
    let half = number::power_of_two(number::log2_ceil(nearest).unwrap_or(0) - 1);
    let nearer = if matches!(values, ColumnValues::Real(_)) {
        half
    } else {
        let unit = BigRational::new(BigInt::one(), power_of_ten(values.places()));
        ((half / &unit).floor() * &unit).max(unit)
    };
    // Where all are the least number that there is, the range holds 0 too, so that it isn't of one number.
    match nearest.is_negative() {
        true if -&nearer > *range.lo() => Range::between(range.lo().clone(), -nearer),
        false if nearer < *range.hi() => Range::between(nearer, range.hi().clone()),
        _ => range,
    }
}

/// As [`rounded_range`], from 0 where no value is negative, and on both sides of it otherwise.
fn range_with_zero(values: &ColumnValues, extremes: &[Extreme]) -> Range {
    let negative = extremes.iter().any(|extreme| extreme.value.is_negative());
    if !matches!(values, ColumnValues::Real(_)) {
        let unit = BigRational::new(BigInt::one(), power_of_ten(values.places()));
        // As many bits as hold them all in two's complement: −1 − x takes as many as x.
        let bits = |extreme: &Extreme| {
            let value: BigInt = (&extreme.value / &unit).to_integer();
            let magnitude: BigInt = if value.is_negative() { -(value + BigInt::one()) } else { value };
            magnitude.bits()
        };
        let end = BigInt::one() << extremes.iter().map(bits).max().unwrap_or(0).max(u64::from(!negative));
        let lo = if negative { -end.clone() } else { BigInt::zero() };
        let [lo, hi] = [lo, end - 1].map(|end| BigRational::from_integer(end) * &unit);
        if values.places() == 0 {
            return Range::between(lo, hi);
        }
        // Decimals of at most 1 are in a range up to 1, as real numbers are.
        let real = powers_of_two(extremes, negative);
        let narrower = Range::between(lo.max(real.lo().clone()), hi.min(real.hi().clone()));
        return rounded_outward(&narrower, values.places());
    }
    powers_of_two(extremes, negative)
}

/// The range between the powers of two that bound all values.
fn powers_of_two(extremes: &[Extreme], negative: bool) -> Range {
    let largest = extremes.iter().map(|extreme| extreme.value.abs()).max().unwrap_or_else(BigRational::zero);
    let end = number::power_of_two(number::log2_ceil(&largest).unwrap_or(0));
    let lo = if negative { -&end } else { BigRational::zero() };
    Range::between(lo, end)
}
