//! Equal parts of a block, read and written at the same place of each.

use crate::avx512::vector::{LANES, Vector, Words, load, store, zero};

vector_columns!(#[target_feature(enable = "avx512f")]);
