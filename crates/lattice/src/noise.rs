//! Bounds on noise polynomials in the canonical embedding.
//!
//! The norm of a polynomial is here the canonical embedding norm: the largest absolute value that it takes at a
//! primitive 2N-th root of unity. It's at least the largest coefficient, and the norm of a sum or product is at most
//! the sum or product of the norms, also where the operands depend on one another. In CKKS the norm over the scale is
//! the largest error of a slot.
//!
//! Independence is assumed only of what one operation draws: the mask and the errors of an encryption, the digits of a
//! key switch and the errors of its keys, the remainders of a rounding. Everything that is combined later, noises and
//! ciphertexts alike, may be dependent, and is bounded by the norms.

use asanoha_ring::{ERROR_VARIANCE, TERNARY_VARIANCE};

use crate::SPARSE_WEIGHT;

/// A bound fails with a probability of at most 2^−160 for one polynomial, and so with at most 2^−128 for 2^32
/// polynomials together.
pub const FAILURE_BITS: f64 = 160.0;

/// The polynomials that an operation on ciphertexts bounds at most: of a product both operands, their rounding and the
/// result's, the digits and errors of a key switch and what its mod-down rounds; and the same again for a change of scale.
pub const BOUNDED_POLYNOMIALS: f64 = 16.0;

/// Products of two factors are bounded by moments: θ denotes the moment of order 2θ. The best θ is half of D².
const ORDER: u32 = 64;

/// One way to bound a polynomial v = w·r at all roots, where r is Gaussian and w is a factor drawn before it.
///
/// With m the 2θ-th root of E|v(ζ)|^2θ at the worst root ζ, C·m is a bound for C^2θ = 2N·2^160: by Markov's inequality
/// the norm exceeds it with a probability of at most 2^−160. For a product of two Gaussians this bound is half the
/// product of their norm bounds, since it uses that not both are largest at one root.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Order {
    /// The moment m of a complex Gaussian of variance 1, θ!^(1/2θ); in the order that multiplies norms, a bound D on
    /// the values at all roots.
    moment: f64,
    /// The same for a factor w that is drawn before; 1 in the bounds of the literature, which use variances only.
    inner: f64,
    /// The factor C.
    closing: f64,
}

/// Bounds on the norms that lattice operations add, for one ring degree, in units of the noise factor f (t in BGV, 1
/// elsewhere).
///
/// A polynomial with independent coefficients of variance V takes at a root of unity a value that is close to a complex
/// Gaussian of variance N·V, so its norm exceeds D·√(N·V) with a probability of N·exp(−D²). The norms of secrets are
/// bounded with certainty, by drawing again ([`crate::SecretKey::generate`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseModel {
    ring_degree: f64,
    /// The bound on |s|² at a root of unity.
    secret_square: f64,
    /// Two ways to bound: by the norms of both factors, and by moments. The lesser bound is used.
    orders: [Order; 2],
}

/// The bound that every secret satisfies: |s|² ≤ (2N/3)·(ln N + 4) at every root of unity. It holds for a share of
/// 1 − exp(−4)/2 of all ternary polynomials, 99 of 100, so that drawing the others again costs only 0.02 bits of
/// security.
pub(crate) fn secret_square(ring_degree: usize) -> f64 {
    let ring_degree = ring_degree as f64;
    TERNARY_VARIANCE * ring_degree * (ring_degree.ln() + 4.0)
}

impl NoiseModel {
    /// For polynomials of `ring_degree` coefficients, with bounds that fail with a probability of at most 2^−160.
    pub fn new(ring_degree: usize) -> Self {
        let secret_square = secret_square(ring_degree);
        let ring_degree = ring_degree as f64;
        // One bit more, for the two ends of a coefficient.
        let log_failures = (FAILURE_BITS + 1.0 + ring_degree.log2()) * std::f64::consts::LN_2;
        let deviations = log_failures.sqrt();
        let norms = Order { moment: deviations, inner: deviations, closing: 1.0 };
        let log_factorial: f64 = (1..=ORDER).map(|k| f64::from(k).ln()).sum();
        let root = |log: f64| (log / (2.0 * f64::from(ORDER))).exp();
        let moment = root(log_factorial);
        let moments = Order { moment, inner: moment, closing: root(log_failures) };
        Self { ring_degree, secret_square, orders: [norms, moments] }
    }

    /// The bounds of the literature: D standard deviations at every root, where products count as Gaussians too. For
    /// comparison only: at the usual D = 6 a polynomial exceeds its bound with a probability of N·exp(−36), 2^−38 at
    /// N = 2^14, and a product, whose tails are heavier, more often.
    ///
    /// Source: Costache, Smart, "Which ring based somewhat homomorphic encryption scheme is best?" (CT-RSA 2016).
    pub fn of_deviations(ring_degree: usize, deviations: f64) -> Self {
        let ring_degree = ring_degree as f64;
        let order = Order { moment: deviations, inner: 1.0, closing: 1.0 };
        let secret_square = TERNARY_VARIANCE * ring_degree;
        Self { ring_degree, secret_square, orders: [order; 2] }
    }

    /// The norm bound of a polynomial whose coefficients have the given variance, which may contain each order's bound
    /// on the factors drawn before. It's the lesser of the two orders' bounds.
    fn gaussian(&self, variance: impl Fn(&Order) -> f64) -> f64 {
        let bound =
            |order: &Order| order.closing * order.moment * (self.ring_degree * variance(order)).sqrt();
        self.orders.iter().map(bound).fold(f64::INFINITY, f64::min)
    }

    /// Norm bound of a polynomial with independent coefficients of the given variance.
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

    /// Norm bound of what rounding the parts of a ciphertext adds: r₀ + r₁·s + …, the rᵢ uniform in [−½, ½].
    pub fn rounding(&self, parts: usize) -> f64 {
        let powers: f64 = (0..parts as i32).map(|i| self.secret_square.powi(i)).sum();
        self.independent(powers / 12.0)
    }

    /// What rounding the four parts of a product with an image adds: r₀ + r₁·s + (r₂ + r₃·s)·s(X^g).
    pub fn rounding_image_product(&self) -> f64 {
        self.independent((1.0 + self.secret_square).powi(2) / 12.0)
    }

    /// Norm bound of what `switches` key switches, each with a key of its own, add before one mod-down rounds:
    /// Σ dⱼ·eⱼ/P with dⱼ uniform in ±Dⱼ/2. Digits and P are given as log2.
    ///
    /// Given the digits, however they depend on one another, the sum is a Gaussian in the independent errors eⱼ, and
    /// its variance is at most the sum of the key switches' variances.
    pub fn key_switches(&self, switches: usize, log2_digits: &[f64], log2_special: f64) -> f64 {
        let digits: f64 =
            log2_digits.iter().map(|log2_digit| (2.0 * (log2_digit - log2_special)).exp2() / 12.0).sum();
        let digits = switches as f64 * digits;
        self.gaussian(|order| ERROR_VARIANCE * order.inner.powi(2) * self.ring_degree * digits)
    }

    /// Norm bound of what a key switch adds before its mod-down rounds if the key's errors have a norm: Σ dⱼ·eⱼ/P with dⱼ
    /// uniform in ±Dⱼ/2. Digits and P are given as log2.
    pub fn key_switch_with(&self, key_noise: f64, log2_digits: &[f64], log2_special: f64) -> f64 {
        let digit = |log2_digit: &f64| self.independent((2.0 * (log2_digit - log2_special)).exp2() / 12.0);
        log2_digits.iter().map(digit).sum::<f64>() * key_noise
    }

    /// The norm of a secret at most.
    pub fn secret(&self) -> f64 {
        self.secret_square.sqrt()
    }

    /// A bound on the largest coefficient of noise relative to its norm: √(2/N).
    ///
    /// Noise is a sum of terms w·r. The polynomial r has independent coefficients of variance V and comes from the
    /// noise's origin (an encryption, a key switch, a rounding); w is the product of all that r was multiplied by.
    /// * If w doesn't depend on r, a coefficient Σ rᵢ·wⱼ₋ᵢ is a real Gaussian of variance V·‖w‖², ‖w‖² ≤ |w|²: at each
    ///   order √(2/N) of the bound on |w·r|. If r is no noise but known to be small, ‖r‖ ≤ |r|/√N, the coefficient is
    ///   at most ‖r‖·‖w‖.
    /// * If w depends on r, there are two factors p and p', as in the product of a noise with its own image under
    ///   X → X⁻¹, whose values are all positive, and a coefficient is at most ‖p‖·‖p'‖ times the norm of the rest. ‖p‖²
    ///   is the mean of the squares of p's values, of which the bound takes the largest. A rounding's remainder is
    ///   multiplied by s, whose |s|² is ln N + 4 times its mean; with the rounding's own D² that's more than √(N/2) up
    ///   to N = 2^18. Encryptions have more than one factor too, and those under the secret key are accompanied by the
    ///   rounding of the encoding.
    pub fn coefficient(&self) -> f64 {
        (2.0 / self.ring_degree).sqrt()
    }

    /// A bound on the norm of (c₀ + c₁·s')/q₀ for the sparse secret s' and residues in [−q₀/2, q₀/2), which are uniform: of
    /// what a raised ciphertext decrypts to, in units of q₀.
    pub fn raised(&self) -> f64 {
        self.independent(1.0 / 12.0) * (SPARSE_WEIGHT + 1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 1 << 14;

    /// D² in the union bound.
    fn log_failures() -> f64 {
        (FAILURE_BITS + 1.0 + (N as f64).log2()) * std::f64::consts::LN_2
    }

    #[test]
    fn bounds_of_one_factor_and_two_are_those_of_the_exact_tails() {
        let model = NoiseModel::new(N);
        let square = log_failures();
        assert!((model.independent(1.0 / N as f64) / square.sqrt() - 1.0).abs() < 1e-9);
        // The product of two Gaussians is above x with probability 2x·K₁(2x), about √(πx)·exp(−2x).
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
