//! Forward: Cooley–Tukey butterflies X, Y → X + W·Y, X − W·Y.
//!
//! The product lies in [−q, q], so every layer widens the range of the values by q on both sides. Brought down to
//! [K·q, (K+2)·q), a value lasts for K layers if (2K+2)·q ≤ 2^52. Only the X need it: the product brings the Y down.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_setzero_si512,
    _mm512_sub_epi64,
};

use super::super::vector::Prime;
use crate::Modulus;
use crate::avx512::ntt::block::{Eight, load_block, store_block};
use crate::avx512::ntt::columns::Columns;
use crate::avx512::ntt::factors::Factors;
use crate::avx512::ntt::transpose::transpose_between;
use crate::avx512::vector::{Factor, LANES, splat};
use crate::roots::avx512::{BLOCK, Roots, tree_index};

/// `ENTRY` of a layer that leaves its inputs X as they are.
const KEEP: u8 = 0;
/// `ENTRY` of a layer whose inputs X are canonical: K·q is added.
const RAISE: u8 = 1;
/// `ENTRY` of a layer that brings its inputs X down to [K·q, (K+2)·q).
const CORRECT: u8 = 2;

/// The constants of one modulus, with its K.
struct Lazy {
    prime: Prime,
    /// K·q.
    floor: __m512i,
    /// −K.
    negated_k: __m512i,
}

/// K: the number of layers after which values must be brought down.
fn layers_between_corrections(q: &Modulus) -> u32 {
    // From K = 31 on no ring degree needs a correction.
    (1 << (51 - q.bits()).min(5)) - 1
}

impl Lazy {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn new(q: &Modulus) -> Self {
        let k = u64::from(layers_between_corrections(q));
        Self { prime: Prime::new(q), floor: splat(k * q.value()), negated_k: splat(k.wrapping_neg()) }
    }

    /// The inputs X of a layer, prepared as `ENTRY` says.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn prepared<const ENTRY: u8>(&self, x: __m512i) -> __m512i {
        match ENTRY {
            RAISE => _mm512_add_epi64(x, self.floor),
            CORRECT => {
                let quotient = _mm512_madd52hi_epu64(self.negated_k, x, self.prime.ratio);
                _mm512_madd52lo_epu64(x, quotient, self.prime.negated)
            }
            _ => x,
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn butterfly<const ENTRY: u8>(&self, x: __m512i, y: __m512i, w: Factor) -> (__m512i, __m512i) {
        let negated = self.prime.negated;
        let x = self.prepared::<ENTRY>(x);
        let quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), y, w.quotient);
        let product = _mm512_madd52lo_epu64(negated, y, w.value);
        let product = _mm512_madd52lo_epu64(product, quotient, negated);
        (_mm512_add_epi64(x, product), _mm512_sub_epi64(x, product))
    }

    /// y·w, in [K·q, (K+2)·q).
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn product(&self, y: __m512i, w: Factor) -> __m512i {
        self.prime.mul_add_lazy(self.floor, y, w)
    }

    /// Canonical residues. In: values below 2^52, known modulo 2^52.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn make_canonical(&self, v: &mut Eight) {
        for v in v {
            *v = self.prime.below_double(self.prime.masked(self.prime.corrected(*v)));
        }
    }
}

/// Butterflies on pairs of the vectors of `v`. A macro, like those below, because functions of this size aren't
/// inlined.
macro_rules! butterflies {
    ($lazy:ident, $entry:ident, $v:ident, [$(($x:literal, $y:literal, $w:expr)),+]) => {{
        $(let (x, y) = $lazy.butterfly::<$entry>($v[$x], $v[$y], $w);
        $v[$x] = x;
        $v[$y] = y;)+
    }};
}

/// The first layer of three below a node of the tree of roots.
macro_rules! first_layer {
    ($lazy:ident, $entry:ident, $v:ident, $root:expr) => {{
        let w = $root(1);
        butterflies!($lazy, $entry, $v, [(0, 4, w), (1, 5, w), (2, 6, w), (3, 7, w)]);
    }};
}

macro_rules! second_layer {
    ($lazy:ident, $entry:ident, $v:ident, $root:expr) => {{
        let (w, z) = ($root(2), $root(3));
        butterflies!($lazy, $entry, $v, [(0, 2, w), (1, 3, w), (4, 6, z), (5, 7, z)]);
    }};
}

macro_rules! third_layer {
    ($lazy:ident, $entry:ident, $v:ident, $root:expr) => {{
        butterflies!(
            $lazy,
            $entry,
            $v,
            [(0, 1, $root(4)), (2, 3, $root(5)), (4, 5, $root(6)), (6, 7, $root(7))]
        );
    }};
}

/// One layer that doubles the number of blocks.
#[target_feature(enable = "avx512f,avx512ifma")]
fn radix_2<const ENTRY: u8>(a: &mut [u64], blocks: usize, lazy: &Lazy, roots: Factors<'_>) {
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

/// Two layers that multiply the number of blocks by four; `ENTRY` is that of the first layer, here and below.
#[target_feature(enable = "avx512f,avx512ifma")]
fn radix_4<const ENTRY: u8, const INNER: u8>(a: &mut [u64], blocks: usize, lazy: &Lazy, roots: Factors<'_>) {
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

/// Three layers that multiply the number of blocks by eight.
#[target_feature(enable = "avx512f,avx512ifma")]
fn radix_8<const ENTRY: u8, const INNER: u8>(a: &mut [u64], blocks: usize, lazy: &Lazy, roots: Factors<'_>) {
    let length = a.len() / blocks;
    for (block, a) in a.chunks_exact_mut(length).enumerate() {
        let root = |node| roots.single(tree_index(blocks + block, node));
        let (w1, w2, w3) = (root(1), root(2), root(3));
        let (w4, w5, w6, w7) = (root(4), root(5), root(6), root(7));
        let mut columns = Columns::<8>::new(a);
        for i in 0..columns.len() {
            let mut v = columns.load(i);
            butterflies!(lazy, ENTRY, v, [(0, 4, w1), (1, 5, w1), (2, 6, w1), (3, 7, w1)]);
            butterflies!(lazy, INNER, v, [(0, 2, w2), (1, 3, w2), (4, 6, w3), (5, 7, w3)]);
            butterflies!(lazy, INNER, v, [(0, 1, w4), (2, 3, w5), (4, 5, w6), (6, 7, w7)]);
            columns.store(i, v);
        }
    }
}

/// Vectors 1 to 7 times the powers of the twist, and vector 0 prepared as `MIDDLE` says.
macro_rules! twist {
    ($lazy:ident, $middle:ident, $v:ident, $roots:ident, [$($j:literal),+]) => {
        $v[0] = $lazy.prepared::<$middle>($v[0]);
        $($v[$j] = $lazy.product($v[$j], $roots.twist($j));)+
    };
}

/// The last six layers: three between the vectors of a block, three between its columns. Out: canonical.
///
/// Two blocks at a time, a stage apart: while one is transposed, the other one is multiplied.
#[target_feature(enable = "avx512f,avx512ifma")]
fn innermost<const ENTRY: u8, const MIDDLE: u8, const INNER: u8>(
    a: &mut [u64],
    lazy: &Lazy,
    roots: Factors<'_>,
) {
    let (vectors, _) = a.as_chunks_mut::<LANES>();
    let (blocks, _) = vectors.as_chunks_mut::<LANES>();
    let count = blocks.len();
    let upper = |block| move |node| roots.upper(block, node);
    let lower = |block| move |node| roots.lower(block, node);

    let mut u = load_block(&blocks[0]);
    for i in (0..count).step_by(2) {
        let mut v = load_block(&blocks[i]);
        transpose_between!(
            u,
            { first_layer!(lazy, ENTRY, v, upper(i)) },
            { second_layer!(lazy, INNER, v, upper(i)) },
            { third_layer!(lazy, INNER, v, upper(i)) }
        );
        if i > 0 {
            store_block(&mut blocks[i - 1], &u);
        }
        u = load_block(&blocks[i + 1]);
        transpose_between!(
            v,
            { first_layer!(lazy, ENTRY, u, upper(i + 1)) },
            { second_layer!(lazy, INNER, u, upper(i + 1)) },
            { third_layer!(lazy, INNER, u, upper(i + 1)) }
        );
        twist!(lazy, MIDDLE, v, roots, [1, 2, 3, 4, 5, 6, 7]);
        transpose_between!(
            u,
            { first_layer!(lazy, KEEP, v, lower(i)) },
            { second_layer!(lazy, INNER, v, lower(i)) },
            { third_layer!(lazy, INNER, v, lower(i)) }
        );
        lazy.make_canonical(&mut v);
        twist!(lazy, MIDDLE, u, roots, [1, 2, 3, 4, 5, 6, 7]);
        transpose_between!(
            v,
            { first_layer!(lazy, KEEP, u, lower(i + 1)) },
            { second_layer!(lazy, INNER, u, lower(i + 1)) },
            { third_layer!(lazy, INNER, u, lower(i + 1)) }
        );
        store_block(&mut blocks[i], &v);
        lazy.make_canonical(&mut u);
    }
    transpose_between!(u, {}, {}, {});
    store_block(&mut blocks[count - 1], &u);
}

/// In and out: canonical. The length is the ring degree of the roots.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn transform(a: &mut [u64], q: &Modulus, roots: &Roots) {
    let (lazy, roots) = (&Lazy::new(q), Factors(&roots.forward));
    let k = layers_between_corrections(q);
    let mut layers = (a.len() / BLOCK).ilog2();
    let (mut blocks, mut left) = (1, 0);
    while layers > 0 {
        let step = match layers {
            1 => 1,
            2 | 4 => 2,
            _ => 3,
        };
        let first = blocks == 1;
        let correct = left < step;
        match (step, k == 1, first, correct) {
            (1, ..) => radix_2::<RAISE>(a, blocks, lazy, roots),
            (2, true, true, _) => radix_4::<RAISE, CORRECT>(a, blocks, lazy, roots),
            (2, true, ..) => radix_4::<CORRECT, CORRECT>(a, blocks, lazy, roots),
            (2, _, true, _) => radix_4::<RAISE, KEEP>(a, blocks, lazy, roots),
            (2, _, _, true) => radix_4::<CORRECT, KEEP>(a, blocks, lazy, roots),
            (2, ..) => radix_4::<KEEP, KEEP>(a, blocks, lazy, roots),
            (_, true, true, _) => radix_8::<RAISE, CORRECT>(a, blocks, lazy, roots),
            (_, true, ..) => radix_8::<CORRECT, CORRECT>(a, blocks, lazy, roots),
            (_, _, true, _) => radix_8::<RAISE, KEEP>(a, blocks, lazy, roots),
            (_, _, _, true) => radix_8::<CORRECT, KEEP>(a, blocks, lazy, roots),
            _ => radix_8::<KEEP, KEEP>(a, blocks, lazy, roots),
        }
        // A value lasts for k layers from the pass that raised or corrected it.
        left = if first || correct { k } else { left }.saturating_sub(step);
        blocks <<= step;
        layers -= step;
    }
    match (k, left) {
        (1, _) => innermost::<CORRECT, CORRECT, CORRECT>(a, lazy, roots),
        (3, 3..) => innermost::<KEEP, CORRECT, KEEP>(a, lazy, roots),
        (3, _) => innermost::<CORRECT, CORRECT, KEEP>(a, lazy, roots),
        (_, 6..) => innermost::<KEEP, KEEP, KEEP>(a, lazy, roots),
        (_, 3..) => innermost::<KEEP, CORRECT, KEEP>(a, lazy, roots),
        _ => innermost::<CORRECT, KEEP, KEEP>(a, lazy, roots),
    }
}
