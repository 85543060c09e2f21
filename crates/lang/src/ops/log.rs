//! `log(x)`, `log10(x)` and `log2(x)`: the logarithms to the bases e, 10 and 2.

use asanoha_numeric::{Range, number};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow, Zero};

use super::{
    entry::{Entry, line},
    sqrt::above_zero,
    tanh::relative_slack,
};
use crate::function::Smooth;

pub(super) static ENTRY: Entry = Entry::smooth(
    "log",
    &[line(&["log(x)"], "real numbers; a range above 0", "approximate on x's range")],
    &Log::E,
)
.elsewhere(&["ln"]);

pub(super) static ENTRY_10: Entry =
    Entry::smooth("log10", &[line(&["log10(x)"], "as `log(x)`", "the logarithm to the base 10")], &Log::Ten);

pub(super) static ENTRY_2: Entry =
    Entry::smooth("log2", &[line(&["log2(x)"], "as `log(x)`", "the logarithm to the base 2")], &Log::Two);

/// The logarithm to a base.
#[derive(Clone, Copy, PartialEq)]
enum Log {
    E,
    Ten,
    Two,
}

impl Log {
    /// The natural logarithm of the base.
    fn of_base(self) -> f64 {
        match self {
            Self::E => 1.0,
            Self::Ten => std::f64::consts::LN_10,
            Self::Two => std::f64::consts::LN_2,
        }
    }
}

impl Smooth for Log {
    fn name(&self) -> &'static str {
        match self {
            Self::E => ENTRY.name,
            Self::Ten => ENTRY_10.name,
            Self::Two => ENTRY_2.name,
        }
    }

    fn value(&self, x: f64) -> f64 {
        match self {
            Self::E => libm::log(x),
            Self::Ten => libm::log10(x),
            Self::Two => libm::log2(x),
        }
    }

    fn is_defined_on(&self, (lo, _): (f64, f64)) -> bool {
        lo > 0.0
    }

    fn slope(&self, (lo, _): (f64, f64)) -> f64 {
        1.0 / (lo * self.of_base())
    }

    fn widest(&self, (lo, hi): (f64, f64)) -> f64 {
        lo.abs().min(hi.abs()) / 8.0
    }

    fn range(&self, on: &Range) -> Option<Range> {
        Some(Range::between(self.log(on.lo())?.lo().clone(), self.log(on.hi())?.hi().clone()))
    }

    fn takes(&self, on: &Range) -> Option<String> {
        above_zero(Smooth::name(self), on)
    }

    fn is_partial(&self) -> bool {
        true
    }

    /// The logarithm of 1 is 0, and those of whole powers of 10 and 2 to these bases are whole.
    fn exact(&self, of: &BigRational) -> Option<BigRational> {
        let base = match self {
            Self::E => return of.is_one().then(BigRational::zero),
            Self::Ten => BigRational::from_integer(10.into()),
            Self::Two => BigRational::from_integer(2.into()),
        };
        let exponent = Smooth::value(self, number::to_f64(of)).round();
        let power = exponent.is_finite().then(|| Pow::pow(base, BigInt::from(exponent as i64)))?;
        if power == *of { BigRational::from_float(exponent) } else { None }
    }
}

impl Log {
    /// The logarithm of a number above 0 and double precision's error around it: ln x = ln m + k·ln 2 for x = m·2^k.
    fn log(self, x: &BigRational) -> Option<Range> {
        let k = number::log2_ceil(x)?;
        let ln =
            libm::log(number::to_f64(&(x * number::power_of_two(-k)))) + k as f64 * std::f64::consts::LN_2;
        let slack = BigRational::from_integer((k.abs() + 2).into()) * relative_slack();
        let log = BigRational::from_float(ln / self.of_base())?;
        Some(Range::between(&log - &slack, log + slack))
    }
}
