//! The ranges of smooth functions, rounded outward.

use asanoha_numeric::Range;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::number;
use super::smooth::SmoothFunction;

/// The values of a smooth function that is defined on all of it, rounded outward; `None` when an end would be above all
/// `f64`s.
pub(super) fn smooth(function: SmoothFunction, on: &Range) -> Option<Range> {
    match function {
        SmoothFunction::Sigmoid => Some(sigmoid(on)),
        SmoothFunction::Exp => exp(on),
        SmoothFunction::Tanh => Some(tanh(on)),
        SmoothFunction::Log => Some(Range::between(log(on.lo())?.lo().clone(), log(on.hi())?.hi().clone())),
        SmoothFunction::Sqrt => Some(Range::between(sqrt(on.lo()).lo().clone(), sqrt(on.hi()).hi().clone())),
        SmoothFunction::Reciprocal => Some(Range::between(on.hi().recip(), on.lo().recip())),
    }
}

/// `[e^lo, e^hi]`, rounded outward; `None` when the upper end is above all `f64`s.
fn exp(on: &Range) -> Option<Range> {
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

/// The values of 1/(1 + e^−x) = e^x/(1 + e^x), rounded outward.
fn sigmoid(on: &Range) -> Range {
    let of = |power: &BigRational| power / (BigRational::one() + power);
    let end = |end: &BigRational| exp(&Range::between(end.clone(), end.clone()));
    Range::between(
        end(on.lo()).map_or_else(|| BigRational::new(1.into(), 2.into()), |power| of(power.lo())),
        end(on.hi()).map_or_else(BigRational::one, |power| of(power.hi())),
    )
}

/// The values of the hyperbolic tangent, rounded outward: its magnitude is neither above that of x nor above 1.
fn tanh(on: &Range) -> Range {
    let below = |x: &BigRational| {
        let nearest = BigRational::from_float(libm::tanh(number::to_f64(x))).expect("it's at most 1");
        nearest * (BigRational::one() - relative_slack())
    };
    let above = |x: &BigRational| x.clone().min(BigRational::one());
    let end = |x: &BigRational, outward: bool| {
        let magnitude = if outward { above(&x.abs()) } else { below(&x.abs()) };
        if x.is_negative() { -magnitude } else { magnitude }
    };
    Range::between(end(on.lo(), on.lo().is_negative()), end(on.hi(), on.hi().is_positive()))
}

/// What double precision loses of a function, relative to it, with room to spare.
fn relative_slack() -> BigRational {
    number::power_of_two(-48)
}

/// The logarithm of a number above 0 and double precision's error around it: ln x = ln m + k·ln 2 for x = m·2^k.
fn log(x: &BigRational) -> Option<Range> {
    let k = number::log2_ceil(x)?;
    let log = libm::log(number::to_f64(&(x * number::power_of_two(-k)))) + k as f64 * std::f64::consts::LN_2;
    let slack = BigRational::from_integer((k.abs() + 2).into()) * relative_slack();
    let log = BigRational::from_float(log)?;
    Some(Range::between(&log - &slack, log + slack))
}

/// The square root of a number above 0, to 64 bits: √(p/q) = √(p·q)/q.
fn sqrt(x: &BigRational) -> Range {
    let square: BigInt = (x.numer() * x.denom()) << 128;
    let floor = square.sqrt();
    let ceil = if &floor * &floor == square { floor.clone() } else { &floor + BigInt::one() };
    let denominator: BigInt = x.denom() << 64;
    Range::between(BigRational::new(floor, denominator.clone()), BigRational::new(ceil, denominator))
}
