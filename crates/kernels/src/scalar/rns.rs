//! Sums of many products with one reduction.

use crate::{Modulus, SwitchTerm};

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

pub(crate) fn switch_sum(out: [&mut [u64]; 2], terms: &[SwitchTerm<'_>], q: &Modulus) {
    let length = out[0].len();
    assert!(out[1].len() == length && terms.iter().all(|term| term.fits(length)));
    for (h, out) in out.into_iter().enumerate() {
        out.fill(0);
        for term in terms {
            for (i, out) in out.iter_mut().enumerate() {
                let source = term.permutation.map_or(i, |permutation| permutation.source(i));
                let mut sum = u128::from(*out) + term.addends[h].map_or(0, |words| u128::from(words[source]));
                for (digits, keys) in
                    term.digits.chunks(PRODUCTS_PER_REDUCTION).zip(term.keys.chunks(PRODUCTS_PER_REDUCTION))
                {
                    let products = digits.iter().zip(keys);
                    sum +=
                        products.map(|(d, key)| u128::from(d[source]) * u128::from(key[h][i])).sum::<u128>();
                    sum = u128::from(q.reduce_u128(sum));
                }
                *out = q.reduce_u128(sum);
            }
        }
    }
}
