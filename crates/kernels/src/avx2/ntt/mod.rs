//! Negacyclic NTT in radix-4 passes over memory, the layers of the innermost 16 words in registers.
//!
//! The passes are the same for both kinds of arithmetic, [`floats`] and [`words`].

mod arithmetic;
mod columns;
mod factors;
mod floats;
mod passes;
mod words;

use crate::{Modulus, NttTable, roots::avx2::MAX_FLOAT_BITS, scalar};
use factors::Factors;
use floats::Floats;
use words::WordResidues;

/// Calls `passes::$transform` with the arithmetic that suits the modulus.
macro_rules! transform {
    ($transform:ident, $a:ident, $table:ident, $roots:expr) => {{
        let direction = $roots;
        // SAFETY: the tables of this back-end are handed out only after detection.
        unsafe {
            match $table.modulus().bits() {
                ..=48 => passes::$transform::<Floats<false>>($a, $table, direction),
                ..=MAX_FLOAT_BITS => passes::$transform::<Floats<true>>($a, $table, direction),
                ..Modulus::MAX_BITS => passes::$transform::<WordResidues<false>>($a, $table, direction),
                _ => passes::$transform::<WordResidues<true>>($a, $table, direction),
            }
        }
    }};
}

pub(crate) fn forward(a: &mut [u64], table: &NttTable) {
    assert_eq!(a.len(), table.ring_degree());
    match table.avx2_roots() {
        Some(roots) => transform!(forward, a, table, Factors(&roots.forward)),
        None => (scalar::KERNELS.ntt_forward)(a, table),
    }
}

pub(crate) fn inverse(a: &mut [u64], table: &NttTable) {
    assert_eq!(a.len(), table.ring_degree());
    match table.avx2_roots() {
        Some(roots) => transform!(inverse, a, table, Factors(&roots.inverse)),
        None => (scalar::KERNELS.ntt_inverse)(a, table),
    }
}
