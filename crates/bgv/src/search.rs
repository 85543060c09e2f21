//! Chooses parameters by depth and plaintext modulus.

use asanoha_lattice::{NoiseModel, Norm, RlweLiteral};
use asanoha_ring::Backend;
use asanoha_scheme::{
    ParameterRequirements, Parametrised, narrowest_prime_bits, segment_of, squarings_suffice,
};
use num_bigint::BigUint;

use crate::{BgvLiteral, BgvParams};

/// What a level divides by above what would just bring its noise back, in bits: 2 let it go on for ever.
const ABOVE_ROUNDING_BITS: f64 = 2.2;

fn modulus(requirements: &ParameterRequirements) -> BigUint {
    requirements.plaintext_modulus.clone().unwrap_or_default()
}

impl Parametrised for BgvParams {
    /// Squaring turns the noise B into B², and dropping D makes it B²/D + R, R the rounding's: with D = 4R it's 2R again. What
    /// stays at the end has the size that is searched; what fresh noise has above the steady one costs twice as much at the
    /// first squaring.
    fn prime_sizes(requirements: &ParameterRequirements, ring_degree: usize, size: u32) -> Vec<f64> {
        let model = NoiseModel::new(ring_degree);
        let factor = Norm::from(&modulus(requirements));
        let rounding = (factor * model.rounding(2)).log2();
        let fresh = (factor * (model.rounding(2) + ring_degree as f64 / 2.0)).log2();
        let level = rounding + ABOVE_ROUNDING_BITS;
        let narrowest = narrowest_prime_bits(ring_degree, requirements.depth + 1);
        let steady = (rounding + 1.0).max(segment_of(level, narrowest).iter().sum::<f64>() - 1.5);
        let first = (fresh - steady).max(0.0);
        let mut sizes = segment_of(f64::from(size), narrowest);
        for product in 1..requirements.depth {
            // The highest primes belong to the first product.
            let excess = if product + 1 == requirements.depth { 2.0 * first } else { 0.0 };
            sizes.extend(segment_of(level + excess, narrowest));
        }
        sizes
    }

    fn largest_size(requirements: &ParameterRequirements, ring_degree: usize) -> u32 {
        let bits = modulus(requirements).bits() as u32;
        3 * (bits + ring_degree.ilog2() + 30) + requirements.headroom_bits(ring_degree)
    }

    fn with_ring(
        rlwe: RlweLiteral,
        requirements: &ParameterRequirements,
        _: u32,
        backend: Backend,
    ) -> Result<Self, String> {
        let t = requirements.plaintext_modulus.clone().ok_or("BGV needs a plaintext modulus")?;
        let encoding = requirements.stated_encoding();
        BgvLiteral { encoding, ..BgvLiteral::new(rlwe, t) }.check(backend).map_err(|error| error.to_string())
    }

    fn suffices(&self, requirements: &ParameterRequirements) -> Result<(), String> {
        squarings_suffice(self, requirements)
    }
}
