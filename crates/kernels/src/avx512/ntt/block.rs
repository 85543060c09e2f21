//! The innermost blocks of the transforms, in vectors.

use std::arch::x86_64::__m512i;

use crate::avx512::vector::{LANES, Words, load, store};

/// Eight vectors.
pub(crate) type Eight = [__m512i; LANES];

/// The vectors of an innermost block.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load_block(block: &[Words; LANES]) -> Eight {
    let [p0, p1, p2, p3, p4, p5, p6, p7] = block;
    [load(p0), load(p1), load(p2), load(p3), load(p4), load(p5), load(p6), load(p7)]
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn store_block(block: &mut [Words; LANES], v: &Eight) {
    for (words, &v) in block.iter_mut().zip(v) {
        store(words, v);
    }
}
