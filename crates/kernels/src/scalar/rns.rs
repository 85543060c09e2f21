//! Sums of many products with one reduction.

use crate::{
    Modulus, ShoupFactor, SwitchTerm,
    fraction::{GROUP, TO_INTEGER, checked_length, size_of_groups},
};

/// The number of products of 61-bit words that a 128-bit word can sum up before it is reduced.
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

pub(crate) fn weighted_sum(out: &mut [u64], inputs: &[&[u64]], weights: &[ShoupFactor], q: &Modulus) {
    assert!(inputs.len() == weights.len() && inputs.iter().all(|input| input.len() == out.len()));
    for (i, out) in out.iter_mut().enumerate() {
        let mut reduced = 0u64;
        for (inputs, weights) in
            inputs.chunks(PRODUCTS_PER_REDUCTION).zip(weights.chunks(PRODUCTS_PER_REDUCTION))
        {
            let sum: u128 =
                inputs.iter().zip(weights).map(|(input, w)| u128::from(input[i]) * u128::from(w.value)).sum();
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

pub(crate) fn fraction_size(inputs: &[&[u64]], reciprocals: &[f64]) -> (f64, f64) {
    let length = checked_length(inputs, reciprocals);
    let (mut largest, mut squares) = ([0f64; GROUP], [0f64; GROUP]);
    for i in 0..length {
        let sum = inputs.iter().zip(reciprocals).fold(0.0, |sum, (input, r)| sum + input[i] as f64 * r);
        let fraction = sum - ((sum + TO_INTEGER) - TO_INTEGER);
        largest[i % GROUP] = largest[i % GROUP].max(fraction.abs());
        squares[i % GROUP] += fraction * fraction;
    }
    size_of_groups(&largest, &squares)
}

/// The number of words of a key that are unpacked at a time.
const TILE: usize = 256;

pub(crate) fn switch_sum(out: [&mut [u64]; 2], terms: &[SwitchTerm<'_>], q: &Modulus) {
    let length = out[0].len();
    assert!(out[1].len() == length && terms.iter().all(|term| term.fits(length)));
    let most = terms.iter().map(|term| term.keys.len()).max().unwrap_or(0);
    let mut keys = vec![[[0; TILE]; 2]; most];
    let [first, second] = out;
    first.fill(0);
    second.fill(0);
    for (tile, (first, second)) in first.chunks_mut(TILE).zip(second.chunks_mut(TILE)).enumerate() {
        let start = tile * TILE;
        for term in terms {
            for (words, packed) in keys.iter_mut().flatten().zip(term.keys.iter().flatten()) {
                packed.unpack(start, &mut words[..first.len()]);
            }
            for (i, (first, second)) in first.iter_mut().zip(&mut *second).enumerate() {
                let source = term.permutation.map_or(start + i, |permutation| permutation.source(start + i));
                for (h, out) in [first, second].into_iter().enumerate() {
                    let addend = term.addends[h].map_or(0, |words| words[source]);
                    let mut sum = q.add(*out, addend);
                    let groups = term.digits.chunks(PRODUCTS_PER_REDUCTION);
                    for (digits, keys) in groups.zip(keys.chunks(PRODUCTS_PER_REDUCTION)) {
                        let product = |(digit, key): (&&[u64], &[[u64; TILE]; 2])| {
                            u128::from(digit[source]) * u128::from(key[h][i])
                        };
                        let products: u128 = digits.iter().zip(keys).map(product).sum();
                        sum = q.reduce_u128(products + u128::from(sum));
                    }
                    *out = sum;
                }
            }
        }
    }
}
