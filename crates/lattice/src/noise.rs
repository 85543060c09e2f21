//! Bounds on noise polynomials in the canonical embedding.
//!
//! The norm of a polynomial is here the largest absolute value that it takes at a primitive 2N-th root of unity.
//! It's at least the largest coefficient, and the norm of a sum or product is at most the sum or product of the
//! norms, also where the operands depend on one another. In CKKS it is, over the scale, the largest error of a
//! slot.

use asanoha_ring::{ERROR_VARIANCE, TERNARY_VARIANCE};

/// A bound fails with a probability of at most 2^−128 a polynomial.
pub const FAILURE_BITS: f64 = 128.0;

/// Norm bounds of what the lattice operations add, for one ring degree, in units of the noise factor f (t in BGV, 1
/// elsewhere).
///
/// A polynomial with independent coefficients of variance V takes at a root of unity a value that is close to a
/// complex Gaussian of variance N·V, so that its norm exceeds D·√(N·V) with probability N·exp(−D²). The product
/// of two such exceeds x·√(N·V₁)·√(N·V₂) with probability 2x·K₁(2x) at each root, about √(πx)·exp(−2x): no more often
/// at x = D²/2 + ln(π·D²)/4.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseModel {
    ring_degree: f64,
    /// D.
    tail: f64,
    /// What the products of deviations are multiplied by.
    product_tail: f64,
}

impl NoiseModel {
    /// For polynomials of `ring_degree` coefficients, with bounds that fail with a probability of at most 2^−128.
    pub fn new(ring_degree: usize) -> Self {
        let ring_degree = ring_degree as f64;
        let tail = ((FAILURE_BITS + ring_degree.log2()) * std::f64::consts::LN_2).sqrt();
        let square = tail * tail;
        let product_tail = square / 2.0 + (std::f64::consts::PI * square).ln() / 4.0;
        Self { ring_degree, tail, product_tail }
    }

    /// The bounds of the literature, of D standard deviations at every root, products counted as Gaussians too. For
    /// comparison only: at the usual D = 6 a polynomial exceeds its bound with probability N·exp(−36), 2^−38 at N = 2^14,
    /// and a product, whose tails are heavier, more often.
    /// Source: Costache, Smart 2016.
    pub fn of_deviations(ring_degree: usize, deviations: f64) -> Self {
        Self { ring_degree: ring_degree as f64, tail: deviations, product_tail: deviations }
    }

    /// Norm of a polynomial with independent coefficients of the given variance.
    pub fn independent(&self, variance: f64) -> f64 {
        self.tail * (self.ring_degree * variance).sqrt()
    }

    /// Norm of the product of two polynomials with independent coefficients of the given variances.
    pub fn independent_product(&self, first: f64, second: f64) -> f64 {
        self.product_tail * self.ring_degree * (first * second).sqrt()
    }

    /// The secret's norm.
    pub fn secret(&self) -> f64 {
        self.independent(TERNARY_VARIANCE)
    }

    /// Noise of a fresh public-key encryption: e·u + e₀ + e₁·s.
    pub fn fresh_public(&self) -> f64 {
        let products = 2f64.sqrt() * self.independent_product(ERROR_VARIANCE, TERNARY_VARIANCE);
        products + self.independent(ERROR_VARIANCE)
    }

    /// Noise of a fresh secret-key encryption: e.
    pub fn fresh_secret(&self) -> f64 {
        self.independent(ERROR_VARIANCE)
    }

    /// What rounding both parts of a ciphertext adds: r₀ + r₁·s, the rᵢ uniform in [−½, ½].
    pub fn rounding(&self) -> f64 {
        let uniform = 1.0 / 12.0;
        self.independent(uniform) + self.independent_product(uniform, TERNARY_VARIANCE)
    }

    /// What one key switch adds before the mod-down rounds: Σ dⱼ·eⱼ/P with dⱼ uniform in ±Dⱼ/2. Digits and P are
    /// given as log2.
    pub fn key_switch(&self, log2_digits: &[f64], log2_special: f64) -> f64 {
        let digits: f64 =
            log2_digits.iter().map(|log2_digit| (2.0 * (log2_digit - log2_special)).exp2() / 12.0).sum();
        self.independent_product(digits, ERROR_VARIANCE)
    }
}
