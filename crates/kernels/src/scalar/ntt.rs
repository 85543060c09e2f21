//! Negacyclic NTT: Cooley–Tukey forward, Gentleman–Sande inverse, residues kept below 4q and 2q between the
//! layers (Harvey, "Faster arithmetic for number-theoretic transforms", 2014).

use crate::{Modulus, NttTable, ShoupFactor};

pub(crate) fn forward(a: &mut [u64], table: &NttTable) {
    assert_eq!(a.len(), table.ring_degree());
    let q = table.modulus();
    let (value, double) = (q.value(), 2 * q.value());
    let roots = &table.portable_roots().forward;
    let mut half = a.len() / 2;
    let mut blocks = 1;
    while blocks < a.len() {
        for (block, pair) in a.chunks_exact_mut(2 * half).enumerate() {
            let root = roots[blocks + block];
            let (lower, upper) = pair.split_at_mut(half);
            for (x, y) in lower.iter_mut().zip(upper) {
                let reduced = (*x).min((*x).wrapping_sub(double));
                let product = q.mul_shoup_lazy(*y, root);
                *x = reduced + product;
                *y = reduced + double - product;
            }
        }
        blocks *= 2;
        half /= 2;
    }
    for x in a {
        let below_double = (*x).min((*x).wrapping_sub(double));
        *x = below_double.min(below_double.wrapping_sub(value));
    }
}

pub(crate) fn inverse(a: &mut [u64], table: &NttTable) {
    assert_eq!(a.len(), table.ring_degree());
    let q = table.modulus();
    let roots = &table.portable_roots().inverse;
    let mut half = 1;
    let mut blocks = a.len() / 2;
    while blocks > 1 {
        for (block, pair) in a.chunks_exact_mut(2 * half).enumerate() {
            butterflies_inverse(pair, half, roots[blocks + block], q);
        }
        blocks /= 2;
        half *= 2;
    }
    let (lower, upper) = a.split_at_mut(half);
    for (x, y) in lower.iter_mut().zip(upper) {
        let (sum, difference) = (*x + *y, *x + 2 * q.value() - *y);
        *x = q.mul_shoup(sum, table.degree_inverse);
        *y = q.mul_shoup(difference, table.last_root_over_degree);
    }
}

#[inline]
fn butterflies_inverse(pair: &mut [u64], half: usize, root: ShoupFactor, q: &Modulus) {
    let double = 2 * q.value();
    let (lower, upper) = pair.split_at_mut(half);
    for (x, y) in lower.iter_mut().zip(upper) {
        let sum = *x + *y;
        let difference = *x + double - *y;
        *x = sum.min(sum.wrapping_sub(double));
        *y = q.mul_shoup_lazy(difference, root);
    }
}
