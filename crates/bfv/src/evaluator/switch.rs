//! Modulus switching.

use asanoha_lattice::Level;

use super::Evaluator;
use crate::{BfvCiphertext, BfvError};

impl Evaluator {
    /// The same values at a lower level, where operations cost less: divides by the product D of the primes above it,
    /// all at once, rounding. The message stays the same, for it stands at the scale Q/t.
    ///
    /// Noise: divided by D, as the modulus is, and the rounding's r₀ + r₁·s is added: nothing is lost while the noise
    /// is far above D.
    ///
    /// # Errors
    /// [`BfvError::LevelTooHigh`] if the level is above the ciphertext's, [`BfvError::OutOfModulus`].
    pub fn switch_to(&self, a: BfvCiphertext, level: Level) -> Result<BfvCiphertext, BfvError> {
        let state = self.noise.switch_to(self.state(&a)?, a.rlwe.parts.len(), level)?;
        Ok(self.with_state(a.rlwe.divide_to(self.params.rlwe(), level), state))
    }
}
