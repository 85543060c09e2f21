//! Intervals with exact ends.

use std::fmt;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, Zero};
use serde::{Deserialize, Serialize};

use crate::number;

/// Ends of more bits than this are rounded outward.
const EXACT_BITS: u64 = 4096;
/// The bits that are kept by rounding.
const ROUNDED_BITS: i64 = 256;
/// No end may be above two to this power; ends nearer to zero than its reciprocal are rounded outward to it, or to 0.
pub const MAX_MAGNITUDE_BITS: u64 = 1 << 14;
/// How many bits ends read from a file may have.
const MAX_FILE_BITS: u64 = 4096;

/// All values from `lo` to `hi`, both included.
///
/// In JSON an end is text (`"64"`, `"-0.25"`, `"1/3"`) or a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "JsonRange", into = "JsonRange")]
pub struct Range {
    lo: BigRational,
    hi: BigRational,
}

impl Range {
    /// The range from `lo` to `hi`, or `None` when `lo` is above `hi`.
    pub fn new(lo: BigRational, hi: BigRational) -> Option<Self> {
        (lo <= hi).then_some(Self { lo, hi })
    }

    /// The range between two ends, in either order.
    pub fn between(a: BigRational, b: BigRational) -> Self {
        if a <= b { Self { lo: a, hi: b } } else { Self { lo: b, hi: a } }
    }

    /// The range from `lo` to `hi`, or `None` when `lo` is above `hi`.
    pub fn whole(lo: i64, hi: i64) -> Option<Self> {
        Self::new(BigRational::from_integer(lo.into()), BigRational::from_integer(hi.into()))
    }

    /// The smallest value.
    pub fn lo(&self) -> &BigRational {
        &self.lo
    }

    /// The largest value.
    pub fn hi(&self) -> &BigRational {
        &self.hi
    }

    /// The largest magnitude of a value.
    pub fn max_abs(&self) -> BigRational {
        self.lo.abs().max(self.hi.abs())
    }

    /// The least k for which 2^k bounds the magnitudes of all values; `None` where all are 0.
    pub fn log2_bound(&self) -> Option<i64> {
        number::log2_ceil(&self.max_abs())
    }

    /// The largest magnitude of a value as the nearest `f64`; infinite when it is above them all.
    pub fn max_abs_f64(&self) -> f64 {
        number::to_f64(&self.max_abs())
    }

    /// The ends as the nearest `f64`s; infinite when they are outside them all.
    pub fn to_f64(&self) -> (f64, f64) {
        (number::to_f64(&self.lo), number::to_f64(&self.hi))
    }

    /// Whether a value is in the range.
    pub fn contains(&self, value: &BigRational) -> bool {
        *value >= self.lo && *value <= self.hi
    }

    /// Whether a double is in the range, whose ends count as the doubles nearest to them: a decimal and the double that
    /// it's read as are the same number to its owner.
    pub fn contains_f64(&self, value: f64) -> bool {
        let (lo, hi) = self.to_f64();
        value.is_finite() && value >= lo && value <= hi
    }

    /// The values that are in both.
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        Self::new(self.lo.clone().max(other.lo.clone()), self.hi.clone().min(other.hi.clone()))
    }

    /// The least range that holds both.
    pub fn union(&self, other: &Self) -> Self {
        Self { lo: self.lo.clone().min(other.lo.clone()), hi: self.hi.clone().max(other.hi.clone()) }
    }

    /// The sums of a value of each.
    pub fn add(&self, other: &Self) -> Self {
        Self { lo: &self.lo + &other.lo, hi: &self.hi + &other.hi }
    }

    /// The differences of a value of each.
    pub fn sub(&self, other: &Self) -> Self {
        Self { lo: &self.lo - &other.hi, hi: &self.hi - &other.lo }
    }

    /// The values with the other sign.
    pub fn neg(&self) -> Self {
        Self { lo: -&self.hi, hi: -&self.lo }
    }

    /// The products of a value of each.
    pub fn mul(&self, other: &Self) -> Self {
        let products =
            [&self.lo * &other.lo, &self.lo * &other.hi, &self.hi * &other.lo, &self.hi * &other.hi];
        Self::hull(&products)
    }

    /// The least range that holds some values, of which there is one at least.
    pub fn hull(values: &[BigRational]) -> Self {
        let (lo, hi) = (values.iter().min(), values.iter().max());
        Self { lo: lo.expect("a value").clone(), hi: hi.expect("a value").clone() }
    }

    /// The values times a factor.
    pub fn scale(&self, factor: &BigRational) -> Self {
        let (a, b) = (&self.lo * factor, &self.hi * factor);
        if factor.is_negative() { Self { lo: b, hi: a } } else { Self { lo: a, hi: b } }
    }

    /// The values with a constant added.
    pub fn offset(&self, constant: &BigRational) -> Self {
        Self { lo: &self.lo + constant, hi: &self.hi + constant }
    }

    /// The powers of the values; `None` when an end would be above the largest magnitude.
    pub fn power(&self, exponent: u32) -> Option<Self> {
        let base =
            if number::bits(&self.lo).max(number::bits(&self.hi)).saturating_mul(exponent.into()) > 1 << 16 {
                self.rounded_to(ROUNDED_BITS)
            } else {
                self.clone()
            };
        let largest = base.max_abs();
        let log2_floor = largest.to_integer().bits().saturating_sub(1);
        if log2_floor * u64::from(exponent) > MAX_MAGNITUDE_BITS {
            return None;
        }
        let of = |end: &BigRational| Pow::pow(end, exponent);
        let (lo, hi) = if exponent % 2 == 1 || !base.lo.is_negative() {
            (of(&base.lo), of(&base.hi))
        } else if base.hi.is_negative() {
            (of(&base.hi), of(&base.lo))
        } else {
            (BigRational::zero(), of(&largest))
        };
        Some(Self { lo, hi })
    }

    /// The variances of values in the range: at most that of half the values at either end.
    pub fn variance(&self) -> Self {
        let half = self.half_width();
        Self { lo: BigRational::zero(), hi: &half * &half }
    }

    /// The covariances of values in two ranges: at most the product of the largest deviations.
    pub fn covariance(&self, other: &Self) -> Self {
        let most = self.half_width() * other.half_width();
        Self { lo: -&most, hi: most }
    }

    /// The first and the last whole number of the range; the first is above the last where there's none.
    pub fn whole_ends(&self) -> (BigInt, BigInt) {
        (self.lo.ceil().to_integer(), self.hi.floor().to_integer())
    }

    /// How many whole numbers are in the range.
    pub fn whole_count(&self) -> BigInt {
        let (first, last) = self.whole_ends();
        last - first + BigInt::one()
    }

    fn half_width(&self) -> BigRational {
        (&self.hi - &self.lo) / BigInt::from(2)
    }

    /// The range, with ends of very many bits rounded outward; `None` when an end is above the largest magnitude.
    pub fn tamed(self) -> Option<Self> {
        if number::bits(&self.lo).max(number::bits(&self.hi)) <= EXACT_BITS {
            return Some(self);
        }
        let rounded = self.rounded_to(ROUNDED_BITS);
        (rounded.max_abs().to_integer().bits() <= MAX_MAGNITUDE_BITS).then_some(rounded)
    }

    fn rounded_to(&self, significant_bits: i64) -> Self {
        Self { lo: -rounded_up(&-&self.lo, significant_bits), hi: rounded_up(&self.hi, significant_bits) }
    }
}

/// The least value of `significant_bits` bits (and a power of two) that is not below `value`.
fn rounded_up(value: &BigRational, significant_bits: i64) -> BigRational {
    if value.is_zero() {
        return BigRational::zero();
    }
    let log2 = value.numer().bits() as i64 - value.denom().bits() as i64;
    if log2 < -(MAX_MAGNITUDE_BITS as i64) {
        let tiny = BigRational::new(BigInt::one(), BigInt::one() << (MAX_MAGNITUDE_BITS - 1));
        return if value.is_negative() { BigRational::zero() } else { tiny };
    }
    let shift = significant_bits - log2;
    let (mut numerator, mut denominator) = (value.numer().clone(), value.denom().clone());
    if shift >= 0 {
        numerator <<= shift;
    } else {
        denominator <<= -shift;
    }
    let mantissa = numerator.div_ceil(&denominator);
    if shift >= 0 {
        BigRational::new(mantissa, BigInt::one() << shift)
    } else {
        BigRational::from_integer(mantissa << -shift)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", number::format(&self.lo), number::format(&self.hi))
    }
}

/// A range as a file holds it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonRange {
    lo: JsonNumber,
    hi: JsonNumber,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum JsonNumber {
    Text(String),
    Number(serde_json::Number),
}

impl JsonNumber {
    fn value(&self) -> Result<BigRational, String> {
        let text = match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
        };
        number::parse_signed(&text, MAX_FILE_BITS)
            .ok_or_else(|| format!("`{}` is not a number", text.chars().take(40).collect::<String>()))
    }
}

impl TryFrom<JsonRange> for Range {
    type Error = String;

    fn try_from(range: JsonRange) -> Result<Self, String> {
        let (lo, hi) = (range.lo.value()?, range.hi.value()?);
        Self::new(lo, hi).ok_or_else(|| "the lower end of a range is above its upper end".to_owned())
    }
}

impl From<Range> for JsonRange {
    fn from(range: Range) -> Self {
        Self {
            lo: JsonNumber::Text(number::format(&range.lo)),
            hi: JsonNumber::Text(number::format(&range.hi)),
        }
    }
}
