//! How decryption shares are opened.

use std::sync::Arc;

use asanoha_lattice::{Level, RlweParams};
use asanoha_ring::{Basis, Divider};
use num_traits::ToPrimitive;

use crate::noise::Noise;

/// By how many bits the modulus is above what is opened: garbage has about half of the modulus.
pub(crate) const HEADROOM_BITS: f64 = 2.0;

/// How decryption shares are opened.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    /// The division before: shares are divided one by one, as that leaves fewer primes to compute with and the same ratio of
    /// modulus and noise.
    pub(crate) divider: Option<Arc<Divider>>,
    /// Masks are uniform of this many bits: [`crate::STATISTICAL_BITS`] more than what they hide.
    pub(crate) mask_bits: u32,
}

impl Opening {
    /// Of sums of products, at the lowest level that they're opened at.
    pub(crate) fn of_values(rlwe: &RlweParams, low: Level, noise: &Noise) -> (Level, Self) {
        let bits = noise.log2_values();
        let level = (0..low.0).map(Level).find(|level| is_opened(noise, bits, rlwe.q(*level)));
        (level.unwrap_or(low), Self { divider: None, mask_bits: noise.mask_bits(bits) })
    }

    /// Of products with the MAC key, divided to the fewest primes that they're opened modulo.
    pub(crate) fn of_codes(rlwe: &RlweParams, low: Level, noise: &Noise) -> Self {
        let basis = rlwe.q(low);
        for count in 1..basis.len() {
            let kept = basis.range(0..count);
            let bits = noise.log2_divided(noise.log2_codes(), basis.log2_product() - kept.log2_product());
            if is_opened(noise, bits, &kept) {
                let dropped = basis.range(count..basis.len());
                let factor = rlwe.noise_factor();
                let residue = |q: u64| (factor % q).to_u64().expect("below a word");
                let divider = Divider::new(&kept.secret(), &dropped.secret(), residue);
                return Self { divider: Some(Arc::new(divider)), mask_bits: noise.mask_bits(bits) };
            }
        }
        Self { divider: None, mask_bits: noise.mask_bits(noise.log2_codes()) }
    }
}

/// Whether something as large as 2^bits is opened modulo these primes.
fn is_opened(noise: &Noise, bits: f64, basis: &Basis) -> bool {
    noise.log2_masked(bits) + HEADROOM_BITS <= basis.log2_product()
}
