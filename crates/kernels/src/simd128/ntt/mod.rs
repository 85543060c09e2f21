//! Negacyclic NTT in radix-4 passes over memory, the last two or three layers in registers.
//!
//! The passes are the same for both kinds of arithmetic, [`floats`] and [`words`].

mod arithmetic;
mod columns;
mod floats;
mod passes;
mod words;

use crate::{Modulus, NttTable, roots::simd128::MAX_FLOAT_BITS, scalar};
use floats::Floats;
use words::WordResidues;

/// The least ring degree with a radix-4 pass; smaller ones take the portable code.
const MIN_DEGREE: usize = 16;

/// Calls `passes::$transform` with the arithmetic that suits the modulus.
macro_rules! transform {
    ($transform:ident, $a:ident, $table:ident) => {{
        let roots = &$table.simd128_roots().$transform;
        match $table.modulus().bits() {
            ..=floats::MAX_LAZY_BITS => passes::$transform::<Floats<false>>($a, $table, roots),
            ..=MAX_FLOAT_BITS => passes::$transform::<Floats<true>>($a, $table, roots),
            ..Modulus::MAX_BITS => passes::$transform::<WordResidues<false>>($a, $table, roots),
            _ => passes::$transform::<WordResidues<true>>($a, $table, roots),
        }
    }};
}

pub(crate) fn forward(a: &mut [u64], table: &NttTable) {
    assert_eq!(a.len(), table.ring_degree());
    if a.len() < MIN_DEGREE {
        return (scalar::KERNELS.ntt_forward)(a, table);
    }
    transform!(forward, a, table);
}

pub(crate) fn inverse(a: &mut [u64], table: &NttTable) {
    assert_eq!(a.len(), table.ring_degree());
    if a.len() < MIN_DEGREE {
        return (scalar::KERNELS.ntt_inverse)(a, table);
    }
    transform!(inverse, a, table);
}
