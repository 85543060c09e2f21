//! A number modulo 1, by a polynomial: for x near an integer, x less that integer; or for x near half an integer, whether it's
//! a whole one.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use asanoha_scheme::BootstrapValues;

use crate::polynomial::Chebyshev;

/// What the polynomial is made for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvalModShape {
    /// What x stands for: it's near an integer for numbers, near half an integer for bits.
    pub values: BootstrapValues,
    /// The largest integer that x is near to, beside a half.
    pub largest_integer: u32,
    /// How far x is from these at most: less than ¼.
    pub distance: f64,
    /// How often the angle is doubled, r.
    pub doublings: u32,
    /// The degree of the cosine's polynomial, which is even.
    pub degree: usize,
    /// The deviation of the integers, which are taken as Gaussian: errors count by how often they occur.
    pub deviation: f64,
}

/// The polynomials of x modulo 1: cos(2π(x − ¼)) = sin(2πx), by an even polynomial for cos(2π·w/2^r) in w = x − ¼ and r double
/// angles; then the arcsine, of degree 1 where the sine is taken for its angle.
///
/// Of bits, x = b/2 + I: (1 − cos 2πx)/2 = 1 − cos²(πx) = b, by the same for w = x, of which r − 1 angles are doubled. It's flat
/// there, so that what x is off by enters squared.
///
/// Source: Bae, Cheon, Kim, Stehlé, "Bootstrapping bits with CKKS" (Eurocrypt 2024), for bits; Han, Ki, "Better bootstrapping for
/// approximate homomorphic encryption" (CT-RSA 2020), for the cosine; Lee, Lee, Lee, Kim, No, "High-precision bootstrapping of
/// RNS-CKKS homomorphic encryption using optimal minimax polynomial approximation and inverse sine function" (Eurocrypt 2021),
/// for the arcsine.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalMod {
    /// x less w: ¼, and 0 for bits.
    pub shift: f64,
    /// The cosine's series, on [−half, half] around w = 0. Its odd coefficients are zero.
    pub cosine: Chebyshev,
    /// How often the angle is doubled.
    pub doublings: u32,
    /// The coefficients of s, s³, s⁵, … of arcsin(s)/2π; none for bits.
    pub arcsine: Vec<f64>,
    shape: EvalModShape,
    /// By how much the value changes with x at most, for the same x: 1, nearly. It's 0 for bits, which don't use it.
    largest_slope: f64,
    /// The largest error for x within the shape's distance of any integer, or half of one, that it's made for.
    largest_error: f64,
}

/// Points of each cluster that the polynomial is fitted at.
const POINTS: usize = 12;
/// Rounds of the fit: each weighs points by the error that the last left there.
const ROUNDS: usize = 60;
/// What a slope between two places may be above that of the line through them.
const SLOPE_SLACK: f64 = 1.01;
/// The least weight, so that integers that hardly occur still have a bounded error.
const LEAST_WEIGHT: f64 = 1.0 / 1024.0;

impl EvalMod {
    /// Fits the polynomials.
    ///
    /// # Panics
    /// Unless the degrees are even and odd, the distance is above 0 and below ¼, and for bits an angle is doubled.
    pub fn fit(shape: EvalModShape) -> Self {
        assert!(shape.degree.is_multiple_of(2) && shape.distance > 0.0 && shape.distance < 0.25);
        let (shift, last, arcsine) = match shape.values {
            BootstrapValues::Numbers { arcsine_degree } => {
                assert!(!arcsine_degree.is_multiple_of(2));
                (0.25, 2 * shape.largest_integer, arcsine(arcsine_degree, (TAU * shape.distance).sin()))
            }
            BootstrapValues::Bits => {
                assert!(shape.doublings > 0);
                (0.0, 2 * shape.largest_integer + 1, Vec::new())
            }
        };
        let half = f64::from(last) / 2.0 + shift + shape.distance;
        let angle = |w: f64| (TAU * w / f64::from(1u32 << shape.doublings)).cos();
        // The polynomial is even: w = I − ¼ + t stands for −w too, and so does w = I/2 + t.
        let clusters = (0..=last).map(|k| (f64::from(k) / 2.0 + shift, k.div_ceil(2)));
        let (mut points, mut weights) = (Vec::new(), Vec::new());
        for (centre, integer) in clusters {
            let weight = (-0.25 * (f64::from(integer) / shape.deviation).powi(2)).exp().max(LEAST_WEIGHT);
            for i in 0..POINTS {
                let t = (PI * (i as f64 + 0.5) / POINTS as f64).cos();
                points.push(centre + shape.distance * t);
                weights.push(weight);
            }
        }
        let count = shape.degree / 2 + 1;
        let values: Vec<f64> = points.iter().map(|&w| angle(w)).collect();
        let rows: Vec<Vec<f64>> = points.iter().map(|&w| even_chebyshev(w / half, count)).collect();
        let even = minimax(&rows, &values, &weights);
        let mut coefficients = vec![0.0; shape.degree + 1];
        even.into_iter().enumerate().for_each(|(k, c)| coefficients[2 * k] = c);
        let mut cosine = Chebyshev { coefficients, middle: 0.0, half, error: 0.0 };
        cosine.error =
            points.iter().zip(&values).map(|(&w, f)| (cosine.value(w) - f).abs()).fold(0.0, f64::max);
        let doublings = shape.doublings;
        let fitted =
            Self { shift, cosine, doublings, arcsine, shape, largest_slope: 0.0, largest_error: 0.0 };
        let largest_slope = match shape.values {
            BootstrapValues::Numbers { .. } => fitted.measured_slope(),
            BootstrapValues::Bits => 0.0,
        };
        Self { largest_slope, largest_error: fitted.measured_error(), ..fitted }
    }

    /// x modulo 1, or the bit, computed as the circuit does.
    pub fn value(&self, x: f64) -> f64 {
        match self.shape.values {
            BootstrapValues::Numbers { .. } => {
                let sine = self.doubled(x, self.doublings);
                let square = sine * sine;
                sine * self.arcsine.iter().rev().fold(0.0, |sum, c| sum * square + c)
            }
            BootstrapValues::Bits => 1.0 - self.doubled(x, self.doublings - 1).powi(2),
        }
    }

    /// cos(2π(x − shift)/2^(r − doublings)), computed as the circuit does: sin(2πx) nearly, or cos(πx).
    fn doubled(&self, x: f64, doublings: u32) -> f64 {
        (0..doublings).fold(self.cosine.value(x - self.shift), |cosine, _| 2.0 * cosine * cosine - 1.0)
    }

    /// How far x may be from an integer; of bits, from half of one.
    pub fn distance(&self) -> f64 {
        self.shape.distance
    }

    /// What the value is off by at most, where x is off by so much: for numbers with the slope, which is nearly 1, and for bits the
    /// square of a sine.
    pub fn error_from(&self, off: f64) -> f64 {
        let grown = match self.shape.values {
            BootstrapValues::Numbers { .. } => self.largest_slope * off,
            BootstrapValues::Bits => (PI * off).sin().powi(2),
        };
        grown + self.largest_error
    }

    fn measured_slope(&self) -> f64 {
        let (largest, steps) = (self.shape.largest_integer as i32, 100);
        let width = self.shape.distance / f64::from(steps);
        let places =
            (-largest..=largest).flat_map(|i| (-steps..steps).map(move |k| (f64::from(i), f64::from(k))));
        let slope = |(i, k): (f64, f64)| {
            (self.value(i + (k + 1.0) * width) - self.value(i + k * width)).abs() / width
        };
        // Between the places it's hardly larger: the polynomial is nearly straight there.
        SLOPE_SLACK * places.map(slope).fold(0.0, f64::max)
    }

    /// The largest error for x within the shape's distance of any integer, or half of one, that it's made for.
    pub fn largest_error(&self) -> f64 {
        self.largest_error
    }

    fn measured_error(&self) -> f64 {
        let largest = self.shape.largest_integer as i32;
        let centres: Vec<f64> = match self.shape.values {
            BootstrapValues::Numbers { .. } => (-largest..=largest).map(f64::from).collect(),
            BootstrapValues::Bits => {
                (-2 * largest - 1..=2 * largest + 1).map(|k| f64::from(k) / 2.0).collect()
            }
        };
        centres.into_iter().map(|centre| self.error(centre)).fold(0.0, f64::max)
    }

    /// The largest error for x within the shape's distance of an integer or half of one: from x modulo 1, or from the square of
    /// the sine of πx.
    pub fn error(&self, centre: f64) -> f64 {
        let steps = 200;
        let wanted = |t: f64| match self.shape.values {
            BootstrapValues::Numbers { .. } => t,
            BootstrapValues::Bits => (PI * (centre + t)).sin().powi(2),
        };
        (-steps..=steps)
            .map(|step| self.shape.distance * f64::from(step) / f64::from(steps))
            .map(|t| (self.value(centre + t) - wanted(t)).abs())
            .fold(0.0, f64::max)
    }
}

/// T₀(y), T₂(y), T₄(y), …: T₂ₖ(y) = Tₖ(2y² − 1).
fn even_chebyshev(y: f64, count: usize) -> Vec<f64> {
    let u = 2.0 * y * y - 1.0;
    let mut out = vec![1.0, u];
    while out.len() < count {
        let k = out.len();
        out.push(2.0 * u * out[k - 1] - out[k - 2]);
    }
    out.truncate(count);
    out
}

/// The coefficients of s, s³, … of an odd polynomial for arcsin(s)/2π, |s| ≤ `largest`.
fn arcsine(degree: usize, largest: f64) -> Vec<f64> {
    let count = degree / 2 + 1;
    let points: Vec<f64> =
        (0..8 * count).map(|i| largest * (FRAC_PI_2 * (i as f64 + 0.5) / (8 * count) as f64).cos()).collect();
    // In parts of the largest, so that all columns have the same size.
    let rows: Vec<Vec<f64>> =
        points.iter().map(|s| (0..count).map(|k| (s / largest).powi(2 * k as i32 + 1)).collect()).collect();
    let values: Vec<f64> = points.iter().map(|s| s.asin() / TAU).collect();
    let scaled = minimax(&rows, &values, &vec![1.0; points.len()]);
    scaled.iter().enumerate().map(|(k, c)| c / largest.powi(2 * k as i32 + 1)).collect()
}

/// The coefficients c for which the largest weighted |Σ rowₖ·cₖ − value| is nearly least: Lawson's iteration, whose weights
/// are those of least squares.
fn minimax(rows: &[Vec<f64>], values: &[f64], weights: &[f64]) -> Vec<f64> {
    let mut lawson = vec![1.0; rows.len()];
    let (mut best, mut least) = (Vec::new(), f64::INFINITY);
    for _ in 0..ROUNDS {
        let total: Vec<f64> = lawson.iter().zip(weights).map(|(l, w)| f64::sqrt(*l) * w).collect();
        let fitted = least_squares(rows, values, &total);
        let errors: Vec<f64> = rows
            .iter()
            .zip(values)
            .zip(weights)
            .map(|((row, value), weight)| {
                weight * (row.iter().zip(&fitted).map(|(a, c)| a * c).sum::<f64>() - value).abs()
            })
            .collect();
        let largest = errors.iter().copied().fold(0.0, f64::max);
        if largest < least {
            (best, least) = (fitted, largest);
        }
        lawson.iter_mut().zip(&errors).for_each(|(l, error)| *l *= error);
        let sum: f64 = lawson.iter().sum();
        if sum.is_nan() || sum <= 0.0 {
            break;
        }
        lawson.iter_mut().for_each(|l| *l /= sum);
    }
    best
}

/// Least squares of weighted rows, by Householder reflections.
fn least_squares(rows: &[Vec<f64>], values: &[f64], weights: &[f64]) -> Vec<f64> {
    let count = rows[0].len();
    let mut a: Vec<Vec<f64>> = rows
        .iter()
        .zip(values)
        .zip(weights)
        .map(|((row, value), weight)| row.iter().chain([value]).map(|entry| entry * weight).collect())
        .collect();
    for k in 0..count {
        let norm = a[k..].iter().map(|row| row[k] * row[k]).sum::<f64>().sqrt();
        let pivot = if a[k][k] > 0.0 { -norm } else { norm };
        let mut v: Vec<f64> = a[k..].iter().map(|row| row[k]).collect();
        v[0] -= pivot;
        let square: f64 = v.iter().map(|x| x * x).sum();
        if square > 0.0 {
            for column in k..=count {
                let dot: f64 = v.iter().zip(&a[k..]).map(|(v, row)| v * row[column]).sum();
                let factor = 2.0 * dot / square;
                v.iter().zip(&mut a[k..]).for_each(|(v, row)| row[column] -= factor * v);
            }
        }
    }
    let mut solution = vec![0.0; count];
    for k in (0..count).rev() {
        let known: f64 = (k + 1..count).map(|j| a[k][j] * solution[j]).sum();
        solution[k] = (a[k][count] - known) / a[k][k];
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;

    /// N = 2^16 with a secret of weight 32 in the raise: |I| ≤ 16, sums of deviation 1.65, messages of 1/32 of the modulus.
    const RAISED: EvalModShape = EvalModShape {
        values: BootstrapValues::Numbers { arcsine_degree: 7 },
        largest_integer: 16,
        distance: 1.0 / 32.0,
        doublings: 3,
        degree: 30,
        deviation: 1.65,
    };

    #[test]
    fn numbers_near_integers_lose_them() {
        let eval_mod = EvalMod::fit(RAISED);
        // The sine is nearer where integers occur often.
        for integer in -16..=16i32 {
            let sine = (-100..=100)
                .map(|step| f64::from(integer) + f64::from(step) / 3200.0)
                .map(|x| (eval_mod.doubled(x, 3) - (TAU * x).sin()).abs())
                .fold(0.0, f64::max);
            let often = if integer.abs() <= 4 { -32.0 } else { -24.0 };
            assert!(sine.log2() < often, "{integer}: {}", sine.log2());
            assert!(eval_mod.error(integer.into()).log2() < often, "{integer}");
        }
        assert!(eval_mod.cosine.coefficients.iter().skip(1).step_by(2).all(|&c| c == 0.0));
    }

    #[test]
    fn without_an_arcsine_the_sine_is_taken_for_its_angle() {
        let values = BootstrapValues::Numbers { arcsine_degree: 1 };
        let shape = EvalModShape { values, distance: 2f64.powi(-10), ..RAISED };
        let eval_mod = EvalMod::fit(shape);
        // sin(2πt)/2π is t − (2π)²·t³/6.
        assert!(eval_mod.error(0.0) < TAU * TAU / 6.0 * 2f64.powi(-30));
        assert!((eval_mod.arcsine[0] * TAU - 1.0).abs() < 1e-4 && eval_mod.arcsine.len() == 1);
    }

    #[test]
    fn bits_are_what_an_integer_and_a_half_has_beside_the_integer_and_errors_enter_squared() {
        for (distance, error) in [(1.0 / 64.0, -22.0), (1.0 / 16.0, -22.0)] {
            let eval_mod = EvalMod::fit(EvalModShape { values: BootstrapValues::Bits, distance, ..RAISED });
            assert!(eval_mod.largest_error().log2() < error, "{}", eval_mod.largest_error().log2());
            for k in -33..=33i32 {
                let bit = f64::from(k.rem_euclid(2));
                for step in -10..=10 {
                    let off = distance * f64::from(step) / 10.0;
                    let found = (eval_mod.value(f64::from(k) / 2.0 + off) - bit).abs();
                    assert!(found <= eval_mod.error_from(off), "{k} {off}");
                    assert!(found < 9.9 * off * off + error.exp2(), "{k} {off}");
                }
            }
        }
    }

    #[test]
    fn arcsines_are_odd_polynomials_of_their_degree() {
        for (degree, error) in [(3, 2e-6), (5, 2e-8), (7, 3e-10)] {
            let coefficients = arcsine(degree, 0.25);
            assert_eq!(coefficients.len(), degree / 2 + 1);
            for step in 1..=100 {
                let s = 0.25 * f64::from(step) / 100.0;
                let value = coefficients.iter().rev().fold(0.0, |sum, c| sum * s * s + c) * s;
                assert!((value - s.asin() / TAU).abs() < error, "{degree} {s}");
            }
        }
    }
}
