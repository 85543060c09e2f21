//! `exp(x)`: e to a power.

use asanoha_numeric::Range;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::entry::{Entry, line};
use crate::function::Smooth;

pub(super) static ENTRY: Entry =
    Entry::smooth("exp", &[line(&["exp(x)"], "real numbers", "approximate on x's range")], &Exp);

struct Exp;

impl Smooth for Exp {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn value(&self, x: f64) -> f64 {
        libm::exp(x)
    }

    fn slope(&self, (_, hi): (f64, f64)) -> f64 {
        libm::exp(hi)
    }

    fn widest(&self, _: (f64, f64)) -> f64 {
        0.5
    }

    fn range(&self, on: &Range) -> Option<Range> {
        powers(on)
    }

    /// e⁰ is 1.
    fn exact(&self, of: &BigRational) -> Option<BigRational> {
        of.is_zero().then(BigRational::one)
    }
}

/// `[e^lo, e^hi]`, rounded outward; `None` when the upper end is above all `f64`s.
pub(super) fn powers(on: &Range) -> Option<Range> {
    let (lo, hi) = on.to_f64();
    // e^x in f64 from the nearest f64 to x is off by a factor within 1 ± (|x| + 2) · 2^-52; twice that is allowed.
    let slack = |x: f64| BigRational::from_float((x.abs() + 2.0) * 2f64.powi(-51));
    let smallest = BigRational::new(BigInt::one(), BigInt::one() << 1074);
    let upper = BigRational::from_float(libm::exp(hi))?;
    let upper = if upper < BigRational::from_float(f64::MIN_POSITIVE)? {
        BigRational::from_float(f64::MIN_POSITIVE)? + smallest
    } else {
        upper * (BigRational::one() + slack(hi)?)
    };
    let lower = if lo < -700.0 {
        BigRational::zero()
    } else {
        BigRational::from_float(libm::exp(lo))? * (BigRational::one() - slack(lo)?)
    };
    Some(Range::between(lower, upper))
}
