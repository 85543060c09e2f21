//! The passes of both directions.

use std::arch::x86_64::{_mm256_permute2x128_si256, _mm256_unpackhi_epi64, _mm256_unpacklo_epi64};

use super::arithmetic::{Arithmetic, Four};
use super::columns::Columns;
use super::factors::Factors;
use crate::NttTable;
use crate::avx2::vector::{LANES, Words, load, store};
use crate::roots::avx2::BLOCK;

/// Word j of vector i becomes word i of vector j.
#[inline]
#[target_feature(enable = "avx2")]
fn transposed([a, b, c, d]: Four) -> Four {
    let (ab_even, ab_odd) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    let (cd_even, cd_odd) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
    [
        _mm256_permute2x128_si256::<0x20>(ab_even, cd_even),
        _mm256_permute2x128_si256::<0x20>(ab_odd, cd_odd),
        _mm256_permute2x128_si256::<0x31>(ab_even, cd_even),
        _mm256_permute2x128_si256::<0x31>(ab_odd, cd_odd),
    ]
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_block([a, b, c, d]: &[Words; LANES]) -> Four {
    [load(a), load(b), load(c), load(d)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn store_block(block: &mut [Words; LANES], v: Four) {
    for (words, v) in block.iter_mut().zip(v) {
        store(words, v);
    }
}

/// Without closures, as in the arithmetic.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn enter<A: Arithmetic>(arithmetic: A, [a, b, c, d]: Four) -> Four {
    // SAFETY: this function enables what the arithmetic needs.
    unsafe { [arithmetic.enter(a), arithmetic.enter(b), arithmetic.enter(c), arithmetic.enter(d)] }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn leave<A: Arithmetic>(arithmetic: A, [a, b, c, d]: Four) -> Four {
    // SAFETY: this function enables what the arithmetic needs.
    unsafe { [arithmetic.leave(a), arithmetic.leave(b), arithmetic.leave(c), arithmetic.leave(d)] }
}

/// The first layer alone, from canonical words.
#[target_feature(enable = "avx2,fma")]
fn first_one<A: Arithmetic>(a: &mut [u64], arithmetic: A, roots: Factors<'_>) {
    let w = roots.single(1);
    let mut columns = Columns::<2>::new(a);
    for i in 0..columns.len() {
        let [x, y] = columns.load(i);
        // SAFETY: this function enables what the arithmetic needs.
        columns.store(i, unsafe { arithmetic.forward_one([arithmetic.enter(x), arithmetic.enter(y)], w) });
    }
}

/// The first two layers, from canonical words.
#[target_feature(enable = "avx2,fma")]
fn first_two<A: Arithmetic>(a: &mut [u64], arithmetic: A, roots: Factors<'_>) {
    let w = roots.singles(1);
    let mut columns = Columns::<4>::new(a);
    for i in 0..columns.len() {
        let [x, y, z, u] = columns.load(i);
        // SAFETY: this function enables what the arithmetic needs.
        columns.store(i, unsafe {
            let entered =
                [arithmetic.enter(x), arithmetic.enter(y), arithmetic.enter(z), arithmetic.enter(u)];
            arithmetic.forward_two::<false>(entered, w)
        });
    }
}

/// Two layers that multiply the number of blocks by four.
#[target_feature(enable = "avx2,fma")]
fn middle_two<A: Arithmetic, const CORRECT: bool>(
    a: &mut [u64],
    blocks: usize,
    arithmetic: A,
    roots: Factors<'_>,
) {
    let length = a.len() / blocks;
    for (block, a) in a.chunks_exact_mut(length).enumerate() {
        let w = roots.singles(blocks + block);
        let mut columns = Columns::<4>::new(a);
        for i in 0..columns.len() {
            // SAFETY: this function enables what the arithmetic needs.
            columns.store(i, unsafe { arithmetic.forward_two::<CORRECT>(columns.load(i), w) });
        }
    }
}

/// The last four layers: two between the vectors of a block, two between its columns. Out: canonical.
#[target_feature(enable = "avx2,fma")]
fn innermost<A: Arithmetic, const CORRECT: bool, const BETWEEN: bool>(
    a: &mut [u64],
    arithmetic: A,
    roots: Factors<'_>,
) {
    let (vectors, _) = a.as_chunks_mut::<LANES>();
    let (blocks, _) = vectors.as_chunks_mut::<LANES>();
    let count = blocks.len();
    let (pairs, _) = blocks.as_chunks_mut::<2>();
    for (i, [one, other]) in pairs.iter_mut().enumerate() {
        let (i, j) = (2 * i, 2 * i + 1);
        // SAFETY: this function enables what the arithmetic needs.
        let (v, u) = unsafe {
            let upper = [roots.singles(count + i), roots.singles(count + j)];
            let [v, u] = arithmetic.forward_two_pair::<CORRECT>([load_block(one), load_block(other)], &upper);
            let lower = [roots.lanes(i), roots.lanes(j)];
            let [v, u] = arithmetic.forward_two_pair::<BETWEEN>([transposed(v), transposed(u)], &lower);
            (leave(arithmetic, v), leave(arithmetic, u))
        };
        store_block(one, transposed(v));
        store_block(other, transposed(u));
    }
}

/// In and out: canonical. The table has [`NttTable::avx2_roots`].
#[target_feature(enable = "avx2,fma")]
pub(super) fn forward<A: Arithmetic>(a: &mut [u64], table: &NttTable, roots: Factors<'_>) {
    // SAFETY: this function enables what the arithmetic needs.
    let arithmetic = unsafe { A::new(table) };
    let mut layers = (a.len() / BLOCK).ilog2();
    let mut blocks = 1;
    let mut left = A::LAYERS;
    while layers > 0 {
        let step = if layers.is_multiple_of(2) { 2 } else { 1 };
        match (step, blocks, left >= 2) {
            (1, ..) => first_one(a, arithmetic, roots),
            (_, 1, _) => first_two(a, arithmetic, roots),
            (_, _, true) => middle_two::<A, false>(a, blocks, arithmetic, roots),
            (_, _, false) => {
                left = A::LAYERS;
                middle_two::<A, true>(a, blocks, arithmetic, roots);
            }
        }
        left = left.saturating_sub(step);
        blocks <<= step;
        layers -= step;
    }
    match (left >= 4, A::LAYERS >= 4) {
        (true, _) => innermost::<A, false, false>(a, arithmetic, roots),
        (_, true) => innermost::<A, true, false>(a, arithmetic, roots),
        _ => innermost::<A, true, true>(a, arithmetic, roots),
    }
}

/// The first four inverse layers: two between the columns of a block, two between its vectors. In: canonical.
#[target_feature(enable = "avx2,fma")]
fn innermost_inverse<A: Arithmetic>(a: &mut [u64], arithmetic: A, roots: Factors<'_>) {
    let (vectors, _) = a.as_chunks_mut::<LANES>();
    let (blocks, _) = vectors.as_chunks_mut::<LANES>();
    let count = blocks.len();
    let (pairs, _) = blocks.as_chunks_mut::<2>();
    for (i, [one, other]) in pairs.iter_mut().enumerate() {
        let (i, j) = (2 * i, 2 * i + 1);
        let (v, u) = (transposed(load_block(one)), transposed(load_block(other)));
        // SAFETY: this function enables what the arithmetic needs.
        let [v, u] = unsafe {
            let entered = [enter(arithmetic, v), enter(arithmetic, u)];
            let [v, u] = arithmetic.inverse_two_pair(entered, &[roots.lanes(i), roots.lanes(j)]);
            let upper = [roots.singles(count + i), roots.singles(count + j)];
            arithmetic.inverse_two_pair([transposed(v), transposed(u)], &upper)
        };
        store_block(one, v);
        store_block(other, u);
    }
}

/// Two layers that divide the number of blocks by four.
#[target_feature(enable = "avx2,fma")]
fn middle_two_inverse<A: Arithmetic>(a: &mut [u64], blocks: usize, arithmetic: A, roots: Factors<'_>) {
    let length = a.len() / blocks;
    for (block, a) in a.chunks_exact_mut(length).enumerate() {
        let w = roots.singles(blocks + block);
        let mut columns = Columns::<4>::new(a);
        for i in 0..columns.len() {
            // SAFETY: this function enables what the arithmetic needs.
            columns.store(i, unsafe { arithmetic.inverse_two(columns.load(i), w) });
        }
    }
}

/// In and out: canonical. The table has [`NttTable::avx2_roots`].
#[target_feature(enable = "avx2,fma")]
pub(super) fn inverse<A: Arithmetic>(a: &mut [u64], table: &NttTable, roots: Factors<'_>) {
    // SAFETY (here and below): this function enables what the arithmetic needs.
    let arithmetic = unsafe { A::new(table) };
    innermost_inverse(a, arithmetic, roots);
    let mut layers = (a.len() / BLOCK).ilog2();
    while layers > 2 {
        layers -= 2;
        middle_two_inverse(a, 1 << layers, arithmetic, roots);
    }
    if layers == 1 {
        let mut columns = Columns::<2>::new(a);
        for i in 0..columns.len() {
            columns.store(i, unsafe { arithmetic.last_one(columns.load(i)) });
        }
    } else {
        let w = roots.singles(1);
        let mut columns = Columns::<4>::new(a);
        for i in 0..columns.len() {
            columns.store(i, unsafe { arithmetic.last_two(columns.load(i), w) });
        }
    }
}
