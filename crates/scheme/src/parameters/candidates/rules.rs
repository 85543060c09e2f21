//! How noise grows in BGV: as the literature bounds it on average, and as this library promises it.

use asanoha_lattice::{NoiseModel, Norm, SPECIAL_MARGIN_BITS};

/// A modulus while keys are switched.
#[derive(Clone, Copy, Debug)]
pub struct SwitchedModulus<'a> {
    /// The number of its primes.
    pub primes: usize,
    /// log2 of the digits that it's cut into.
    pub log2_digits: &'a [f64],
    /// The number of special primes.
    pub special: usize,
    /// log2 of the special modulus.
    pub log2_special: f64,
}

/// Bounds on the canonical norm of the noise, message included, at a ring degree.
pub trait NoiseRules {
    /// Of a fresh encryption.
    fn fresh(&self, ring_degree: usize) -> Norm;
    /// What a product with a plaintext multiplies the noise by.
    fn plain(&self, ring_degree: usize) -> Norm;
    /// What a division of two parts adds.
    fn rounding(&self, ring_degree: usize) -> Norm;
    /// What a key switch adds.
    fn key_switch(&self, ring_degree: usize, modulus: &SwitchedModulus) -> Norm;
    /// A noise under the flooding of all parties.
    fn flooded(&self, noise: Norm) -> Norm;
    /// The least log2 of a special modulus beside digits of so many bits.
    fn least_special(&self, digit_bits: f64) -> f64;
    /// Whether the operand of the higher modulus is divided to the lower one, rather than reduced modulo it, which leaves its
    /// noise as it is.
    fn divides_operands(&self) -> bool;
}

/// Average-case bounds of the literature: D standard deviations, where products count as Gaussians.
///
/// Source: Mono, Güneysu, "Implementing and optimizing matrix triples with homomorphic encryption" (AsiaCCS 2023), §4.3.
#[derive(Clone, Copy, Debug)]
pub struct AverageRules {
    /// The plaintext modulus t.
    pub modulus: Norm,
    /// D.
    pub deviations: f64,
    /// The variance of the secret's coefficients.
    pub secret_variance: f64,
    /// The variance of the errors' coefficients.
    pub error_variance: f64,
    /// Flooding adds t·2^this, however large the noise is.
    pub flooding_bits: u32,
}

impl AverageRules {
    /// D·t·√V, for the variance V of a value at a root of unity.
    fn bound(&self, variance: f64) -> Norm {
        self.modulus * (self.deviations * variance.sqrt())
    }
}

impl NoiseRules for AverageRules {
    fn fresh(&self, ring_degree: usize) -> Norm {
        let n = ring_degree as f64;
        let error = self.error_variance * (2.0 * n * self.secret_variance + 1.0);
        self.bound(n * (1.0 / 12.0 + error))
    }

    fn plain(&self, ring_degree: usize) -> Norm {
        self.bound(ring_degree as f64 / 12.0)
    }

    fn rounding(&self, ring_degree: usize) -> Norm {
        let n = ring_degree as f64;
        self.bound(n / 12.0 * (1.0 + n * self.secret_variance))
    }

    fn key_switch(&self, ring_degree: usize, modulus: &SwitchedModulus) -> Norm {
        let digits = modulus.log2_digits.len();
        let terms = (modulus.primes + modulus.special + digits - 1) as f64;
        let sum = self.bound(terms / 12.0 * self.error_variance) * ring_degree as f64;
        let widest = modulus.log2_digits.iter().copied().fold(0.0, f64::max);
        let digit = Norm::from_log2(widest - modulus.log2_special);
        sum * digit + self.rounding(ring_degree) * (modulus.special as f64).sqrt()
    }

    fn flooded(&self, noise: Norm) -> Norm {
        noise + self.modulus * f64::from(self.flooding_bits).exp2()
    }

    fn least_special(&self, _: f64) -> f64 {
        0.0
    }

    fn divides_operands(&self) -> bool {
        false
    }
}

/// The bounds that this library promises, by its [`NoiseModel`]: one fails with a probability of at most 2^−160 for each of
/// up to 2^32 polynomials, so that all hold together but with probability 2^−128. Secrets are ternary.
#[derive(Clone, Copy, Debug)]
pub struct PromisedRules {
    /// The plaintext modulus t.
    pub modulus: Norm,
    /// The parties, each of which floods.
    pub parties: usize,
    /// By how many bits flooding is above the noise that it hides: its statistical security.
    pub flooding_bits: u32,
}

/// What a fresh encryption divides by is at least as wide, in bits.
const NARROWEST_SPECIAL_BITS: f64 = 30.0;

impl NoiseRules for PromisedRules {
    fn fresh(&self, ring_degree: usize) -> Norm {
        let model = NoiseModel::new(ring_degree);
        let encryption = model.rounding(2) + model.fresh_public() * (-NARROWEST_SPECIAL_BITS).exp2();
        self.modulus * encryption + self.plain(ring_degree)
    }

    /// The worst message: coefficients are at most t/2.
    fn plain(&self, ring_degree: usize) -> Norm {
        self.modulus * (ring_degree as f64 / 2.0)
    }

    fn rounding(&self, ring_degree: usize) -> Norm {
        self.modulus * NoiseModel::new(ring_degree).rounding(2)
    }

    fn key_switch(&self, ring_degree: usize, modulus: &SwitchedModulus) -> Norm {
        let model = NoiseModel::new(ring_degree);
        let keys = Norm::from_or_huge(model.key_switches(1, modulus.log2_digits, modulus.log2_special));
        self.modulus * keys + self.rounding(ring_degree)
    }

    fn flooded(&self, noise: Norm) -> Norm {
        let largest = if noise < self.modulus { self.modulus } else { noise };
        noise + largest * (f64::from(self.flooding_bits).exp2() * self.parties as f64)
    }

    fn least_special(&self, digit_bits: f64) -> f64 {
        digit_bits + SPECIAL_MARGIN_BITS
    }

    fn divides_operands(&self) -> bool {
        true
    }
}
