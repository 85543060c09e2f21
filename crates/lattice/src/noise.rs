//! Bounds on noise polynomials in the canonical embedding.
//!
//! The norm of a polynomial is here the largest absolute value that it takes at a primitive 2N-th root of unity.
//! It's at least the largest coefficient, and the norm of a sum or product is at most the sum or product of the
//! norms, also where the operands depend on one another. In CKKS it is, over the scale, the largest error of a
//! slot.
//!
//! Only what one operation draws is taken for independent here: an encryption's mask and errors, a key switch's digits
//! and its keys' errors, a rounding's remainders. Whatever comes together later, noises and ciphertexts alike, may depend
//! on one another, and is bounded by the norms.

use asanoha_ring::{ERROR_VARIANCE, TERNARY_VARIANCE};

/// A bound fails with a probability of at most 2^−160 a polynomial: of 2^32 polynomials together with one of at most
/// 2^−128.
pub const FAILURE_BITS: f64 = 160.0;

/// The order of the moments that products of two factors are bounded by: θ stands for the 2θ-th. Best is half of D².
const ORDER: u32 = 64;

/// A way to bound a polynomial v = w·r at all roots, with r a Gaussian and w a factor drawn before it.
///
/// With m the 2θ-th root of E|v(ζ)|^2θ at the worst root ζ, C·m is a bound, C^2θ = 2N·2^160: by Markov's inequality the
/// norm exceeds it with a probability of at most 2^−160. For products of two Gaussians that's half of what the product of
/// two norms is, for it knows that not both are largest at one root.
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
    /// By the norms of both factors, and by moments; the lesser bound counts.
    orders: [Order; 2],
}

/// What no secret exceeds: |s|² ≤ (2N/3)·(ln N + 4) at every root of unity. Of all ternary polynomials it holds for
/// 1 − exp(−4)/2 or 99 of 100, so that drawing anew where it doesn't costs no security to speak of: 0.02 bits.
pub(crate) fn secret_square(ring_degree: usize) -> f64 {
    let ring_degree = ring_degree as f64;
    TERNARY_VARIANCE * ring_degree * (ring_degree.ln() + 4.0)
}

impl NoiseModel {
    /// For polynomials of `ring_degree` coefficients, with bounds that fail with a probability of at most 2^−160.
    pub fn new(ring_degree: usize) -> Self {
        let secret_square = secret_square(ring_degree);
        let ring_degree = ring_degree as f64;
        // One more, for the two ends of a coefficient.
        let log_failures = (FAILURE_BITS + 1.0 + ring_degree.log2()) * std::f64::consts::LN_2;
        let deviations = log_failures.sqrt();
        let norms = Order { moment: deviations, inner: deviations, closing: 1.0 };
        let log_factorial: f64 = (1..=ORDER).map(|k| f64::from(k).ln()).sum();
        let root = |log: f64| (log / (2.0 * f64::from(ORDER))).exp();
        let moment = root(log_factorial);
        let moments = Order { moment, inner: moment, closing: root(log_failures) };
        Self { ring_degree, secret_square, orders: [norms, moments] }
    }

    /// The bounds of the literature, of D standard deviations at every root, products counted as Gaussians too. For
    /// comparison only: at the usual D = 6 a polynomial exceeds its bound with probability N·exp(−36), 2^−38 at N = 2^14,
    /// and a product, whose tails are heavier, more often.
    /// Source: Costache, Smart 2016.
    pub fn of_deviations(ring_degree: usize, deviations: f64) -> Self {
        let ring_degree = ring_degree as f64;
        let order = Order { moment: deviations, inner: 1.0, closing: 1.0 };
        let secret_square = TERNARY_VARIANCE * ring_degree;
        Self { ring_degree, secret_square, orders: [order; 2] }
    }

    /// What the square root of a variance, given what was drawn before at each order, is bounded by at a root.
    fn gaussian(&self, variance: impl Fn(&Order) -> f64) -> f64 {
        let bound =
            |order: &Order| order.closing * order.moment * (self.ring_degree * variance(order)).sqrt();
        self.orders.iter().map(bound).fold(f64::INFINITY, f64::min)
    }

    /// Norm of a polynomial with independent coefficients of the given variance.
    pub fn independent(&self, variance: f64) -> f64 {
        self.gaussian(|_| variance)
    }

    /// Noise of a fresh public-key encryption: e·u + e₀ + e₁·s.
    pub fn fresh_public(&self) -> f64 {
        let mask = self.ring_degree * TERNARY_VARIANCE;
        self.gaussian(|order| ERROR_VARIANCE * (order.inner.powi(2) * mask + 1.0 + self.secret_square))
    }

    /// Noise of a fresh secret-key encryption: e.
    pub fn fresh_secret(&self) -> f64 {
        self.independent(ERROR_VARIANCE)
    }

    /// What rounding the parts of a ciphertext adds: r₀ + r₁·s + …, the rᵢ uniform in [−½, ½].
    pub fn rounding(&self, parts: usize) -> f64 {
        let powers: f64 = (0..parts as i32).map(|i| self.secret_square.powi(i)).sum();
        self.independent(powers / 12.0)
    }

    /// What so many key switches, each with a key of its own, add before one mod-down rounds: Σ dⱼ·eⱼ/P with dⱼ uniform in
    /// ±Dⱼ/2. Digits and P are given as log2.
    ///
    /// Given the digits, whatever these have to do with one another, the sum is a Gaussian of the independent errors eⱼ,
    /// and its variance is the sum of what each key switch's is at most.
    pub fn key_switches(&self, switches: usize, log2_digits: &[f64], log2_special: f64) -> f64 {
        let digits: f64 =
            log2_digits.iter().map(|log2_digit| (2.0 * (log2_digit - log2_special)).exp2() / 12.0).sum();
        let digits = switches as f64 * digits;
        self.gaussian(|order| ERROR_VARIANCE * order.inner.powi(2) * self.ring_degree * digits)
    }

    /// What the largest coefficient of noise is of its norm: √(2/N).
    ///
    /// Noise is a sum of terms w·r, with r a polynomial of independent coefficients of variance V, where the noise came
    /// from (an encryption, a key switch, a rounding), and w all that r was multiplied by.
    /// * If w doesn't depend on r, a coefficient Σ rᵢ·wⱼ₋ᵢ is a real Gaussian of variance V·‖w‖², ‖w‖² ≤ |w|²: at each
    ///   order √(2/N) of the bound on |w·r|. Where r is no noise but known to be small, ‖r‖ ≤ |r|/√N, the coefficient is
    ///   at most ‖r‖·‖w‖.
    /// * If it does, there are two factors p and p', as in the product of a noise with its own image under X → X⁻¹, whose
    ///   values are all positive, and a coefficient is at most ‖p‖·‖p'‖ times the norm of the rest. ‖p‖² is the mean of the
    ///   squares of p's values, of which the bound takes the largest. What is rounded is multiplied by s, |s|² being ln N +
    ///   4 times its mean; with the rounding's own D² that's more than √(N/2) up to N = 2^18. Encryptions have more than
    ///   one factor too, and those under the secret key the encoding's rounding beside them.
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

    #[test]
    fn bounds_of_one_factor_and_two_are_those_of_the_exact_tails() {
        let model = NoiseModel::new(N);
        let square = log_failures();
        assert!((model.independent(1.0 / N as f64) / square.sqrt() - 1.0).abs() < 1e-9);
        // Of two Gaussians above x with probability 2x·K₁(2x), about √(πx)·exp(−2x).
        let exact = square / 2.0 + (std::f64::consts::PI * square).ln() / 4.0;
        let two = model.gaussian(|order| order.inner.powi(2) / N as f64);
        assert!((1.0..1.06).contains(&(two / exact)), "{}", two / exact);
        assert!(two < square);
    }

    /// ‖p‖² is above x times its mean with a probability of at most exp(−N/2·(x − 1 − ln x)), by Chernoff's inequality.
    #[test]
    fn no_coefficient_of_a_rounding_times_its_conjugate_is_above_the_bound_on_coefficients() {
        for log2_degree in 4..=18 {
            let n = f64::from(1 << log2_degree);
            let log_failures = (FAILURE_BITS + 1.0 + n.log2()) * std::f64::consts::LN_2;
            let exceeded = |x: f64| n / 2.0 * (x - 1.0 - x.ln()) > log_failures;
            let most = (100..10_000).map(|x| f64::from(x) / 100.0).find(|x| exceeded(*x)).unwrap();
            let mean_square = most * n / 12.0 * (1.0 + TERNARY_VARIANCE * n);
            let model = NoiseModel::new(1 << log2_degree);
            assert!(mean_square < model.rounding(2).powi(2) * model.coefficient(), "{log2_degree}");
        }
    }

    #[test]
    fn of_deviations_counts_products_as_gaussians() {
        let model = NoiseModel::of_deviations(N, 6.0);
        let n = N as f64;
        let rounding = 6.0 * (n * (1.0 + 2.0 * n / 3.0) / 12.0).sqrt();
        assert!((model.rounding(2) / rounding - 1.0).abs() < 1e-12);
        let public = 6.0 * (n * ERROR_VARIANCE * (1.0 + 4.0 * n / 3.0)).sqrt();
        assert!((model.fresh_public() / public - 1.0).abs() < 1e-12);
    }
}
