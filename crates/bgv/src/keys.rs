//! Keys.

pub use asanoha_lattice::{EvaluationKeys, PublicKey, SecretKey};
use asanoha_ring::{GaloisElement, Sampler};

use crate::BgvParams;

/// Generates what a server needs to evaluate: keys for the given rotations (of each row, to the left, in slots),
/// for the swap of the rows and for products.
///
/// Rotations by multiples of N/2 need no key and rotations that differ by one share a key.
pub fn generate_evaluation_keys(
    params: &BgvParams,
    secret: &SecretKey,
    rotations: &[i64],
    row_swap: bool,
    relinearisation: bool,
    sampler: &mut Sampler,
) -> EvaluationKeys {
    let rlwe = params.rlwe();
    let n = rlwe.ring_degree();
    let rotations = rotations.iter().map(|&rotation| GaloisElement::rotation(n, rotation));
    let elements = rotations.chain(row_swap.then(|| GaloisElement::conjugation(n)));
    EvaluationKeys::generate(rlwe, secret, elements, relinearisation, sampler)
}
