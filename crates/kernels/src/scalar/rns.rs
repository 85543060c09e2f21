//! Sums of many products with one reduction.

use crate::Modulus;

/// How many products of 61-bit words a double word holds.
const PRODUCTS_PER_REDUCTION: usize = 32;

pub(crate) fn inner_product(out: &mut [u64], pairs: &[(&[u64], &[u64])], q: &Modulus) {
    assert!(pairs.iter().all(|(a, b)| a.len() == out.len() && b.len() == out.len()));
    for (i, out) in out.iter_mut().enumerate() {
        let mut reduced = 0u64;
        for group in pairs.chunks(PRODUCTS_PER_REDUCTION) {
            let sum: u128 = group.iter().map(|(a, b)| u128::from(a[i]) * u128::from(b[i])).sum();
            reduced = q.reduce_u128(sum + u128::from(reduced));
        }
        *out = reduced;
    }
}

pub(crate) fn weighted_sum(out: &mut [u64], inputs: &[&[u64]], weights: &[u64], q: &Modulus) {
    assert!(inputs.len() == weights.len() && inputs.iter().all(|input| input.len() == out.len()));
    for (i, out) in out.iter_mut().enumerate() {
        let mut reduced = 0u64;
        for (inputs, weights) in
            inputs.chunks(PRODUCTS_PER_REDUCTION).zip(weights.chunks(PRODUCTS_PER_REDUCTION))
        {
            let sum: u128 =
                inputs.iter().zip(weights).map(|(input, &w)| u128::from(input[i]) * u128::from(w)).sum();
            reduced = q.reduce_u128(sum + u128::from(reduced));
        }
        *out = reduced;
    }
}

pub(crate) fn matrix_product(out: &mut [u64], inputs: &[&[u64]], weights: &[u64], q: &Modulus) {
    crate::matrix::by_rows(weighted_sum, out, inputs, weights, q);
}

pub(crate) fn rounded_sum(out: &mut [u64], inputs: &[&[u64]], reciprocals: &[f64]) {
    assert!(inputs.len() == reciprocals.len() && inputs.iter().all(|input| input.len() == out.len()));
    for (i, out) in out.iter_mut().enumerate() {
        let sum = inputs.iter().zip(reciprocals).fold(0.0, |sum, (input, r)| sum + input[i] as f64 * r);
        *out = (sum + 0.5) as u64;
    }
}
