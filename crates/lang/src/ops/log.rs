//! `log(x)`: the natural logarithm.

use asanoha_numeric::{Range, number};
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::{
    entry::{Entry, line},
    sqrt::above_zero,
    tanh::relative_slack,
};
use crate::function::Smooth;

pub(super) static ENTRY: Entry = Entry::smooth(
    "log",
    &[line(&["log(x)"], "real numbers; a range above 0", "approximate on x's range")],
    &Log,
)
.elsewhere(&["ln"]);

struct Log;

impl Smooth for Log {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn value(&self, x: f64) -> f64 {
        libm::log(x)
    }

    fn is_defined_on(&self, (lo, _): (f64, f64)) -> bool {
        lo > 0.0
    }

    fn slope(&self, (lo, _): (f64, f64)) -> f64 {
        1.0 / lo
    }

    fn widest(&self, (lo, hi): (f64, f64)) -> f64 {
        lo.abs().min(hi.abs()) / 8.0
    }

    fn range(&self, on: &Range) -> Option<Range> {
        Some(Range::between(log(on.lo())?.lo().clone(), log(on.hi())?.hi().clone()))
    }

    fn takes(&self, on: &Range) -> Option<String> {
        above_zero(ENTRY.name, on)
    }

    fn is_partial(&self) -> bool {
        true
    }

    /// The logarithm of 1 is 0.
    fn exact(&self, of: &BigRational) -> Option<BigRational> {
        of.is_one().then(BigRational::zero)
    }
}

/// The logarithm of a number above 0 and double precision's error around it: ln x = ln m + k·ln 2 for x = m·2^k.
fn log(x: &BigRational) -> Option<Range> {
    let k = number::log2_ceil(x)?;
    let log = libm::log(number::to_f64(&(x * number::power_of_two(-k)))) + k as f64 * std::f64::consts::LN_2;
    let slack = BigRational::from_integer((k.abs() + 2).into()) * relative_slack();
    let log = BigRational::from_float(log)?;
    Some(Range::between(&log - &slack, log + slack))
}
