//! The randomness of encryptions.

use asanoha_ring::Sampler;

use crate::{KeyId, RlweParams};

/// The randomness of one encryption. If the sampler comes from a given seed, it depends on the key and on all that is
/// encrypted, so that no two messages are hidden by the same values; otherwise it's fresh anyway.
pub(super) fn randomness(
    params: &RlweParams,
    key: KeyId,
    message: &[u64],
    sampler: &mut Sampler,
) -> Option<Sampler> {
    sampler.is_seeded().then(|| {
        let message = blake3::hash(bytemuck::cast_slice(message));
        sampler.branch("encryption", &[params.digest().as_bytes(), key.as_bytes(), message.as_bytes()])
    })
}
