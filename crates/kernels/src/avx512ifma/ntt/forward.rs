//! Forward: Cooley–Tukey butterflies X, Y → X + W·Y, X − W·Y.
//!
//! The product lies in [−q, q], so every layer widens the range of the values by q on both sides. Brought down to
//! [K·q, (K+2)·q), a value lasts for K layers if (2K+2)·q ≤ 2^52. Only the X need it: the product brings the Y down.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_setzero_si512,
    _mm512_sub_epi64,
};

use super::super::vector::{Factor, LANES, Prime, load, splat, store};
use super::roots::{Direction, Eight, Roots, tree_index};
use super::transpose::transposed;
use super::{BLOCK, parts};
use crate::Modulus;

/// What happens to the X on the way into a layer: nothing.
const KEEP: u8 = 0;
/// They're canonical: K·q is added.
const RAISE: u8 = 1;
/// They're brought down to [K·q, (K+2)·q).
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
    // From 31 on no ring degree needs any.
    (1 << (51 - q.bits()).min(5)) - 1
}

impl Lazy {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn new(q: &Modulus) -> Self {
        let k = u64::from(layers_between_corrections(q));
        Self { prime: Prime::new(q), floor: splat(k * q.value()), negated_k: splat(k.wrapping_neg()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn butterfly<const ENTRY: u8>(&self, x: &mut __m512i, y: &mut __m512i, w: Factor) {
        let prime = &self.prime;
        let prepared = match ENTRY {
            RAISE => _mm512_add_epi64(*x, self.floor),
            CORRECT => {
                let quotient = _mm512_madd52hi_epu64(self.negated_k, *x, prime.ratio);
                _mm512_madd52lo_epu64(*x, quotient, prime.negated)
            }
            _ => *x,
        };
        let quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), *y, w.quotient);
        let product = _mm512_madd52lo_epu64(prime.negated, *y, w.value);
        let product = _mm512_madd52lo_epu64(product, quotient, prime.negated);
        *x = _mm512_add_epi64(prepared, product);
        *y = _mm512_sub_epi64(prepared, product);
    }

    /// Three layers; the first one with `ENTRY`, the others with `INNER`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn three_layers<const ENTRY: u8, const INNER: u8>(
        &self,
        v: &Eight,
        root: impl Fn(usize) -> Factor,
    ) -> Eight {
        let [mut v0, mut v1, mut v2, mut v3, mut v4, mut v5, mut v6, mut v7] = *v;
        let w = root(1);
        self.butterfly::<ENTRY>(&mut v0, &mut v4, w);
        self.butterfly::<ENTRY>(&mut v1, &mut v5, w);
        self.butterfly::<ENTRY>(&mut v2, &mut v6, w);
        self.butterfly::<ENTRY>(&mut v3, &mut v7, w);
        let (w, z) = (root(2), root(3));
        self.butterfly::<INNER>(&mut v0, &mut v2, w);
        self.butterfly::<INNER>(&mut v1, &mut v3, w);
        self.butterfly::<INNER>(&mut v4, &mut v6, z);
        self.butterfly::<INNER>(&mut v5, &mut v7, z);
        self.butterfly::<INNER>(&mut v0, &mut v1, root(4));
        self.butterfly::<INNER>(&mut v2, &mut v3, root(5));
        self.butterfly::<INNER>(&mut v4, &mut v5, root(6));
        self.butterfly::<INNER>(&mut v6, &mut v7, root(7));
        [v0, v1, v2, v3, v4, v5, v6, v7]
    }

    /// The canonical residue. In: < 2^52 modulo 2^52.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn canonical(&self, a: __m512i) -> __m512i {
        self.prime.below_double(self.prime.masked(self.prime.corrected(a)))
    }
}

/// One layer that doubles the number of blocks.
#[target_feature(enable = "avx512f,avx512ifma")]
fn radix_2<const ENTRY: u8, const INNER: u8>(a: &mut [u64], blocks: usize, lazy: &Lazy, roots: &Direction) {
    let length = a.len() / blocks;
    for (block, a) in a.chunks_exact_mut(length).enumerate() {
        let w = roots.single(blocks + block);
        let [p0, p1] = parts(a);
        for (p0, p1) in p0.iter_mut().zip(p1) {
            let (mut v0, mut v1) = (load(p0), load(p1));
            lazy.butterfly::<ENTRY>(&mut v0, &mut v1, w);
            store(p0, v0);
            store(p1, v1);
        }
    }
}

/// Two layers that multiply the number of blocks by four.
#[target_feature(enable = "avx512f,avx512ifma")]
fn radix_4<const ENTRY: u8, const INNER: u8>(a: &mut [u64], blocks: usize, lazy: &Lazy, roots: &Direction) {
    let length = a.len() / blocks;
    for (block, a) in a.chunks_exact_mut(length).enumerate() {
        let top = blocks + block;
        let (w1, w2, w3) = (roots.single(top), roots.single(2 * top), roots.single(2 * top + 1));
        let [p0, p1, p2, p3] = parts(a);
        for (((p0, p1), p2), p3) in p0.iter_mut().zip(p1).zip(p2).zip(p3) {
            let (mut v0, mut v1, mut v2, mut v3) = (load(p0), load(p1), load(p2), load(p3));
            lazy.butterfly::<ENTRY>(&mut v0, &mut v2, w1);
            lazy.butterfly::<ENTRY>(&mut v1, &mut v3, w1);
            lazy.butterfly::<INNER>(&mut v0, &mut v1, w2);
            lazy.butterfly::<INNER>(&mut v2, &mut v3, w3);
            store(p0, v0);
            store(p1, v1);
            store(p2, v2);
            store(p3, v3);
        }
    }
}

/// Three layers that multiply the number of blocks by eight.
#[target_feature(enable = "avx512f,avx512ifma")]
fn radix_8<const ENTRY: u8, const INNER: u8>(a: &mut [u64], blocks: usize, lazy: &Lazy, roots: &Direction) {
    let length = a.len() / blocks;
    for (block, a) in a.chunks_exact_mut(length).enumerate() {
        let w = roots.tree(blocks + block);
        let [p0, p1, p2, p3, p4, p5, p6, p7] = parts(a);
        for i in 0..p0.len() {
            let v = [&*p0, p1, p2, p3, p4, p5, p6, p7].map(|p| load(&p[i]));
            let v = lazy.three_layers::<ENTRY, INNER>(&v, |node| w[node]);
            store(&mut p0[i], v[0]);
            store(&mut p1[i], v[1]);
            store(&mut p2[i], v[2]);
            store(&mut p3[i], v[3]);
            store(&mut p4[i], v[4]);
            store(&mut p5[i], v[5]);
            store(&mut p6[i], v[6]);
            store(&mut p7[i], v[7]);
        }
    }
}

/// The last six layers: three between the vectors of a block, three between its columns. Out: canonical.
#[target_feature(enable = "avx512f,avx512ifma")]
fn innermost<const ENTRY: u8, const MIDDLE: u8, const INNER: u8>(
    a: &mut [u64],
    lazy: &Lazy,
    roots: &Direction,
) {
    let (vectors, _) = a.as_chunks_mut::<LANES>();
    let (blocks, _) = vectors.as_chunks_mut::<LANES>();
    let count = blocks.len();
    for (block, a) in blocks.iter_mut().enumerate() {
        let [p0, p1, p2, p3, p4, p5, p6, p7] = &*a;
        let v = [load(p0), load(p1), load(p2), load(p3), load(p4), load(p5), load(p6), load(p7)];
        let top = count + block;
        let v = lazy.three_layers::<ENTRY, INNER>(&v, |node| roots.single(tree_index(top, node)));
        let v = transposed(&v);
        let v = lazy.three_layers::<MIDDLE, INNER>(&v, |node| roots.lanes(block, node));
        let v = transposed(&v);
        for (words, v) in a.iter_mut().zip(v) {
            store(words, lazy.canonical(v));
        }
    }
}

/// In and out: canonical. The length is a power of two of at least [`super::MIN_DEGREE`].
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn transform(a: &mut [u64], q: &Modulus, roots: &Roots) {
    let (lazy, roots) = (&Lazy::new(q), &roots.forward);
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
            (1, true, ..) => radix_2::<RAISE, CORRECT>(a, blocks, lazy, roots),
            (1, ..) => radix_2::<RAISE, KEEP>(a, blocks, lazy, roots),
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
