//! Loops over slices by vectors.

use super::vector::{LANES, Vector, Words, load, store, zero};
use crate::word::Word;

slice_loops!(#[target_feature(enable = "simd128")]);
