//! Modulus switching.

use asanoha_lattice::Level;

use super::Evaluator;
use crate::{BgvCiphertext, BgvError};

impl Evaluator {
    /// The same values at a lower level: divides by the product D of the primes above it, all at once.
    ///
    /// c' = (c − δ)/D with δ ≡ c modulo D and δ ≡ 0 modulo t; the correction factor is multiplied by D⁻¹ modulo t.
    ///
    /// Noise: divided by D, and the rounding's t·(r₀ + r₁·s) is added.
    ///
    /// # Errors
    /// [`BgvError::LevelTooHigh`] if the level is above the ciphertext's, [`BgvError::OutOfModulus`].
    pub fn switch_to(&self, a: BgvCiphertext, level: Level) -> Result<BgvCiphertext, BgvError> {
        let state = self.noise.switch_to(self.state(&a)?, a.rlwe.parts.len(), level)?;
        Ok(self.with_state(a.rlwe.divide_to(self.params.rlwe(), level), state))
    }
}
