//! Powers of a root of unity in the order of the transforms.

use crate::{Modulus, evaluation_exponent};

/// root^reverse(i) at index i.
pub(crate) fn powers(modulus: &Modulus, root: u64, ring_degree: usize) -> Vec<u64> {
    let mut values = vec![0; ring_degree];
    let mut power = 1;
    for exponent in 0..ring_degree {
        values[evaluation_exponent(ring_degree, exponent) / 2] = power;
        power = modulus.mul(power, root);
    }
    values
}
