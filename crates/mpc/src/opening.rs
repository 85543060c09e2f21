//! How decryption shares are opened.

use std::sync::Arc;

use asanoha_ring::Divider;

/// How decryption shares are opened.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    /// The division before: shares are divided one by one, as that leaves fewer primes to compute with and the same ratio of
    /// modulus and noise.
    pub(crate) divider: Option<Arc<Divider>>,
    /// Masks are uniform of this many bits: [`crate::STATISTICAL_BITS`] more than what they hide.
    pub(crate) mask_bits: u32,
}
