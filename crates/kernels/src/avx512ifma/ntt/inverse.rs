//! Inverse: Gentleman–Sande butterflies X, Y → X + Y, W·(X − Y).
//!
//! Every value carries a bound in units of q, known to the compiler. Sums double it, products bring it down to 2,
//! and a value is brought down where the next sum or difference would leave [0, LIMIT·q), LIMIT·q ≤ 2^52.

use std::arch::x86_64::{__m512i, _mm512_add_epi64, _mm512_setzero_si512, _mm512_sub_epi64};

use super::super::vector::{Prime, factor};
use crate::avx512::ntt::block::{Eight, load_block, store_block};
use crate::avx512::ntt::columns::Columns;
use crate::avx512::ntt::factors::Factors;
use crate::avx512::ntt::transpose::transpose_between;
use crate::avx512::vector::{Factor, LANES, splat};
use crate::roots::avx512::{BLOCK, Roots, tree_index};
use crate::{Modulus, NttTable};

/// A value in [0, bound·q), modulo 2^52.
#[derive(Clone, Copy)]
struct Bounded {
    value: __m512i,
    bound: u32,
}

/// The constants of one modulus.
struct Lazy {
    prime: Prime,
    /// q, 2q, 4q … 32q.
    multiples: [__m512i; 6],
    /// 1/N and 1/N times the last root.
    last_sum: Factor,
    last_difference: Factor,
}

/// The bound of the values between passes, in units of q: the greatest from which a pass needs the fewest corrections.
const fn bound_between_passes(limit: u32) -> u32 {
    match limit {
        4 => 2,
        8 | 16 | 32 => 4,
        _ => 8,
    }
}

/// The greatest power of two of at most 64 whose product with q is at most 2^52.
fn limit(q: &Modulus) -> u32 {
    1 << (52 - q.bits()).min(6)
}

impl Lazy {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn new(table: &NttTable) -> Self {
        let q = table.modulus();
        let multiple = |log2: u32| splat(q.value() << log2);
        Self {
            prime: Prime::new(q),
            multiples: [multiple(0), multiple(1), multiple(2), multiple(3), multiple(4), multiple(5)],
            last_sum: factor(table.degree_inverse),
            last_difference: factor(table.last_root_over_degree),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn corrected(&self, a: Bounded) -> Bounded {
        if a.bound <= 2 { a } else { Bounded { value: self.prime.corrected(a.value), bound: 2 } }
    }

    /// X + Y and X − Y with a multiple of q, after corrections where they're needed.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn sum_and_difference<const LIMIT: u32>(&self, x: Bounded, y: Bounded) -> (Bounded, __m512i) {
        let (x, y) = if x.bound + y.bound.next_power_of_two() > LIMIT {
            (self.corrected(x), self.corrected(y))
        } else {
            (x, y)
        };
        let offset = self.multiples[y.bound.next_power_of_two().ilog2() as usize];
        let difference = _mm512_sub_epi64(_mm512_add_epi64(x.value, offset), y.value);
        (Bounded { value: _mm512_add_epi64(x.value, y.value), bound: x.bound + y.bound }, difference)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn butterfly<const LIMIT: u32>(&self, x: Bounded, y: Bounded, w: Factor) -> (Bounded, Bounded) {
        let (sum, difference) = self.sum_and_difference::<LIMIT>(x, y);
        (sum, self.product(Bounded { value: difference, bound: LIMIT }, w))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn product(&self, y: Bounded, w: Factor) -> Bounded {
        Bounded { value: self.prime.mul_add_lazy(_mm512_setzero_si512(), y.value, w), bound: 2 }
    }

    /// The last butterfly, 1/N included. Out: canonical.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn last_butterfly<const LIMIT: u32>(&self, x: Bounded, y: Bounded) -> (Bounded, Bounded) {
        let (sum, difference) = self.sum_and_difference::<LIMIT>(x, y);
        let x = Bounded { value: self.prime.mul(sum.value, self.last_sum), bound: 1 };
        (x, Bounded { value: self.prime.mul(difference, self.last_difference), bound: 1 })
    }

    /// Brings values down to the bound between passes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn settled<const LIMIT: u32, const P: usize>(&self, v: [Bounded; P]) -> [__m512i; P] {
        let mut values = [_mm512_setzero_si512(); P];
        for i in 0..P {
            let is_above = v[i].bound > bound_between_passes(LIMIT);
            values[i] = if is_above { self.corrected(v[i]).value } else { v[i].value };
        }
        values
    }
}

/// Values of one bound. A loop, as in [`Lazy::settled`]: where a crate is compiled in parts, closures of `map` aren't inlined.
#[inline]
#[target_feature(enable = "avx512f")]
fn of_bound<const P: usize>(v: [__m512i; P], bound: u32) -> [Bounded; P] {
    let mut values = [Bounded { value: v[0], bound }; P];
    for i in 1..P {
        values[i].value = v[i];
    }
    values
}

#[inline]
#[target_feature(enable = "avx512f")]
fn canonical(v: &Eight) -> [Bounded; 8] {
    of_bound(*v, 1)
}

/// The values that the previous pass left, with the bound between passes.
#[inline]
#[target_feature(enable = "avx512f")]
fn bounded<const LIMIT: u32, const P: usize>(v: [__m512i; P]) -> [Bounded; P] {
    of_bound(v, bound_between_passes(LIMIT))
}

/// Butterflies on pairs of the vectors of `v`. A macro, like those below, because functions of this size aren't
/// inlined, and the compiler must see the bounds.
macro_rules! butterflies {
    ($lazy:ident, $limit:ident, $v:ident, [$(($x:literal, $y:literal, $w:expr)),+]) => {
        $(let (x, y) = $lazy.butterfly::<$limit>($v[$x], $v[$y], $w);
        $v[$x] = x;
        $v[$y] = y;)+
    };
}

/// The first layer of three above the leaves of the tree of roots.
macro_rules! first_layer {
    ($lazy:ident, $limit:ident, $v:ident, $root:expr) => {{
        butterflies!(
            $lazy,
            $limit,
            $v,
            [(0, 1, $root(4)), (2, 3, $root(5)), (4, 5, $root(6)), (6, 7, $root(7))]
        );
    }};
}

macro_rules! second_layer {
    ($lazy:ident, $limit:ident, $v:ident, $root:expr) => {{
        let (w, z) = ($root(2), $root(3));
        butterflies!($lazy, $limit, $v, [(0, 2, w), (1, 3, w), (4, 6, z), (5, 7, z)]);
    }};
}

macro_rules! third_layer {
    ($lazy:ident, $limit:ident, $v:ident, $root:expr) => {{
        let w = $root(1);
        butterflies!($lazy, $limit, $v, [(0, 4, w), (1, 5, w), (2, 6, w), (3, 7, w)]);
    }};
}

/// Vectors 1 to 7 times the powers of the twist.
macro_rules! twist {
    ($lazy:ident, $v:ident, $roots:ident, [$($j:literal),+]) => {
        $($v[$j] = $lazy.product($v[$j], $roots.twist($j));)+
    };
}

macro_rules! last_butterflies {
    ($lazy:ident, $limit:ident, $v:ident, [$(($x:literal, $y:literal)),+]) => {
        $(let (x, y) = $lazy.last_butterfly::<$limit>($v[$x], $v[$y]);
        $v[$x] = x;
        $v[$y] = y;)+
    };
}

/// One layer that halves the number of blocks. Here and below: the last of all if `LAST`.
#[target_feature(enable = "avx512f,avx512ifma")]
fn radix_2<const LIMIT: u32, const LAST: bool>(
    a: &mut [u64],
    blocks: usize,
    lazy: &Lazy,
    roots: Factors<'_>,
) {
    let length = a.len() / blocks;
    for (block, a) in a.chunks_exact_mut(length).enumerate() {
        let w = roots.single(blocks + block);
        let mut columns = Columns::<2>::new(a);
        for i in 0..columns.len() {
            let mut v = bounded::<LIMIT, 2>(columns.load(i));
            if LAST {
                last_butterflies!(lazy, LIMIT, v, [(0, 1)]);
            } else {
                butterflies!(lazy, LIMIT, v, [(0, 1, w)]);
            }
            columns.store(i, lazy.settled::<LIMIT, 2>(v));
        }
    }
}

/// Two layers that divide the number of blocks by four.
#[target_feature(enable = "avx512f,avx512ifma")]
fn radix_4<const LIMIT: u32, const LAST: bool>(
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
            let mut v = bounded::<LIMIT, 4>(columns.load(i));
            butterflies!(lazy, LIMIT, v, [(0, 1, w2), (2, 3, w3)]);
            if LAST {
                last_butterflies!(lazy, LIMIT, v, [(0, 2), (1, 3)]);
            } else {
                butterflies!(lazy, LIMIT, v, [(0, 2, w1), (1, 3, w1)]);
            }
            columns.store(i, lazy.settled::<LIMIT, 4>(v));
        }
    }
}

/// Three layers that divide the number of blocks by eight.
#[target_feature(enable = "avx512f,avx512ifma")]
fn radix_8<const LIMIT: u32, const LAST: bool>(
    a: &mut [u64],
    blocks: usize,
    lazy: &Lazy,
    roots: Factors<'_>,
) {
    let length = a.len() / blocks;
    for (block, a) in a.chunks_exact_mut(length).enumerate() {
        let root = |node| roots.single(tree_index(blocks + block, node));
        let (w1, w2, w3) = (root(1), root(2), root(3));
        let (w4, w5, w6, w7) = (root(4), root(5), root(6), root(7));
        let mut columns = Columns::<8>::new(a);
        for i in 0..columns.len() {
            let mut v = bounded::<LIMIT, 8>(columns.load(i));
            butterflies!(lazy, LIMIT, v, [(0, 1, w4), (2, 3, w5), (4, 5, w6), (6, 7, w7)]);
            butterflies!(lazy, LIMIT, v, [(0, 2, w2), (1, 3, w2), (4, 6, w3), (5, 7, w3)]);
            if LAST {
                last_butterflies!(lazy, LIMIT, v, [(0, 4), (1, 5), (2, 6), (3, 7)]);
            } else {
                butterflies!(lazy, LIMIT, v, [(0, 4, w1), (1, 5, w1), (2, 6, w1), (3, 7, w1)]);
            }
            columns.store(i, lazy.settled::<LIMIT, 8>(v));
        }
    }
}

/// The first six layers: three between the columns of a block, three between its vectors. In: canonical.
///
/// Two blocks at a time, a stage apart: while one is transposed, the other one is multiplied.
#[target_feature(enable = "avx512f,avx512ifma")]
fn innermost<const LIMIT: u32>(a: &mut [u64], lazy: &Lazy, roots: Factors<'_>) {
    let (vectors, _) = a.as_chunks_mut::<LANES>();
    let (blocks, _) = vectors.as_chunks_mut::<LANES>();
    let count = blocks.len();
    let upper = |block| move |node| roots.upper(block, node);
    let lower = |block| move |node| roots.lower(block, node);

    let mut u = load_block(&blocks[0]);
    for i in (0..count).step_by(2) {
        let mut v = load_block(&blocks[i]);
        let mut y = bounded::<LIMIT, 8>(u);
        let before = i.saturating_sub(1);
        transpose_between!(
            v,
            { first_layer!(lazy, LIMIT, y, upper(before)) },
            { second_layer!(lazy, LIMIT, y, upper(before)) },
            { third_layer!(lazy, LIMIT, y, upper(before)) }
        );
        if i > 0 {
            store_block(&mut blocks[i - 1], &lazy.settled::<LIMIT, 8>(y));
        }
        u = load_block(&blocks[i + 1]);
        let mut x = canonical(&v);
        transpose_between!(
            u,
            { first_layer!(lazy, LIMIT, x, lower(i)) },
            { second_layer!(lazy, LIMIT, x, lower(i)) },
            { third_layer!(lazy, LIMIT, x, lower(i)) }
        );
        twist!(lazy, x, roots, [1, 2, 3, 4, 5, 6, 7]);
        v = lazy.settled::<LIMIT, 8>(x);
        y = canonical(&u);
        transpose_between!(
            v,
            { first_layer!(lazy, LIMIT, y, lower(i + 1)) },
            { second_layer!(lazy, LIMIT, y, lower(i + 1)) },
            { third_layer!(lazy, LIMIT, y, lower(i + 1)) }
        );
        twist!(lazy, y, roots, [1, 2, 3, 4, 5, 6, 7]);
        u = lazy.settled::<LIMIT, 8>(y);
        x = bounded::<LIMIT, 8>(v);
        transpose_between!(
            u,
            { first_layer!(lazy, LIMIT, x, upper(i)) },
            { second_layer!(lazy, LIMIT, x, upper(i)) },
            { third_layer!(lazy, LIMIT, x, upper(i)) }
        );
        store_block(&mut blocks[i], &lazy.settled::<LIMIT, 8>(x));
    }
    let mut y = bounded::<LIMIT, 8>(u);
    first_layer!(lazy, LIMIT, y, upper(count - 1));
    second_layer!(lazy, LIMIT, y, upper(count - 1));
    third_layer!(lazy, LIMIT, y, upper(count - 1));
    store_block(&mut blocks[count - 1], &lazy.settled::<LIMIT, 8>(y));
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn transform_within<const LIMIT: u32>(a: &mut [u64], table: &NttTable, roots: Factors<'_>) {
    let lazy = &Lazy::new(table);
    innermost::<LIMIT>(a, lazy, roots);
    let mut layers = (a.len() / BLOCK).ilog2();
    while layers > 0 {
        let step = match layers {
            1 => 1,
            2 | 4 => 2,
            _ => 3,
        };
        layers -= step;
        let blocks = 1 << layers;
        match (step, blocks) {
            (1, _) => radix_2::<LIMIT, true>(a, blocks, lazy, roots),
            (2, 1) => radix_4::<LIMIT, true>(a, blocks, lazy, roots),
            (2, _) => radix_4::<LIMIT, false>(a, blocks, lazy, roots),
            (_, 1) => radix_8::<LIMIT, true>(a, blocks, lazy, roots),
            (_, _) => radix_8::<LIMIT, false>(a, blocks, lazy, roots),
        }
    }
}

/// In and out: canonical. The length is the ring degree of the roots.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn transform(a: &mut [u64], table: &NttTable, roots: &Roots) {
    let roots = Factors(&roots.inverse);
    match limit(table.modulus()) {
        4 => transform_within::<4>(a, table, roots),
        8 => transform_within::<8>(a, table, roots),
        16 => transform_within::<16>(a, table, roots),
        32 => transform_within::<32>(a, table, roots),
        _ => transform_within::<64>(a, table, roots),
    }
}
