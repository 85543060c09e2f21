//! `sigmoid(x)`: 1/(1 + e^−x).

use asanoha_numeric::Range;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::{
    entry::{Entry, line},
    exp::powers,
};
use crate::function::Smooth;

pub(super) static ENTRY: Entry =
    Entry::smooth("sigmoid", &[line(&["sigmoid(x)"], "real numbers", "approximate on x's range")], &Sigmoid)
        .elsewhere(&["logistic"]);

struct Sigmoid;

impl Smooth for Sigmoid {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn value(&self, x: f64) -> f64 {
        1.0 / (1.0 + libm::exp(-x))
    }

    /// It's steepest where x is nearest to 0.
    fn slope(&self, (lo, hi): (f64, f64)) -> f64 {
        let power = libm::exp(-0f64.clamp(lo, hi).abs());
        power / ((1.0 + power) * (1.0 + power))
    }

    fn widest(&self, _: (f64, f64)) -> f64 {
        f64::INFINITY
    }

    /// The values of e^x/(1 + e^x), rounded outward.
    fn range(&self, on: &Range) -> Option<Range> {
        let of = |power: &BigRational| power / (BigRational::one() + power);
        let end = |end: &BigRational| powers(&Range::between(end.clone(), end.clone()));
        Some(Range::between(
            end(on.lo()).map_or_else(|| BigRational::new(1.into(), 2.into()), |power| of(power.lo())),
            end(on.hi()).map_or_else(BigRational::one, |power| of(power.hi())),
        ))
    }

    /// It's ½ at 0.
    fn exact(&self, of: &BigRational) -> Option<BigRational> {
        of.is_zero().then(|| BigRational::new(1.into(), 2.into()))
    }
}
