//! The noise model: variances of what each step of a bootstrapping adds, in units of the squared torus
//! (`docs/notes/tfhe.md` derives them), and the probability that noise passes a bound.

use crate::GadgetLiteral;

/// Variances for one set of parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NoiseModel {
    /// Of a fresh encryption, under the GLWE key.
    pub(crate) fresh: f64,
    /// Of the result of a bootstrapping.
    pub(crate) bootstrapped: f64,
    /// What the key switch and the modulus switch before a blind rotation add.
    pub(crate) switched: f64,
}

impl NoiseModel {
    /// Those of LWE ciphertexts of dimension n and of GLWE ciphertexts with k masks of N coefficients, each with the
    /// standard deviation of its errors and the digits of the keys that lead to it.
    pub(crate) fn new(
        (n, lwe_deviation, key_switch): (usize, f64, GadgetLiteral),
        (degree, k, glwe_deviation, bootstrap): (usize, usize, f64, GadgetLiteral),
    ) -> Self {
        let (n, degree, k) = (n as f64, degree as f64, k as f64);
        let (lwe, glwe) = (lwe_deviation.powi(2), glwe_deviation.powi(2));

        let rows = (k + 1.0) * f64::from(bootstrap.levels) * degree;
        // An error of a mask's word is multiplied by the secret.
        let of_word = 1.0 + k * degree / 2.0;
        let transform = 2f64.powi(-109) * degree.log2() * of_word;
        let of_key = rows * bootstrap.digit_square() * (glwe + transform);
        // Of the digits where the bit is 1, and of the result to words of 32 bits.
        let of_rounding = (bootstrap.rounding() / 2.0 + 2f64.powi(-64) / 12.0) * of_word;

        let levels = f64::from(key_switch.levels);
        let switch_key =
            k * degree * (levels * key_switch.digit_square() * lwe + key_switch.rounding() / 2.0);
        let modulus_switch = (n / 4.0 + 1.0) / 12.0 / (2.0 * degree).powi(2);
        Self { fresh: glwe, bootstrapped: n * (of_key + of_rounding), switched: switch_key + modulus_switch }
    }
}

/// log2 of the probability that a Gaussian of the given variance is larger in size than a bound.
pub(crate) fn log2_tail(bound: f64, variance: f64) -> f64 {
    let x = bound / (2.0 * variance).sqrt();
    // Beyond, erfc isn't a normal double: erfc(x) < exp(−x²)/(x·√π).
    if x < 26.0 {
        libm::erfc(x).log2()
    } else {
        -(x * x) * std::f64::consts::LOG2_E - (x * std::f64::consts::PI.sqrt()).log2()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_those_of_the_gaussian_and_go_on_without_a_step() {
        // A Gaussian is beyond one deviation with probability 0.3173, beyond two with 0.0455.
        assert!((log2_tail(1.0, 1.0) - 0.317_310_5_f64.log2()).abs() < 1e-6);
        assert!((log2_tail(2.0, 1.0) - 0.045_500_26_f64.log2()).abs() < 1e-6);
        let at = |x: f64| log2_tail(x, 0.5);
        assert!((at(26.0 - 1e-9) - at(26.0)).abs() < 0.01);
        assert!(at(1e6) < at(1e5));
    }
}
