//! Inverse: Gentleman–Sande butterflies X, Y → X + Y, W·(X − Y + 4K·q).
//!
//! Values are below 4K·q. A sum that could exceed that is corrected at once; products are below 4q.

use std::arch::x86_64::__m512i;

use super::block::{load_block, store_block};
use super::columns::Columns;
use super::factors::Factors;
use super::lazy::{CORRECT, Lazy, is_tight};
use super::transpose::transpose_both;
use crate::NttTable;
use crate::avx512::vector::{Factor, LANES};
use crate::roots::avx512::{BLOCK, Roots, tree_index};

/// The last layer's constants: 1/N and 1/N times the last root.
struct Last {
    sum: Factor,
    difference: Factor,
}

impl Last {
    /// The last butterfly, 1/N included. Out: canonical.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn butterfly(&self, lazy: &Lazy, x: __m512i, y: __m512i) -> (__m512i, __m512i) {
        // The sum is below 8K·q, and any word will do for a factor.
        let (sum, difference) = lazy.sum_and_difference::<{ !CORRECT }>(x, y);
        (lazy.prime.mul(sum, self.sum), lazy.prime.mul(difference, self.difference))
    }
}

/// Butterflies on pairs of the vectors of `v`. A macro, because functions of this size aren't inlined. The last
/// of each tuple says whether its sum is corrected.
macro_rules! butterflies {
    ($lazy:ident, $v:ident, [$(($x:literal, $y:literal, $w:expr, $sum:ident)),+]) => {{
        $(let (x, y) = $lazy.inverse_butterfly::<$sum>($v[$x], $v[$y], $w);
        $v[$x] = x;
        $v[$y] = y;)+
    }};
}

/// Three layers above the leaves of the tree of roots, of each block in turn. Sums of two products of the layer
/// before are corrected only if TIGHT.
macro_rules! three_layers {
    ($lazy:ident, $tight:ident, [$(($v:ident, $root:expr)),+]) => {
        $(butterflies!(
            $lazy,
            $v,
            [
                (0, 1, $root(4), CORRECT),
                (2, 3, $root(5), CORRECT),
                (4, 5, $root(6), CORRECT),
                (6, 7, $root(7), CORRECT)
            ]
        );)+
        $(let (w, z) = ($root(2), $root(3));
        butterflies!(
            $lazy,
            $v,
            [(0, 2, w, CORRECT), (1, 3, w, $tight), (4, 6, z, CORRECT), (5, 7, z, $tight)]
        );)+
        $(let w = $root(1);
        butterflies!(
            $lazy,
            $v,
            [(0, 4, w, CORRECT), (1, 5, w, CORRECT), (2, 6, w, $tight), (3, 7, w, $tight)]
        );)+
    };
}

/// One layer that halves the number of blocks to one, the last of all.
#[target_feature(enable = "avx512f,avx512dq")]
fn last_radix_2(a: &mut [u64], lazy: &Lazy, last: &Last) {
    let mut columns = Columns::<2>::new(a);
    for i in 0..columns.len() {
        let [x, y] = columns.load(i);
        let (x, y) = last.butterfly(lazy, x, y);
        columns.store(i, [x, y]);
    }
}

/// Two layers that divide the number of blocks by four.
#[target_feature(enable = "avx512f,avx512dq")]
fn radix_4<const TIGHT: bool>(a: &mut [u64], blocks: usize, lazy: &Lazy, roots: Factors<'_>) {
    let length = a.len() / blocks;
    for (block, a) in a.chunks_exact_mut(length).enumerate() {
        let root = |node| roots.single(tree_index(blocks + block, node));
        let (w1, w2, w3) = (root(1), root(2), root(3));
        let mut columns = Columns::<4>::new(a);
        for i in 0..columns.len() {
            let mut v = columns.load(i);
            butterflies!(lazy, v, [(0, 1, w2, CORRECT), (2, 3, w3, CORRECT)]);
            butterflies!(lazy, v, [(0, 2, w1, CORRECT), (1, 3, w1, TIGHT)]);
            columns.store(i, v);
        }
    }
}

/// The last two layers, which leave one block.
#[target_feature(enable = "avx512f,avx512dq")]
fn last_radix_4(a: &mut [u64], lazy: &Lazy, roots: Factors<'_>, last: &Last) {
    let (w2, w3) = (roots.single(2), roots.single(3));
    let mut columns = Columns::<4>::new(a);
    for i in 0..columns.len() {
        let mut v = columns.load(i);
        butterflies!(lazy, v, [(0, 1, w2, CORRECT), (2, 3, w3, CORRECT)]);
        let (sums, differences) = (last.butterfly(lazy, v[0], v[2]), last.butterfly(lazy, v[1], v[3]));
        columns.store(i, [sums.0, differences.0, sums.1, differences.1]);
    }
}

/// The first six layers: three between the columns of a block, three between its vectors. In: canonical.
///
/// Two blocks at a time: one alone leaves the ports waiting for its longest chains.
#[target_feature(enable = "avx512f,avx512dq")]
fn innermost<const TIGHT: bool>(a: &mut [u64], lazy: &Lazy, roots: Factors<'_>) {
    let (vectors, _) = a.as_chunks_mut::<LANES>();
    let (blocks, _) = vectors.as_chunks_mut::<LANES>();
    let count = blocks.len();
    let upper = |block| move |node| roots.upper(block, node);
    let lower = |block| move |node| roots.lower(block, node);
    for i in (0..count).step_by(2) {
        let (mut v, mut u) = (load_block(&blocks[i]), load_block(&blocks[i + 1]));
        transpose_both(&mut v, &mut u);
        three_layers!(lazy, TIGHT, [(v, lower(i)), (u, lower(i + 1))]);
        for j in 1..LANES {
            let w = roots.twist(j);
            (v[j], u[j]) = (lazy.prime.mul_lazy(v[j], w), lazy.prime.mul_lazy(u[j], w));
        }
        transpose_both(&mut v, &mut u);
        three_layers!(lazy, TIGHT, [(v, upper(i)), (u, upper(i + 1))]);
        store_block(&mut blocks[i], &v);
        store_block(&mut blocks[i + 1], &u);
    }
}

#[target_feature(enable = "avx512f,avx512dq")]
fn transform_within<const TIGHT: bool>(a: &mut [u64], table: &NttTable, roots: Factors<'_>) {
    let lazy = &Lazy::new(table.modulus());
    let last = &Last {
        sum: Factor::splat(table.degree_inverse),
        difference: Factor::splat(table.last_root_over_degree),
    };
    innermost::<TIGHT>(a, lazy, roots);
    let mut layers = (a.len() / BLOCK).ilog2();
    while layers > 2 {
        layers -= 2;
        radix_4::<TIGHT>(a, 1 << layers, lazy, roots);
    }
    if layers == 1 {
        last_radix_2(a, lazy, last);
    } else {
        last_radix_4(a, lazy, roots, last);
    }
}

/// In and out: canonical. The length is the ring degree of the roots.
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn transform(a: &mut [u64], table: &NttTable, roots: &Roots) {
    if is_tight(table.modulus()) {
        transform_within::<true>(a, table, Factors(&roots.inverse));
    } else {
        transform_within::<false>(a, table, Factors(&roots.inverse));
    }
}
