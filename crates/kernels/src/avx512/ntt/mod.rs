//! Negacyclic NTT in radix-4 passes over memory, the layers of the innermost 64 words in registers.

pub(crate) mod columns;
mod forward;
mod inverse;
pub(crate) mod roots;
pub(crate) mod transpose;

use roots::Eight;

use super::vector::{LANES, Words, load, splat, store};
use crate::{Modulus, NttTable, scalar};

/// Words in a block of the innermost layers.
pub(crate) const BLOCK: usize = 64;

/// The least ring degree with at least one layer above the blocks; smaller ones take the portable code.
pub(crate) const MIN_DEGREE: usize = 2 * BLOCK;

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

/// How the values of a transform are kept in words.
///
/// Products are below 4q. A value lasts for K layers between corrections, K = 1 for moduli of 61 bits and K = 2
/// for narrower ones: it's below 8K·q, and a correction brings it below 4K·q.
struct Lazy {
    prime: super::vector::Prime,
    /// 4K·q.
    half_range: std::arch::x86_64::__m512i,
}

/// Whether K = 1.
fn is_tight(q: &Modulus) -> bool {
    q.bits() == Modulus::MAX_BITS
}

impl Lazy {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn new(q: &Modulus) -> Self {
        let k = if is_tight(q) { 1 } else { 2 };
        Self { prime: super::vector::Prime::new(q), half_range: splat(4 * k * q.value()) }
    }
}

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
