//! Negacyclic NTT in radix-4 passes over memory, the layers of the innermost 64 words in registers.

pub(crate) mod block;
pub(crate) mod columns;
pub(crate) mod factors;
mod forward;
mod inverse;
mod lazy;
pub(crate) mod transpose;

use crate::{NttTable, scalar};

pub(crate) fn forward(a: &mut [u64], table: &NttTable) {
    assert_eq!(a.len(), table.ring_degree());
    match table.avx512_roots() {
        // SAFETY: the table of this back-end is handed out only after detection.
        Some(roots) => unsafe { forward::transform(a, table.modulus(), roots) },
        None => (scalar::KERNELS.ntt_forward)(a, table),
    }
}

pub(crate) fn inverse(a: &mut [u64], table: &NttTable) {
    assert_eq!(a.len(), table.ring_degree());
    match table.avx512_roots() {
        // SAFETY: the table of this back-end is handed out only after detection.
        Some(roots) => unsafe { inverse::transform(a, table, roots) },
        None => (scalar::KERNELS.ntt_inverse)(a, table),
    }
}
