//! Chebyshev approximation of functions on an interval.

use std::f64::consts::PI;

use thiserror::Error;

/// The largest degree that is tried.
const MAX_DEGREE: usize = 1023;
/// How many points between the nodes measure the error.
const CHECKS_PER_NODE: usize = 8;
/// The error between two such points may be larger than at both: by no more than this where it's a polynomial of twice
/// the degree (Ehlich, Zeller 1964: 1/cos(π/8)), with some room for what the evaluation itself loses.
const BETWEEN_POINTS: f64 = 1.1;

/// Why a function can't be approximated.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ApproximationError {
    /// No degree in reach has the asked error.
    #[error(
        "no polynomial of degree {MAX_DEGREE} or less approximates {function} on [{lo}, {hi}] to within {wanted:.3e}; the best has {reached:.3e}"
    )]
    OutOfReach {
        /// The function's name.
        function: String,
        /// Lower end.
        lo: f64,
        /// Upper end.
        hi: f64,
        /// The error asked for.
        wanted: f64,
        /// The error of the best polynomial.
        reached: f64,
    },
    /// No composition of polynomials in reach tells signs.
    #[error(
        "no polynomials in reach tell the signs of numbers that are {gap:.3e} of their range from 0 to within {error:.3e}"
    )]
    NoSign {
        /// How near to 0 numbers may be, relative to the largest.
        gap: f64,
        /// The error asked for.
        error: f64,
    },
}

/// A polynomial Σ cₖ·Tₖ(y) with y = (x − middle)/half on the interval \[middle − half, middle + half\].
#[derive(Clone, Debug, PartialEq)]
pub struct Chebyshev {
    /// c₀, c₁, …
    pub coefficients: Vec<f64>,
    /// The middle of the interval.
    pub middle: f64,
    /// Half its length.
    pub half: f64,
    /// A bound on the error.
    pub error: f64,
}

impl Chebyshev {
    /// The polynomial of the lowest degree of the form 2^k − 1 or 3·2^k − 1 whose error within `half`, which is above 0,
    /// of `middle` is at most
    /// `error`: interpolation at the Chebyshev nodes, measured on a grid eight times as fine, and before it's taken on one as fine
    /// as that of the highest degree, so that no hump of `f` that any degree reaches stands between the points. The same
    /// arguments give the same polynomial on every machine, if `f` does.
    pub fn fit(
        name: &str,
        f: impl Fn(f64) -> f64,
        (middle, half): (f64, f64),
        error: f64,
    ) -> Result<Self, ApproximationError> {
        let mut best = f64::INFINITY;
        for degree in [1, 2, 3, 5, 7, 11, 15, 23, 31, 47, 63, 95, 127, 191, 255, 383, 511, 767, MAX_DEGREE] {
            let mut fitted = Self::interpolate(&f, (middle, half), degree, error);
            if fitted.error <= error {
                fitted.error = fitted.error.max(fitted.farthest(&f, CHECKS_PER_NODE * (MAX_DEGREE + 1)));
                if fitted.error <= error {
                    return Ok(fitted);
                }
            }
            best = best.min(fitted.error);
        }
        let function = name.to_owned();
        let (lo, hi) = (middle - half, middle + half);
        Err(ApproximationError::OutOfReach { function, lo, hi, wanted: error, reached: best })
    }

    /// Interpolates at the degree + 1 Chebyshev nodes. Coefficients that are nothing beside the error wanted, such
    /// as the even ones of an odd function, are left out.
    fn interpolate(f: impl Fn(f64) -> f64, (middle, half): (f64, f64), degree: usize, error: f64) -> Self {
        let count = degree + 1;
        let angle = |node: usize| PI * (node as f64 + 0.5) / count as f64;
        let values: Vec<f64> = (0..count).map(|node| f(middle + half * libm::cos(angle(node)))).collect();
        let coefficients = (0..count)
            .map(|k| {
                let sum: f64 = values
                    .iter()
                    .enumerate()
                    .map(|(node, value)| value * libm::cos(k as f64 * angle(node)))
                    .sum();
                sum * if k == 0 { 1.0 } else { 2.0 } / count as f64
            })
            .map(|c: f64| if c.abs() < error / (64.0 * count as f64) { 0.0 } else { c })
            .collect();
        let mut fitted = Self { coefficients, middle, half, error: 0.0 };
        fitted.error = fitted.farthest(f, CHECKS_PER_NODE * count);
        fitted
    }

    /// How far it is from a function at most, by so many steps.
    fn farthest(&self, f: impl Fn(f64) -> f64, steps: usize) -> f64 {
        let largest = (0..=steps)
            .map(|step| self.middle + self.half * libm::cos(PI * step as f64 / steps as f64))
            .map(|x| (self.value(x) - f(x)).abs())
            // What is no number is nowhere near.
            .fold(0.0, |largest: f64, off| if off.is_nan() { f64::INFINITY } else { largest.max(off) });
        BETWEEN_POINTS * largest
    }

    /// y = (x − middle)/half.
    pub fn to_unit(&self, x: f64) -> f64 {
        (x - self.middle) / self.half
    }

    /// The value at x.
    pub fn value(&self, x: f64) -> f64 {
        sum(&self.coefficients, self.to_unit(x))
    }

    /// A bound on the magnitude of its derivative by y, for y of [−1, 1].
    pub fn steepest(&self) -> f64 {
        // Tₖ' = 2k·(Tₖ₋₁ + Tₖ₋₃ + …), with half of T₀.
        let count = self.coefficients.len();
        let mut derivative = vec![0.0; count + 1];
        for k in (1..count).rev() {
            derivative[k - 1] = derivative[k + 1] + 2.0 * k as f64 * self.coefficients[k];
        }
        derivative[0] /= 2.0;
        let steps = CHECKS_PER_NODE * count;
        let slope = |step: usize| sum(&derivative, libm::cos(PI * step as f64 / steps as f64)).abs();
        BETWEEN_POINTS * (0..=steps).map(slope).fold(0.0, f64::max)
    }
}

/// Σ cₖ·Tₖ(y), by Clenshaw's recurrence.
fn sum(coefficients: &[f64], y: f64) -> f64 {
    let (mut current, mut next) = (0.0, 0.0);
    for &c in coefficients[1..].iter().rev() {
        (current, next) = (2.0 * y * current - next + c, current);
    }
    y * current - next + coefficients[0]
}

/// Quotient and remainder of Σ cₖ·Tₖ by T_order, for an order above half the degree: T_{g+i} = 2·T_g·T_i − T_{g−i}.
pub(crate) fn divided(coefficients: &[f64], order: usize) -> [Vec<f64>; 2] {
    let mut remainder = coefficients[..order].to_vec();
    let mut quotient = vec![coefficients[order]];
    for (i, c) in coefficients[order..].iter().enumerate().skip(1) {
        quotient.push(2.0 * c);
        remainder[order - i] -= c;
    }
    [quotient, remainder]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fitted_polynomials_keep_the_asked_error_everywhere() {
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        for (f, range) in
            [(sigmoid as fn(f64) -> f64, (0.0, 8.0)), (f64::exp, (-0.5, 2.5)), (f64::exp, (1.0, 1e-9))]
        {
            let fitted = Chebyshev::fit("f", f, range, 1e-7).unwrap();
            for step in 0..=1000 {
                let x = range.0 + range.1 * f64::from(step - 500) / 500.0;
                assert!((fitted.value(x) - f(x)).abs() <= 1e-7, "{x}");
            }
        }
    }

    #[test]
    fn no_slope_is_above_the_steepest() {
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        for (f, range) in
            [(sigmoid as fn(f64) -> f64, (0.0, 8.0)), (f64::sin, (0.3, 40.0)), (f64::sqrt, (1.0, 0.999))]
        {
            let fitted = Chebyshev::fit("f", f, range, 1e-6).unwrap();
            let at = |step: i32| fitted.value(range.0 + range.1 * (f64::from(step) / 20_000.0));
            let largest = (-20_000..20_000).map(|k| (at(k + 1) - at(k)).abs() * 20_000.0).fold(0.0, f64::max);
            let steepest = fitted.steepest();
            assert!(largest <= steepest && steepest <= 1.15 * largest, "{largest} {steepest}");
        }
    }

    #[test]
    fn functions_out_of_reach_say_what_was_reached() {
        let error =
            Chebyshev::fit("sigmoid", |x: f64| 1.0 / (1.0 + (-x).exp()), (0.0, 1e6), 1e-6).unwrap_err();
        assert!(error.to_string().contains("sigmoid on [-1000000, 1000000]"), "{error}");
    }
}
