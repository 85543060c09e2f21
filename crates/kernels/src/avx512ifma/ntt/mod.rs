//! Negacyclic NTT in radix-8 passes over memory, the layers of the innermost 64 words in registers.
//!
//! Between the layers words are neither masked nor canonical: a word is known modulo 2^52, for a value in [0, 2^52),
//! and a value is brought down (two multiply-adds) only where its bound would leave that range. The narrower the prime,
//! the rarer this is.

mod forward;
mod inverse;

use crate::{NttTable, scalar};

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
