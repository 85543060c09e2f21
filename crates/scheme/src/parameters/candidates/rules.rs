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

/// The width of the special prime that a fresh encryption divides by, in bits, as long as it isn't chosen.
const ENCRYPTION_PRIME_BITS: f64 = 30.0;

/// Bounds in units of t that need no primes.
impl PromisedRules {
    /// Of an encryption of 0: [`RlweParams::fresh_public_noise`] under a special prime of 30 bits.
    ///
    /// A narrower one adds more, but hardly: under 25 bits, less than 2^−20 of the bound, most of which is the rounding's.
    ///
    /// [`RlweParams::fresh_public_noise`]: asanoha_lattice::RlweParams::fresh_public_noise
    pub fn encryption(model: &NoiseModel) -> f64 {
        model.rounding(2) + model.fresh_public() * (-ENCRYPTION_PRIME_BITS).exp2()
    }

    /// The worst message: coefficients are at most t/2.
    pub fn message(ring_degree: usize) -> f64 {
        ring_degree as f64 / 2.0
    }

    /// What the division of a product with an image and the switch of its parts to the secret key add: at least
    /// [`RlweParams::image_product_noise`] of all parameters in rings of degree 2^7 or more.
    ///
    /// The division adds R = D·√(N·(1 + S)²/12) for the bound S on |s|². Key switching adds less than that:
    /// * its rounding, D·√(N·(1 + S)/12) = R/√(1 + S);
    /// * two keys' errors e times at most d digits of ±P/2⁵, as P is by a margin of 2⁴ above each digit: at most
    ///   D²·σ·N·√(2·d/12)/2⁴ = R·D·σ·√(2·d·N)/(2⁴·(1 + S)), where S > 2·N/3·ln N.
    ///
    /// [`RlweParams::image_product_noise`]: asanoha_lattice::RlweParams::image_product_noise
    pub fn image_product(model: &NoiseModel) -> f64 {
        2.0 * model.rounding_image_product()
    }
}

impl NoiseRules for PromisedRules {
    fn fresh(&self, ring_degree: usize) -> Norm {
        self.modulus * Self::encryption(&NoiseModel::new(ring_degree)) + self.plain(ring_degree)
    }

    fn plain(&self, ring_degree: usize) -> Norm {
        self.modulus * Self::message(ring_degree)
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

#[cfg(test)]
mod tests {
    use asanoha_kernels::Backend;
    use asanoha_lattice::RlweLiteral;

    use super::*;
    use crate::Primes;

    /// As many as parameters may have primes.
    const MOST_DIGITS: usize = 512;

    /// `RlweLiteral::check` refuses digits nearer to the special modulus.
    #[test]
    fn key_switches_add_less_to_a_product_with_an_image_than_rounding_in_every_ring() {
        for log2_degree in 7..=17 {
            let model = NoiseModel::new(1 << log2_degree);
            let keys = model.key_switches(2, &[0.0; MOST_DIGITS], SPECIAL_MARGIN_BITS);
            assert!(keys + model.rounding(2) <= model.rounding_image_product(), "{log2_degree}");
        }
    }

    /// With many digits, and the narrowest special primes, which are two where one would just not do.
    #[test]
    fn bounds_without_primes_are_those_of_rings() {
        for (log2_degree, digits) in [(7, 100), (11, 40), (14, 12)] {
            let mut primes = Primes::new(1 << log2_degree, &[]);
            let q = (0..digits).map(|_| primes.below(47, 1)).collect::<Result<Vec<_>, _>>().unwrap();
            let p = primes.special(47.0).unwrap();
            assert_eq!(p[0].ilog2(), 25);
            let literal = RlweLiteral::new(1 << log2_degree, q, p, digits).insecure();
            let params = literal.check(Backend::detect().unwrap()).unwrap();
            let (model, top) = (params.noise(), params.max_level());
            assert!(params.image_product_noise(model, top) <= PromisedRules::image_product(model));
            let encryption = PromisedRules::encryption(model) * (1.0 + 2f64.powi(-20));
            assert!(params.fresh_public_noise(model) <= encryption, "{log2_degree}");
        }
    }
}
