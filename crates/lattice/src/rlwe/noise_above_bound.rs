//! Noise above its bound.

use asanoha_ring::Basis;
use thiserror::Error;

use crate::Norm;

/// The error of a decryption that finds more noise than the ciphertext can have: the decrypted numbers are garbage.
#[derive(Clone, Debug, PartialEq, Error)]
#[error(
    "decryption found noise above the bound of 2^{bound_bits:.1}, so that its numbers would be wrong: the secret key is another one than the ciphertext's, or the ciphertext or the evaluation keys are damaged or altered; encrypt and evaluate again with the keys as they were generated"
)]
pub struct NoiseAboveBound {
    /// log2 of the noise that was found.
    pub found_bits: f64,
    /// log2 of the bound that the ciphertext carries.
    pub bound_bits: f64,
}

impl NoiseAboveBound {
    /// Refuses a measured noise above its bound. `found` is relative to the modulus of the basis and has an error of at
    /// most `error`.
    ///
    /// # Errors
    /// [`NoiseAboveBound`].
    pub fn check(basis: &Basis, found: f64, error: f64, bound: Norm) -> Result<(), Self> {
        let log2_q = basis.log2_product();
        let limit = (bound * Norm::from_log2(-log2_q)).to_f64() + error;
        // Written so that NaN is refused too.
        let is_within = found <= limit;
        if is_within {
            Ok(())
        } else {
            Err(Self { found_bits: found.log2() + log2_q, bound_bits: bound.log2() })
        }
    }
}
