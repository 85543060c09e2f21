//! Negacyclic NTT in radix-8 passes over memory, the layers of the innermost 64 words in registers.
//!
//! Between the layers words are neither masked nor canonical: they stand modulo 2^52 for values in [0, 2^52), and
//! a value is brought down (two multiply-adds) only where its bound would leave that range. The narrower the
//! prime, the rarer.

mod columns;
mod forward;
mod inverse;
mod roots;
mod transpose;

pub(crate) use roots::Roots;

use super::vector::{LANES, Words, load, store};
use crate::{NttTable, scalar};

/// The innermost layers work on blocks of so many words.
const BLOCK: usize = 64;

/// The least ring degree with at least one layer above the blocks; smaller ones take the portable code.
const MIN_DEGREE: usize = 2 * BLOCK;

/// The vectors of an innermost block.
#[inline]
#[target_feature(enable = "avx512f")]
fn load_block(block: &[Words; LANES]) -> roots::Eight {
    let [p0, p1, p2, p3, p4, p5, p6, p7] = block;
    [load(p0), load(p1), load(p2), load(p3), load(p4), load(p5), load(p6), load(p7)]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store_block(block: &mut [Words; LANES], v: &roots::Eight) {
    for (words, &v) in block.iter_mut().zip(v) {
        store(words, v);
    }
}

pub(crate) fn forward(a: &mut [u64], table: &NttTable) {
    assert_eq!(a.len(), table.ring_degree());
    match table.ifma_roots() {
        // SAFETY: the table of this back-end is handed out only after detection.
        Some(roots) => unsafe { forward::transform(a, table.modulus(), roots) },
        None => (scalar::KERNELS.ntt_forward)(a, table),
    }
}

pub(crate) fn inverse(a: &mut [u64], table: &NttTable) {
    assert_eq!(a.len(), table.ring_degree());
    match table.ifma_roots() {
        // SAFETY: the table of this back-end is handed out only after detection.
        Some(roots) => unsafe { inverse::transform(a, table, roots) },
        None => (scalar::KERNELS.ntt_inverse)(a, table),
    }
}
