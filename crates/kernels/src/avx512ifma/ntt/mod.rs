//! Negacyclic NTT in radix-8 passes over memory, the layers of the innermost 64 words in registers.
//!
//! Between the layers words are neither masked nor canonical: they stand modulo 2^52 for values in [0, 2^52), and
//! a value is brought down (two multiply-adds) only where its bound would leave that range. The narrower the
//! prime, the rarer.

mod forward;
mod inverse;
mod roots;
mod transpose;

pub(crate) use roots::Roots;

use super::vector::{LANES, Words};
use crate::{NttTable, scalar};

/// The innermost layers work on blocks of so many words.
const BLOCK: usize = 64;

/// The least ring degree with at least one layer above the blocks; smaller ones take the portable code.
const MIN_DEGREE: usize = 2 * BLOCK;

/// Splits the vectors of a block into equal parts.
#[inline]
fn parts<const P: usize>(block: &mut [u64]) -> [&mut [Words]; P] {
    let (vectors, _) = block.as_chunks_mut::<LANES>();
    let mut parts = vectors.chunks_exact_mut(vectors.len() / P);
    std::array::from_fn(|_| parts.next().expect("a block has at least a vector for each part"))
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
