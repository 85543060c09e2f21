//! `tanh(x)`: the hyperbolic tangent.

use asanoha_numeric::{Range, number};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::entry::{Entry, line};
use crate::function::Smooth;

pub(super) static ENTRY: Entry =
    Entry::smooth("tanh", &[line(&["tanh(x)"], "real numbers", "approximate on x's range")], &Tanh);

struct Tanh;

/// What double precision loses of a function, relative to it, with room to spare.
pub(super) fn relative_slack() -> BigRational {
    number::power_of_two(-48)
}

impl Smooth for Tanh {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn value(&self, x: f64) -> f64 {
        libm::tanh(x)
    }

    /// It's steepest where x is nearest to 0.
    fn slope(&self, (lo, hi): (f64, f64)) -> f64 {
        let x = 0f64.clamp(lo, hi);
        1.0 / (libm::cosh(x) * libm::cosh(x))
    }

    fn widest(&self, _: (f64, f64)) -> f64 {
        f64::INFINITY
    }

    /// The values, rounded outward: their magnitude is neither above that of x nor above 1.
    fn range(&self, on: &Range) -> Option<Range> {
        let below = |x: &BigRational| {
            let nearest = BigRational::from_float(libm::tanh(number::to_f64(x))).expect("it's at most 1");
            nearest * (BigRational::one() - relative_slack())
        };
        let above = |x: &BigRational| x.clone().min(BigRational::one());
        let end = |x: &BigRational, outward: bool| {
            let magnitude = if outward { above(&x.abs()) } else { below(&x.abs()) };
            if x.is_negative() { -magnitude } else { magnitude }
        };
        Some(Range::between(end(on.lo(), on.lo().is_negative()), end(on.hi(), on.hi().is_positive())))
    }

    /// It's 0 at 0.
    fn exact(&self, of: &BigRational) -> Option<BigRational> {
        of.is_zero().then(BigRational::zero)
    }
}
