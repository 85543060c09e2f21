//! Equal parts of a block, read and written at the same place of each.

use crate::simd128::vector::{LANES, Vector, Words, load, store, zero};

vector_columns!(#[target_feature(enable = "simd128")]);
