//! Chooses parameters by depth and plaintext modulus.

use asanoha_lattice::{NoiseModel, Norm, RlweLiteral};
use asanoha_ring::Backend;
use asanoha_scheme::{ParameterWishes, Parametrised, segment, squarings_suffice};
use num_bigint::BigUint;

use crate::{BgvLiteral, BgvParams};

/// What a level divides by above what would just bring its noise back, in bits: 2 let it go on for ever.
const ABOVE_ROUNDING_BITS: f64 = 2.2;

fn modulus(wishes: &ParameterWishes) -> BigUint {
    wishes.plaintext_modulus.clone().unwrap_or_default()
}

impl Parametrised for BgvParams {
    /// Squaring turns the noise B into B², and dropping D makes it B²/D + R, R the rounding's: with D = 4R it's 2R again. What
    /// stays at the end has the size that is searched; what fresh noise has above the steady one costs twice as much at the
    /// first squaring.
    fn prime_sizes(wishes: &ParameterWishes, ring_degree: usize, size: u32) -> Vec<f64> {
        let model = NoiseModel::new(ring_degree);
        let factor = Norm::from(&modulus(wishes));
        let rounding = (factor * model.rounding(2)).log2();
        let fresh = (factor * (model.rounding(2) + ring_degree as f64 / 2.0)).log2();
        let level = rounding + ABOVE_ROUNDING_BITS;
        let steady = (rounding + 1.0).max(segment(level).iter().sum::<f64>() - 1.5);
        let first = (fresh - steady).max(0.0);
        let mut sizes = segment(f64::from(size));
        for product in 1..wishes.depth {
            // The highest primes belong to the first product.
            let excess = if product + 1 == wishes.depth { 2.0 * first } else { 0.0 };
            sizes.extend(segment(level + excess));
        }
        sizes
    }

    fn largest_size(wishes: &ParameterWishes, ring_degree: usize) -> u32 {
        let bits = modulus(wishes).bits() as u32;
        3 * (bits + ring_degree.ilog2() + 30) + wishes.headroom_bits(ring_degree)
    }

    fn with_ring(
        rlwe: RlweLiteral,
        wishes: &ParameterWishes,
        _: u32,
        backend: Backend,
    ) -> Result<Self, String> {
        let t = wishes.plaintext_modulus.clone().ok_or("BGV needs a plaintext modulus")?;
        let encoding = wishes.stated_encoding();
        BgvLiteral { encoding, ..BgvLiteral::new(rlwe, t) }.check(backend).map_err(|error| error.to_string())
    }

    fn suffices(&self, wishes: &ParameterWishes) -> Result<(), String> {
        squarings_suffice(self, wishes)
    }
}
