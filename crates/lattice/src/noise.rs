//! Bounds on noise polynomials in the canonical embedding.
//!
//! The norm of a polynomial is here the largest absolute value that it takes at a primitive 2N-th root of unity.
//! It's at least the largest coefficient, and the norm of a sum or product is at most the sum or product of the
//! norms, also where the operands depend on one another. In CKKS it is, over the scale, the largest error of a
//! slot.

use std::ops::{Add, Mul};

use asanoha_ring::{ERROR_VARIANCE, TERNARY_VARIANCE};
use serde::{Deserialize, Serialize};

use crate::Norm;

/// A bound fails with a probability of at most 2^−128 a polynomial.
pub const FAILURE_BITS: f64 = 128.0;

/// The moments that bounds are kept by: θ stands for the 2θ-th.
const ORDERS: [u32; 7] = [4, 8, 12, 16, 24, 32, 64];

/// The bounds of a polynomial's norm, one by the moment of each order and one by the union of what can fail.
///
/// With m the 2θ-th root of E|v(ζ)|^2θ at the worst root ζ, the bound of order θ is C·m, C^2θ = N·2^128: by Markov's
/// inequality the norm exceeds it with a probability of at most 2^−128. By Minkowski's inequality bounds of sums add up
/// order by order, whatever the summands have to do with one another. Those of products of independent factors are
/// products but for one C ([`NoiseModel::independent_factor`]): high in the order for few factors and low for many, they
/// know that not all factors are largest at one root. Every bound of an order is good; the least is the norm's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoiseBounds([Norm; ORDERS.len() + 1]);

impl NoiseBounds {
    /// The norm: the least of the bounds.
    pub fn norm(&self) -> Norm {
        self.0.into_iter().min().expect("there are orders")
    }

    /// The norm in double precision.
    pub fn to_f64(&self) -> f64 {
        self.norm().to_f64()
    }
}

impl Add for NoiseBounds {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }
}

/// A product with what has a norm, whatever the two have to do with one another.
impl Mul<Norm> for NoiseBounds {
    type Output = Self;

    fn mul(self, norm: Norm) -> Self {
        Self(self.0.map(|bound| bound * norm))
    }
}

impl Mul<f64> for NoiseBounds {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        self * Norm::from(factor)
    }
}

/// How a polynomial with independent coefficients is bounded at one order.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Order {
    /// The moment m of a complex Gaussian of variance 1, θ!^(1/2θ); or a bound D on all roots' values.
    moment: f64,
    /// The same for a factor that is drawn before: 1 in the literature, which has variances only.
    inner: f64,
    /// C.
    closing: f64,
}

/// Norm bounds of what the lattice operations add, for one ring degree, in units of the noise factor f (t in BGV, 1
/// elsewhere).
///
/// A polynomial with independent coefficients of variance V takes at a root of unity a value that is close to a
/// complex Gaussian of variance N·V, so that its norm exceeds D·√(N·V) with probability N·exp(−D²). Secrets are bounded
/// for certain ([`crate::SecretKey::generate`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseModel {
    ring_degree: f64,
    /// |s|² at a root.
    secret_square: f64,
    orders: [Order; ORDERS.len() + 1],
}

/// What no secret exceeds: |s|² ≤ (2N/3)·(ln N + 4) at every root of unity. Of all ternary polynomials it holds for
/// 1 − exp(−4)/2 or 99 of 100, so that drawing anew where it doesn't costs no security to speak of: 0.02 bits.
pub(crate) fn secret_square(ring_degree: usize) -> f64 {
    let ring_degree = ring_degree as f64;
    TERNARY_VARIANCE * ring_degree * (ring_degree.ln() + 4.0)
}

impl NoiseModel {
    /// For polynomials of `ring_degree` coefficients, with bounds that fail with a probability of at most 2^−128.
    pub fn new(ring_degree: usize) -> Self {
        let secret_square = secret_square(ring_degree);
        let ring_degree = ring_degree as f64;
        // One more, for the two ends of a coefficient.
        let log_failures = (FAILURE_BITS + 1.0 + ring_degree.log2()) * std::f64::consts::LN_2;
        let of = |theta: u32| {
            let log_factorial: f64 = (1..=theta).map(|k| f64::from(k).ln()).sum();
            let root = |log: f64| (log / (2.0 * f64::from(theta))).exp();
            let moment = root(log_factorial);
            Order { moment, inner: moment, closing: root(log_failures) }
        };
        let deviations = log_failures.sqrt();
        let union = Order { moment: deviations, inner: deviations, closing: 1.0 };
        let orders = std::array::from_fn(|i| ORDERS.get(i).map_or(union, |&theta| of(theta)));
        Self { ring_degree, secret_square, orders }
    }

    /// The bounds of the literature, of D standard deviations at every root, products counted as Gaussians too. For
    /// comparison only: at the usual D = 6 a polynomial exceeds its bound with probability N·exp(−36), 2^−38 at N = 2^14,
    /// and a product, whose tails are heavier, more often.
    /// Source: Costache, Smart 2016.
    pub fn of_deviations(ring_degree: usize, deviations: f64) -> Self {
        let ring_degree = ring_degree as f64;
        let order = Order { moment: deviations, inner: 1.0, closing: 1.0 };
        let secret_square = TERNARY_VARIANCE * ring_degree;
        Self { ring_degree, secret_square, orders: [order; ORDERS.len() + 1] }
    }

    /// What the square root of a variance, given what was drawn before at each order, is bounded by at a root.
    fn gaussian(&self, variance: impl Fn(&Order) -> f64) -> NoiseBounds {
        let bound =
            |order: Order| order.closing * order.moment * (self.ring_degree * variance(&order)).sqrt();
        NoiseBounds(self.orders.map(|order| bound(order).into()))
    }

    /// A polynomial of the given norm, for certain.
    pub fn certain(&self, norm: Norm) -> NoiseBounds {
        NoiseBounds(self.orders.map(|order| norm * order.closing))
    }

    /// The product with an independent factor.
    pub fn independent_factor(&self, bounds: NoiseBounds, factor: NoiseBounds) -> NoiseBounds {
        let product = |i: usize| bounds.0[i] * factor.0[i] * (1.0 / self.orders[i].closing);
        NoiseBounds(std::array::from_fn(product))
    }

    /// Norm of a polynomial with independent coefficients of the given variance.
    pub fn independent(&self, variance: f64) -> NoiseBounds {
        self.gaussian(|_| variance)
    }

    /// Noise of a fresh public-key encryption: e·u + e₀ + e₁·s.
    pub fn fresh_public(&self) -> NoiseBounds {
        let mask = self.ring_degree * TERNARY_VARIANCE;
        self.gaussian(|order| ERROR_VARIANCE * (order.inner.powi(2) * mask + 1.0 + self.secret_square))
    }

    /// Noise of a fresh secret-key encryption: e.
    pub fn fresh_secret(&self) -> NoiseBounds {
        self.independent(ERROR_VARIANCE)
    }

    /// What rounding the parts of a ciphertext adds: r₀ + r₁·s + …, the rᵢ uniform in [−½, ½].
    pub fn rounding(&self, parts: usize) -> NoiseBounds {
        let powers: f64 = (0..parts as i32).map(|i| self.secret_square.powi(i)).sum();
        self.independent(powers / 12.0)
    }

    /// What one key switch adds before the mod-down rounds: Σ dⱼ·eⱼ/P with dⱼ uniform in ±Dⱼ/2. Digits and P are
    /// given as log2.
    pub fn key_switch(&self, log2_digits: &[f64], log2_special: f64) -> NoiseBounds {
        let digits: f64 =
            log2_digits.iter().map(|log2_digit| (2.0 * (log2_digit - log2_special)).exp2() / 12.0).sum();
        self.gaussian(|order| ERROR_VARIANCE * order.inner.powi(2) * self.ring_degree * digits)
    }

    /// What the largest coefficient of noise is of its norm: √(2/N).
    ///
    /// Every term of the noise is the product w·r of a polynomial r of independent coefficients of variance V, where it
    /// came from (an encryption, a key switch, a rounding), and a w. A coefficient Σ rᵢ·wⱼ₋ᵢ then is a real Gaussian of
    /// variance V·‖w‖², ‖w‖² ≤ |w|²: at each order, √(2/N) of the bound on |w·r|, and so are sums. Where r is no noise but
    /// known to be small, ‖r‖ ≤ |r|/√N, the coefficient is at most ‖r‖·‖w‖.
    pub fn coefficient(&self) -> f64 {
        (2.0 / self.ring_degree).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 1 << 14;

    /// D² of the union bound.
    fn log_failures() -> f64 {
        (FAILURE_BITS + 1.0 + (N as f64).log2()) * std::f64::consts::LN_2
    }

    /// The bound on the product of so many independent polynomials of norm 1 on average.
    fn product(factors: usize) -> f64 {
        let model = NoiseModel::new(N);
        let one = model.independent(1.0 / N as f64);
        (1..factors).fold(one, |product, _| model.independent_factor(product, one)).to_f64()
    }

    #[test]
    fn bounds_of_one_factor_and_two_are_those_of_the_exact_tails() {
        let square = log_failures();
        assert!((product(1) / square.sqrt() - 1.0).abs() < 1e-9);
        // Above x with probability 2x·K₁(2x), about √(πx)·exp(−2x).
        let exact = square / 2.0 + (std::f64::consts::PI * square).ln() / 4.0;
        assert!((1.0..1.06).contains(&(product(2) / exact)), "{}", product(2) / exact);
    }

    /// The moments of any real order, by Stirling's series.
    #[test]
    fn few_orders_lose_a_fifth_of_a_bit_on_all_of_them() {
        let log_gamma =
            |x: f64| (x + 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + 1.0 / (12.0 * x);
        for factors in 2..=16 {
            let at = |theta: f64| (factors as f64 * log_gamma(theta) + log_failures()) / (2.0 * theta);
            let best = (20..2000).map(|i| at(f64::from(i) / 10.0)).fold(f64::INFINITY, f64::min);
            let lost = product(factors).log2() - best / std::f64::consts::LN_2;
            assert!((-1e-3..0.2).contains(&lost), "{factors}: {lost}");
        }
    }

    #[test]
    fn factors_that_depend_on_one_another_have_the_product_of_their_norms() {
        let model = NoiseModel::new(N);
        let one = model.independent(1.0 / N as f64);
        let dependent = one * one.norm();
        assert!((dependent.to_f64() / log_failures() - 1.0).abs() < 1e-9);
        assert!(model.independent_factor(one, one).norm() < dependent.norm());
        assert_eq!(model.certain(Norm::from(3.0)).norm(), Norm::from(3.0));
        assert_eq!((one + one).norm(), (one * 2.0).norm());
    }

    #[test]
    fn deviations_are_the_same_at_every_order() {
        let model = NoiseModel::of_deviations(N, 6.0);
        let n = N as f64;
        let rounding = 6.0 * (n * (1.0 + 2.0 * n / 3.0) / 12.0).sqrt();
        assert!((model.rounding(2).to_f64() / rounding - 1.0).abs() < 1e-12);
        let twice = model.independent_factor(model.rounding(2), model.rounding(2));
        assert_eq!(twice.norm(), model.rounding(2).norm() * model.rounding(2).norm());
    }
}
