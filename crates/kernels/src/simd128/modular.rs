//! Element-wise modular arithmetic.

use super::slices::{update, update_by, update_by_two};
use super::vector::{Barrett, Prime, add, sub, zero};
use crate::{Modulus, ShoupFactor};

modular_sums!(#[target_feature(enable = "simd128")]);
modular_products!(
    #[target_feature(enable = "simd128")]
    Barrett,
    Prime,
    |prime, a, b, w| { prime.mul(sub(add(a, prime.value), b), w) }
);
