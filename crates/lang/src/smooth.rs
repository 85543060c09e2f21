//! Smooth functions of a real number.

use std::fmt;

/// A smooth function of a real number. Encrypted, a polynomial that is fitted to it on an interval inside its domain stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SmoothFunction {
    /// 1/(1 + e^−x).
    Sigmoid,
    /// e^x.
    Exp,
    /// The hyperbolic tangent.
    Tanh,
    /// The natural logarithm, of numbers above 0.
    Log,
    /// The square root, of numbers above 0: at 0 its slope is infinite.
    Sqrt,
    /// 1/x, on either side of 0.
    Reciprocal,
}

impl SmoothFunction {
    /// Every one of them.
    pub const ALL: [Self; 6] =
        [Self::Sigmoid, Self::Exp, Self::Tanh, Self::Log, Self::Sqrt, Self::Reciprocal];

    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sigmoid => "sigmoid",
            Self::Exp => "exp",
            Self::Tanh => "tanh",
            Self::Log => "log",
            Self::Sqrt => "sqrt",
            Self::Reciprocal => "1/x",
        }
    }

    /// Its value, the same on every machine; not a number, or infinite, where it's not defined.
    pub fn value(self, x: f64) -> f64 {
        match self {
            Self::Sigmoid => 1.0 / (1.0 + libm::exp(-x)),
            Self::Exp => libm::exp(x),
            Self::Tanh => libm::tanh(x),
            Self::Log => libm::log(x),
            Self::Sqrt => x.sqrt(),
            Self::Reciprocal => 1.0 / x,
        }
    }

    /// Whether it's defined, with a finite slope, on all of \[lo, hi\].
    pub fn is_defined_on(self, (lo, hi): (f64, f64)) -> bool {
        match self {
            Self::Sigmoid | Self::Exp | Self::Tanh => true,
            Self::Log | Self::Sqrt => lo > 0.0,
            Self::Reciprocal => lo > 0.0 || hi < 0.0,
        }
    }

    /// The largest magnitude of its slope on \[lo, hi\]; infinite where it's not defined on all of it.
    pub fn steepest(self, (lo, hi): (f64, f64)) -> f64 {
        if !self.is_defined_on((lo, hi)) {
            return f64::INFINITY;
        }
        // All of them but e^x are steepest where x is nearest to 0.
        let x = 0f64.clamp(lo, hi);
        match self {
            Self::Sigmoid => {
                let power = libm::exp(-x.abs());
                power / ((1.0 + power) * (1.0 + power))
            }
            Self::Exp => libm::exp(hi),
            Self::Tanh => 1.0 / (libm::cosh(x) * libm::cosh(x)),
            Self::Log => 1.0 / x,
            Self::Sqrt => 0.5 / x.sqrt(),
            Self::Reciprocal => 1.0 / (x * x),
        }
    }

    /// How far either end of an interval may be moved outward before that costs precision or degrees: by little where the
    /// function grows fast, or ceases to be defined.
    pub fn widest(self, (lo, hi): (f64, f64)) -> f64 {
        match self {
            Self::Sigmoid | Self::Tanh => f64::INFINITY,
            Self::Exp => 0.5,
            Self::Log | Self::Sqrt | Self::Reciprocal => lo.abs().min(hi.abs()) / 8.0,
        }
    }
}

impl fmt::Display for SmoothFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Intervals inside the domain, of magnitudes from 10^−6 to 10^6.
    fn intervals(function: SmoothFunction) -> Vec<(f64, f64)> {
        match function {
            SmoothFunction::Exp => vec![(-1e-6, 1e-6), (-30.0, 1.0), (2.0, 9.5)],
            SmoothFunction::Sigmoid | SmoothFunction::Tanh => vec![(-1e-6, 3e-6), (-8.0, 8.0), (-20.0, 3.0)],
            SmoothFunction::Log | SmoothFunction::Sqrt => vec![(1e-6, 2e-5), (0.5, 40.0), (3e5, 1e6)],
            SmoothFunction::Reciprocal => vec![(1e-6, 2e-5), (-40.0, -0.5), (1.0, 1000.0), (3e5, 1e6)],
        }
    }

    #[test]
    fn no_slope_on_an_interval_is_above_the_steepest() {
        for function in SmoothFunction::ALL {
            for (lo, hi) in intervals(function) {
                let steepest = function.steepest((lo, hi));
                let step = (hi - lo) * 1e-6;
                let slope = |at: i32| {
                    let x = lo + (hi - lo - step) * f64::from(at) / 1000.0;
                    (function.value(x + step) - function.value(x)).abs() / step
                };
                let largest = (0..=1000).map(slope).fold(0.0, f64::max);
                assert!(largest <= steepest * 1.001, "{function} on [{lo}, {hi}]");
                assert!(steepest <= 1.02 * largest, "{function} on [{lo}, {hi}]: {steepest} for {largest}");
            }
        }
    }

    #[test]
    fn outside_of_its_domain_no_slope_is_finite() {
        for (function, lo, hi) in [
            (SmoothFunction::Log, 0.0, 2.0),
            (SmoothFunction::Sqrt, -0.5, 1.5),
            (SmoothFunction::Reciprocal, -0.75, 1.25),
            (SmoothFunction::Reciprocal, 0.0, 2.0),
        ] {
            assert!(!function.is_defined_on((lo, hi)));
            assert_eq!(function.steepest((lo, hi)), f64::INFINITY);
        }
    }
}
