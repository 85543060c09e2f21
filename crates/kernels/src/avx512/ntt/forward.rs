//! Forward: Cooley–Tukey butterflies X, Y → X + W·Y, X − W·Y + 4q.
//!
//! Every layer adds less than 4q to the bound of the values. Only the X are corrected: any word will do for the Y.

use super::block::{load_block, store_block};
use super::columns::Columns;
use super::factors::Factors;
use super::lazy::{CORRECT, KEEP, Lazy, is_tight};
use super::transpose::transpose_both;
use crate::Modulus;
use crate::avx512::vector::LANES;
use crate::roots::avx512::{BLOCK, Roots, tree_index};

/// Butterflies on pairs of the vectors of `v`. A macro, because functions of this size aren't inlined.
macro_rules! butterflies {
    ($lazy:ident, $entry:ident, $v:ident, [$(($x:literal, $y:literal, $w:expr)),+]) => {{
        $(let (x, y) = $lazy.butterfly::<$entry>($v[$x], $v[$y], $w);
        $v[$x] = x;
        $v[$y] = y;)+
    }};
}

/// Three layers below a node of the tree of roots, with the entries given, of each block in turn.
macro_rules! three_layers {
    ($lazy:ident, [$first:ident, $second:ident, $third:ident], [$(($v:ident, $root:expr)),+]) => {
        $(let w = $root(1);
        butterflies!($lazy, $first, $v, [(0, 4, w), (1, 5, w), (2, 6, w), (3, 7, w)]);)+
        $(let (w, z) = ($root(2), $root(3));
        butterflies!($lazy, $second, $v, [(0, 2, w), (1, 3, w), (4, 6, z), (5, 7, z)]);)+
        $(butterflies!(
            $lazy,
            $third,
            $v,
            [(0, 1, $root(4)), (2, 3, $root(5)), (4, 5, $root(6)), (6, 7, $root(7))]
        );)+
    };
}

/// One layer that doubles the number of blocks.
#[target_feature(enable = "avx512f,avx512dq")]
fn radix_2<const ENTRY: bool>(a: &mut [u64], blocks: usize, lazy: &Lazy, roots: Factors<'_>) {
    let length = a.len() / blocks;
    for (block, a) in a.chunks_exact_mut(length).enumerate() {
        let w = roots.single(blocks + block);
        let mut columns = Columns::<2>::new(a);
        for i in 0..columns.len() {
            let mut v = columns.load(i);
            butterflies!(lazy, ENTRY, v, [(0, 1, w)]);
            columns.store(i, v);
        }
    }
}

/// Two layers that multiply the number of blocks by four; the first of them with `ENTRY`.
#[target_feature(enable = "avx512f,avx512dq")]
fn radix_4<const ENTRY: bool, const INNER: bool>(
    a: &mut [u64],
    blocks: usize,
    lazy: &Lazy,
    roots: Factors<'_>,
) {
    let length = a.len() / blocks;
    for (block, a) in a.chunks_exact_mut(length).enumerate() {
        let root = |node| roots.single(tree_index(blocks + block, node));
        let (w1, w2, w3) = (root(1), root(2), root(3));
        let mut columns = Columns::<4>::new(a);
        for i in 0..columns.len() {
            let mut v = columns.load(i);
            butterflies!(lazy, ENTRY, v, [(0, 2, w1), (1, 3, w1)]);
            butterflies!(lazy, INNER, v, [(0, 1, w2), (2, 3, w3)]);
            columns.store(i, v);
        }
    }
}

/// The last six layers: three between the vectors of a block, three between its columns. Out: canonical.
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
        three_layers!(lazy, [CORRECT, TIGHT, CORRECT], [(v, upper(i)), (u, upper(i + 1))]);
        transpose_both(&mut v, &mut u);
        lazy.twist(&mut v, roots);
        lazy.twist(&mut u, roots);
        three_layers!(lazy, [KEEP, TIGHT, CORRECT], [(v, lower(i)), (u, lower(i + 1))]);
        lazy.make_canonical::<TIGHT>(&mut v);
        lazy.make_canonical::<TIGHT>(&mut u);
        transpose_both(&mut v, &mut u);
        store_block(&mut blocks[i], &v);
        store_block(&mut blocks[i + 1], &u);
    }
}

#[target_feature(enable = "avx512f,avx512dq")]
fn transform_within<const TIGHT: bool>(a: &mut [u64], q: &Modulus, roots: Factors<'_>) {
    let lazy = &Lazy::new(q);
    let mut layers = (a.len() / BLOCK).ilog2();
    let mut blocks = 1;
    while layers > 0 {
        let step = if layers.is_multiple_of(2) { 2 } else { 1 };
        match (step, blocks) {
            (1, _) => radix_2::<KEEP>(a, blocks, lazy, roots),
            (_, 1) => radix_4::<KEEP, TIGHT>(a, blocks, lazy, roots),
            (_, _) => radix_4::<CORRECT, TIGHT>(a, blocks, lazy, roots),
        }
        blocks <<= step;
        layers -= step;
    }
    innermost::<TIGHT>(a, lazy, roots);
}

/// In and out: canonical. The length is the ring degree of the roots.
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn transform(a: &mut [u64], q: &Modulus, roots: &Roots) {
    // A word that is corrected before every layer is corrected before every second one, too: TIGHT says whether
    // the layers between correct as well.
    if is_tight(q) {
        transform_within::<true>(a, q, Factors(&roots.forward));
    } else {
        transform_within::<false>(a, q, Factors(&roots.forward));
    }
}
