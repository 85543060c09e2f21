//! Inverse: Gentleman–Sande butterflies X, Y → X + Y, W·(X − Y).
//!
//! Every value carries a bound in units of q, known to the compiler. Sums double it, products bring it down to 2,
//! and a value is brought down where the next sum or difference would leave [0, LIMIT·q), LIMIT·q ≤ 2^52.

use std::arch::x86_64::{__m512i, _mm512_add_epi64, _mm512_setzero_si512, _mm512_sub_epi64};

use super::super::vector::{Factor, LANES, Prime, load, splat, store};
use super::roots::{Direction, Eight, Roots, tree_index};
use super::transpose::transposed;
use super::{BLOCK, parts};
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

/// The bound between passes: the greatest from which a pass needs the fewest corrections.
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
            last_sum: Factor::splat(table.degree_inverse),
            last_difference: Factor::splat(table.last_root_over_degree),
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
    fn butterfly<const LIMIT: u32>(&self, x: &mut Bounded, y: &mut Bounded, w: Factor) {
        let (sum, difference) = self.sum_and_difference::<LIMIT>(*x, *y);
        *x = sum;
        *y = Bounded { value: self.prime.mul_add_lazy(_mm512_setzero_si512(), difference, w), bound: 2 };
    }

    /// The last butterfly, 1/N included. Out: canonical.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn last_butterfly<const LIMIT: u32>(&self, x: &mut Bounded, y: &mut Bounded) {
        let (sum, difference) = self.sum_and_difference::<LIMIT>(*x, *y);
        *x = Bounded { value: self.prime.mul(sum.value, self.last_sum), bound: 1 };
        *y = Bounded { value: self.prime.mul(difference, self.last_difference), bound: 1 };
    }

    /// The value to hand to the next pass.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn settled<const LIMIT: u32>(&self, a: Bounded) -> __m512i {
        if a.bound > bound_between_passes(LIMIT) { self.corrected(a).value } else { a.value }
    }

    /// Three layers; the third one is the last of all if `LAST`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn three_layers<const LIMIT: u32, const LAST: bool>(
        &self,
        v: &Eight,
        bound: u32,
        root: impl Fn(usize) -> Factor,
    ) -> [Bounded; 8] {
        let [v0, v1, v2, v3, v4, v5, v6, v7] = *v;
        let (mut v0, mut v1) = (Bounded { value: v0, bound }, Bounded { value: v1, bound });
        let (mut v2, mut v3) = (Bounded { value: v2, bound }, Bounded { value: v3, bound });
        let (mut v4, mut v5) = (Bounded { value: v4, bound }, Bounded { value: v5, bound });
        let (mut v6, mut v7) = (Bounded { value: v6, bound }, Bounded { value: v7, bound });
        self.butterfly::<LIMIT>(&mut v0, &mut v1, root(4));
        self.butterfly::<LIMIT>(&mut v2, &mut v3, root(5));
        self.butterfly::<LIMIT>(&mut v4, &mut v5, root(6));
        self.butterfly::<LIMIT>(&mut v6, &mut v7, root(7));
        let (w, z) = (root(2), root(3));
        self.butterfly::<LIMIT>(&mut v0, &mut v2, w);
        self.butterfly::<LIMIT>(&mut v1, &mut v3, w);
        self.butterfly::<LIMIT>(&mut v4, &mut v6, z);
        self.butterfly::<LIMIT>(&mut v5, &mut v7, z);
        if LAST {
            self.last_butterfly::<LIMIT>(&mut v0, &mut v4);
            self.last_butterfly::<LIMIT>(&mut v1, &mut v5);
            self.last_butterfly::<LIMIT>(&mut v2, &mut v6);
            self.last_butterfly::<LIMIT>(&mut v3, &mut v7);
        } else {
            let w = root(1);
            self.butterfly::<LIMIT>(&mut v0, &mut v4, w);
            self.butterfly::<LIMIT>(&mut v1, &mut v5, w);
            self.butterfly::<LIMIT>(&mut v2, &mut v6, w);
            self.butterfly::<LIMIT>(&mut v3, &mut v7, w);
        }
        [v0, v1, v2, v3, v4, v5, v6, v7]
    }
}

/// One layer that halves the number of blocks.
#[target_feature(enable = "avx512f,avx512ifma")]
fn radix_2<const LIMIT: u32, const LAST: bool>(a: &mut [u64], blocks: usize, lazy: &Lazy, roots: &Direction) {
    let bound = bound_between_passes(LIMIT);
    let length = a.len() / blocks;
    for (block, a) in a.chunks_exact_mut(length).enumerate() {
        let w = roots.single(blocks + block);
        let [p0, p1] = parts(a);
        for (p0, p1) in p0.iter_mut().zip(p1) {
            let mut v0 = Bounded { value: load(p0), bound };
            let mut v1 = Bounded { value: load(p1), bound };
            if LAST {
                lazy.last_butterfly::<LIMIT>(&mut v0, &mut v1);
            } else {
                lazy.butterfly::<LIMIT>(&mut v0, &mut v1, w);
            }
            store(p0, lazy.settled::<LIMIT>(v0));
            store(p1, lazy.settled::<LIMIT>(v1));
        }
    }
}

/// Two layers that divide the number of blocks by four.
#[target_feature(enable = "avx512f,avx512ifma")]
fn radix_4<const LIMIT: u32, const LAST: bool>(a: &mut [u64], blocks: usize, lazy: &Lazy, roots: &Direction) {
    let bound = bound_between_passes(LIMIT);
    let length = a.len() / blocks;
    for (block, a) in a.chunks_exact_mut(length).enumerate() {
        let top = blocks + block;
        let (w1, w2, w3) = (roots.single(top), roots.single(2 * top), roots.single(2 * top + 1));
        let [p0, p1, p2, p3] = parts(a);
        for (((p0, p1), p2), p3) in p0.iter_mut().zip(p1).zip(p2).zip(p3) {
            let mut v0 = Bounded { value: load(p0), bound };
            let mut v1 = Bounded { value: load(p1), bound };
            let mut v2 = Bounded { value: load(p2), bound };
            let mut v3 = Bounded { value: load(p3), bound };
            lazy.butterfly::<LIMIT>(&mut v0, &mut v1, w2);
            lazy.butterfly::<LIMIT>(&mut v2, &mut v3, w3);
            if LAST {
                lazy.last_butterfly::<LIMIT>(&mut v0, &mut v2);
                lazy.last_butterfly::<LIMIT>(&mut v1, &mut v3);
            } else {
                lazy.butterfly::<LIMIT>(&mut v0, &mut v2, w1);
                lazy.butterfly::<LIMIT>(&mut v1, &mut v3, w1);
            }
            store(p0, lazy.settled::<LIMIT>(v0));
            store(p1, lazy.settled::<LIMIT>(v1));
            store(p2, lazy.settled::<LIMIT>(v2));
            store(p3, lazy.settled::<LIMIT>(v3));
        }
    }
}

/// Three layers that divide the number of blocks by eight.
#[target_feature(enable = "avx512f,avx512ifma")]
fn radix_8<const LIMIT: u32, const LAST: bool>(a: &mut [u64], blocks: usize, lazy: &Lazy, roots: &Direction) {
    let bound = bound_between_passes(LIMIT);
    let length = a.len() / blocks;
    for (block, a) in a.chunks_exact_mut(length).enumerate() {
        let w = roots.tree(blocks + block);
        let [p0, p1, p2, p3, p4, p5, p6, p7] = parts(a);
        for i in 0..p0.len() {
            let v = [&*p0, p1, p2, p3, p4, p5, p6, p7].map(|p| load(&p[i]));
            let v = lazy.three_layers::<LIMIT, LAST>(&v, bound, |node| w[node]);
            store(&mut p0[i], lazy.settled::<LIMIT>(v[0]));
            store(&mut p1[i], lazy.settled::<LIMIT>(v[1]));
            store(&mut p2[i], lazy.settled::<LIMIT>(v[2]));
            store(&mut p3[i], lazy.settled::<LIMIT>(v[3]));
            store(&mut p4[i], lazy.settled::<LIMIT>(v[4]));
            store(&mut p5[i], lazy.settled::<LIMIT>(v[5]));
            store(&mut p6[i], lazy.settled::<LIMIT>(v[6]));
            store(&mut p7[i], lazy.settled::<LIMIT>(v[7]));
        }
    }
}

/// The first six layers: three between the columns of a block, three between its vectors. In: canonical.
#[target_feature(enable = "avx512f,avx512ifma")]
fn innermost<const LIMIT: u32>(a: &mut [u64], lazy: &Lazy, roots: &Direction) {
    let bound = bound_between_passes(LIMIT);
    let (vectors, _) = a.as_chunks_mut::<LANES>();
    let (blocks, _) = vectors.as_chunks_mut::<LANES>();
    let count = blocks.len();
    for (block, a) in blocks.iter_mut().enumerate() {
        let [p0, p1, p2, p3, p4, p5, p6, p7] = &*a;
        let v = [load(p0), load(p1), load(p2), load(p3), load(p4), load(p5), load(p6), load(p7)];
        let v = lazy.three_layers::<LIMIT, false>(&transposed(&v), 1, |node| roots.lanes(block, node));
        let [v0, v1, v2, v3, v4, v5, v6, v7] = v;
        let v = [
            lazy.settled::<LIMIT>(v0),
            lazy.settled::<LIMIT>(v1),
            lazy.settled::<LIMIT>(v2),
            lazy.settled::<LIMIT>(v3),
            lazy.settled::<LIMIT>(v4),
            lazy.settled::<LIMIT>(v5),
            lazy.settled::<LIMIT>(v6),
            lazy.settled::<LIMIT>(v7),
        ];
        let top = count + block;
        let root = |node| roots.single(tree_index(top, node));
        let v = lazy.three_layers::<LIMIT, false>(&transposed(&v), bound, root);
        for (words, v) in a.iter_mut().zip(v) {
            store(words, lazy.settled::<LIMIT>(v));
        }
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn transform_within<const LIMIT: u32>(a: &mut [u64], table: &NttTable, roots: &Direction) {
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

/// In and out: canonical. The length is a power of two of at least [`super::MIN_DEGREE`].
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn transform(a: &mut [u64], table: &NttTable, roots: &Roots) {
    let roots = &roots.inverse;
    match limit(table.modulus()) {
        4 => transform_within::<4>(a, table, roots),
        8 => transform_within::<8>(a, table, roots),
        16 => transform_within::<16>(a, table, roots),
        32 => transform_within::<32>(a, table, roots),
        _ => transform_within::<64>(a, table, roots),
    }
}
