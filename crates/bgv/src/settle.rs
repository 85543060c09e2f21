//! Where to switch the modulus: the noise models' answer for circuits that don't plan their levels.

use asanoha_lattice::{Level, Norm};

use crate::{BgvNoise, NoiseState};

impl BgvNoise {
    /// The level that a ciphertext of this state is best switched to: below the ones whose primes only hold noise.
    ///
    /// Switching brings the noise B down to B/q, but never below the rounding's. A prime is dropped where that
    /// wastes less than half of it, so that with primes of about a product's growth each product costs one, and
    /// only where the result stays decryptable.
    pub fn settled(&self, state: &NoiseState) -> Level {
        let rlwe = self.params().rlwe();
        let rounding = self.rounding(2);
        let (mut level, mut noise_bits) = (state.level, state.noise.log2());
        while level > Level(0) {
            let prime_bits = (rlwe.q(level).modulus(level.0).value() as f64).log2();
            let below = Level(level.0 - 1);
            let switched = (Norm::from_log2(noise_bits - prime_bits) + rounding).log2();
            if noise_bits - prime_bits / 2.0 < rounding.log2() || switched >= self.available_bits(below) {
                break;
            }
            (level, noise_bits) = (below, switched);
        }
        level
    }
}
