//! Norms beyond the range of double precision.

use std::{
    cmp::Ordering,
    iter::Sum,
    ops::{Add, AddAssign, Div, Mul},
};

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use serde::{Deserialize, Serialize};

/// A non-negative real number with the precision of a double and a wide exponent: noise bounds under a plaintext
/// modulus of thousands of bits are far above 2^1024, where `f64` ends.
///
/// The number is m·2^e with 1 ≤ m < 2, or zero. Sums, products and comparisons have the precision of doubles. In JSON a
/// norm is the pair \[m, e\].
///
/// ```
/// use asanoha_lattice::Norm;
/// let wide = Norm::from_log2(3000.0);
/// assert_eq!((wide * wide + wide).log2(), 6000.0);
/// assert!(Norm::from(3.0) < wide && (Norm::from(3.0) * 0.5).log2() == 1.5f64.log2());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "(f64, i64)", into = "(f64, i64)")]
pub struct Norm {
    mantissa: f64,
    exponent: i64,
}

/// The largest exponent that a file may hold: the sum of two is far from overflowing.
const LARGEST_EXPONENT: u64 = 1 << 40;

impl Norm {
    /// Zero.
    pub const ZERO: Self = Self { mantissa: 0.0, exponent: 0 };
    /// One.
    pub const ONE: Self = Self { mantissa: 1.0, exponent: 0 };

    /// Larger than any modulus.
    const HUGE: Self = Self { mantissa: 1.0, exponent: LARGEST_EXPONENT as i64 };

    /// The norm of a number that may have overflowed: infinities, NaN and negative numbers become a norm above every
    /// modulus, so that a check against a modulus refuses them.
    pub fn from_or_huge(x: f64) -> Self {
        if x.is_finite() && x >= 0.0 { Self::new(x, 0) } else { Self::HUGE }
    }

    /// x·2^e.
    ///
    /// # Panics
    /// If x is negative, infinite or NaN.
    fn new(x: f64, exponent: i64) -> Self {
        assert!(x >= 0.0 && x.is_finite(), "{x} isn't a norm");
        if x == 0.0 {
            return Self::ZERO;
        }
        // Subnormal numbers are scaled up, since their exponent field doesn't say their exponent.
        let (x, exponent) =
            if x < f64::MIN_POSITIVE { (x * 2f64.powi(64), exponent - 64) } else { (x, exponent) };
        let own = ((x.to_bits() >> 52) & 0x7ff) as i64 - 1023;
        let mantissa = f64::from_bits((x.to_bits() & ((1 << 52) - 1)) | (1023 << 52));
        Self { mantissa, exponent: exponent + own }
    }

    /// 2^x.
    ///
    /// # Panics
    /// If x is infinite or NaN.
    pub fn from_log2(log2: f64) -> Self {
        let whole = log2.floor();
        Self::new((log2 - whole).exp2(), whole as i64)
    }

    /// The base-2 logarithm, −∞ for zero.
    pub fn log2(self) -> f64 {
        if self.mantissa == 0.0 { f64::NEG_INFINITY } else { self.mantissa.log2() + self.exponent as f64 }
    }

    /// The n-th power.
    #[must_use]
    pub fn powi(self, n: u32) -> Self {
        (0..n).fold(Self::ONE, |power, _| power * self)
    }

    /// The nearest double; infinity above the range of doubles.
    pub fn to_f64(self) -> f64 {
        let exponent = self.exponent.clamp(-1200, 1200) as i32;
        // In two steps: 2^exponent alone may be subnormal where the product isn't.
        self.mantissa * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
    }
}

impl From<f64> for Norm {
    /// # Panics
    /// If the number is negative, infinite or NaN.
    fn from(x: f64) -> Self {
        Self::new(x, 0)
    }
}

impl From<&BigUint> for Norm {
    fn from(x: &BigUint) -> Self {
        let shift = x.bits().saturating_sub(64);
        Self::new((x >> shift).to_f64().expect("64 bits"), shift as i64)
    }
}

impl TryFrom<(f64, i64)> for Norm {
    type Error = &'static str;

    fn try_from((mantissa, exponent): (f64, i64)) -> Result<Self, Self::Error> {
        let canonical = (mantissa == 0.0 && exponent == 0)
            || ((1.0..2.0).contains(&mantissa) && exponent.unsigned_abs() <= LARGEST_EXPONENT);
        canonical.then_some(Self { mantissa, exponent }).ok_or("a norm is m·2^e with m in [1, 2), or zero")
    }
}

impl From<Norm> for (f64, i64) {
    fn from(norm: Norm) -> Self {
        (norm.mantissa, norm.exponent)
    }
}

impl Add for Norm {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (large, small) = if self < other { (other, self) } else { (self, other) };
        if small.mantissa == 0.0 {
            return large;
        }
        let distance = (large.exponent - small.exponent).min(1000) as i32;
        Self::new(large.mantissa + small.mantissa * 2f64.powi(-distance), large.exponent)
    }
}

impl AddAssign for Norm {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Norm {
    fn sum<I: Iterator<Item = Self>>(norms: I) -> Self {
        norms.fold(Self::ZERO, |sum, norm| sum + norm)
    }
}

impl Mul for Norm {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self::new(self.mantissa * other.mantissa, self.exponent + other.exponent)
    }
}

impl Mul<f64> for Norm {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        self * Self::from(factor)
    }
}

impl Div<f64> for Norm {
    type Output = Self;

    /// # Panics
    /// If the divisor isn't positive and finite.
    fn div(self, divisor: f64) -> Self {
        let divisor = Self::from(divisor);
        Self::new(self.mantissa / divisor.mantissa, self.exponent - divisor.exponent)
    }
}

impl Eq for Norm {}

impl Ord for Norm {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |norm: &Self| if norm.mantissa == 0.0 { i64::MIN } else { norm.exponent };
        key(self).cmp(&key(other)).then(self.mantissa.total_cmp(&other.mantissa))
    }
}

impl PartialOrd for Norm {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn arithmetic_is_that_of_doubles_where_they_reach(
            a in prop_oneof![Just(0.0), 1e-300..1e300f64, 0.0..10.0f64],
            b in prop_oneof![Just(0.0), 1e-300..1e300f64, 0.0..10.0f64],
        ) {
            let (x, y) = (Norm::from(a), Norm::from(b));
            prop_assert_eq!(x.to_f64(), a);
            prop_assert_eq!((x + y).to_f64(), a + b);
            prop_assert_eq!(x.cmp(&y), a.total_cmp(&b));
            if (1e-300..1e300).contains(&(a * b)) {
                prop_assert_eq!((x * y).to_f64(), a * b);
                prop_assert_eq!((x * b).to_f64(), a * b);
            }
            prop_assert!(a == 0.0 || (x.log2() - a.log2()).abs() < 1e-9);
        }

        #[test]
        fn only_pairs_in_range_are_read(mantissa in any::<f64>(), exponent in any::<i64>()) {
            if let Ok(norm) = Norm::try_from((mantissa, exponent)) {
                prop_assert!((1.0..2.0).contains(&mantissa) || norm == Norm::ZERO);
                prop_assert!((norm * norm).log2().is_finite() || norm == Norm::ZERO);
            }
        }

        #[test]
        fn exponents_go_far_beyond_doubles(a in -1e6..1e6f64, b in -1e6..1e6f64) {
            let (x, y) = (Norm::from_log2(a), Norm::from_log2(b));
            prop_assert!((x.log2() - a).abs() < 1e-9);
            prop_assert!(((x * y).log2() - (a + b)).abs() < 1e-8);
            let (low, high) = (a.min(b), a.max(b));
            let sum = high + (1.0 + (low - high).exp2()).log2();
            prop_assert!(((x + y).log2() - sum).abs() < 1e-9);
            prop_assert_eq!(x < y, a < b);
        }
    }

    #[test]
    fn big_integers_keep_their_size() {
        let big = BigUint::from(3u32) << 4000;
        assert_eq!(Norm::from(&big), Norm::from(3.0) * Norm::from_log2(4000.0));
        assert_eq!(Norm::from(&BigUint::ZERO), Norm::ZERO);
        assert_eq!(Norm::from(&BigUint::from(u64::MAX)).log2(), 64.0);
    }

    #[test]
    fn zero_is_below_all_and_changes_no_sum() {
        let tiny = Norm::from_log2(-5000.0);
        assert!(Norm::ZERO < tiny && Norm::ZERO + tiny == tiny && Norm::ZERO * tiny == Norm::ZERO);
        assert_eq!(Norm::ZERO.log2(), f64::NEG_INFINITY);
        assert_eq!((Norm::from_log2(5000.0).to_f64(), tiny.to_f64()), (f64::INFINITY, 0.0));
        assert_eq!(Norm::from(f64::MIN_POSITIVE / 8.0).log2(), -1025.0);
    }

    #[test]
    fn json_holds_every_bit_and_only_norms() {
        for norm in [Norm::ZERO, Norm::ONE, Norm::from_log2(4000.3), Norm::from(1.0 / 3.0)] {
            let text = serde_json::to_string(&norm).unwrap();
            assert_eq!(serde_json::from_str::<Norm>(&text).unwrap(), norm);
        }
        for bad in ["[0.5,0]", "[-1.0,0]", "[1.0,9223372036854775807]", "[0.0,1]", "1.0"] {
            assert!(serde_json::from_str::<Norm>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_most_negative_exponent_is_refused() {
        assert!(Norm::try_from((1.0, i64::MIN)).is_err() && Norm::try_from((1.0, i64::MAX)).is_err());
    }
}
