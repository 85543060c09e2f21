//! Products of a matrix of constants with rows of words: what all back-ends share.

use crate::{Modulus, ShoupFactor};

/// Checks the lengths of a matrix product and returns that of an input. Without inputs it returns 0 and sets `out` to
/// zero.
pub(crate) fn check(out: &mut [u64], inputs: &[&[u64]], weights: &[u64]) -> usize {
    let length = inputs.first().map_or(0, |input| input.len());
    if inputs.is_empty() {
        assert!(weights.is_empty());
        out.fill(0);
        return 0;
    }
    assert!(inputs.iter().all(|input| input.len() == length));
    assert!(weights.len().is_multiple_of(inputs.len()));
    assert_eq!(out.len(), weights.len() / inputs.len() * length);
    length
}

/// The product row by row, each by a back-end's weighted sum.
pub(crate) fn by_rows(
    weighted_sum: impl Fn(&mut [u64], &[&[u64]], &[ShoupFactor], &Modulus),
    out: &mut [u64],
    inputs: &[&[u64]],
    weights: &[u64],
    q: &Modulus,
) {
    let length = check(out, inputs, weights);
    if length > 0 {
        for (out, weights) in out.chunks_exact_mut(length).zip(weights.chunks_exact(inputs.len())) {
            let weights: Vec<ShoupFactor> = weights.iter().map(|&weight| q.shoup(weight)).collect();
            weighted_sum(out, inputs, &weights, q);
        }
    }
}
