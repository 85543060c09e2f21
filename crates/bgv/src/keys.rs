//! Keys.

pub use asanoha_lattice::{EvaluationKeys, PublicKey, SecretKey};
use asanoha_ring::Sampler;

use crate::BgvParams;

/// Generates what a server needs to evaluate: keys for the given rotations (of each row, to the left, in slots),
/// for the swap of the rows and for products.
///
/// Rotations by multiples of a row need no key and rotations that differ by one share a key. Where plaintexts are
/// coefficients there is nothing to rotate, and so no key for it.
pub fn generate_evaluation_keys(
    params: &BgvParams,
    secret: &SecretKey,
    rotations: &[i64],
    row_swap: bool,
    relinearisation: bool,
    sampler: &mut Sampler,
) -> EvaluationKeys {
    let space = params.space();
    let rotations = rotations.iter().filter_map(|&rotation| space.rotation(rotation));
    let elements = rotations.chain(row_swap.then(|| space.row_swap()).flatten());
    EvaluationKeys::generate(params.rlwe(), secret, elements, relinearisation, sampler)
}
