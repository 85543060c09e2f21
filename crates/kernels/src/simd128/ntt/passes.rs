//! The passes of both directions.
//!
//! The innermost layers work on quads, four words in two vectors. They are two layers, or three on two quads where that
//! leaves an even number of layers to the passes of two.

use std::arch::wasm32::i64x2_shuffle;

use super::arithmetic::{Arithmetic, Root};
use super::columns::Columns;
use crate::{
    NttTable,
    roots::simd128::Direction,
    simd128::vector::{LANES, Vector, Words, load, splat, store},
};

/// The vectors of four words.
type Quad = [Words; 2];

#[inline]
fn single(roots: &Direction, index: usize) -> Root {
    Root { value: splat(roots.values[index]), quotient: splat(roots.quotients[index]) }
}

/// For each block of a layer, its root.
#[inline]
fn singles(roots: &Direction, blocks: usize) -> impl Iterator<Item = Root> {
    let of_layer = |words| <[u64]>::iter(words).skip(blocks).take(blocks);
    let root = |(&value, &quotient)| Root { value: splat(value), quotient: splat(quotient) };
    of_layer(&roots.values).zip(of_layer(&roots.quotients)).map(root)
}

/// For each two blocks of a layer, their roots in lanes.
#[inline]
fn pairs(roots: &Direction, blocks: usize) -> impl Iterator<Item = Root> {
    let of_layer =
        |words| <[u64]>::as_chunks::<LANES>(words).0.iter().skip(blocks / LANES).take(blocks / LANES);
    let root = |(values, quotients)| Root { value: load(values), quotient: load(quotients) };
    of_layer(&roots.values).zip(of_layer(&roots.quotients)).map(root)
}

fn quads(a: &mut [u64]) -> &mut [Quad] {
    a.as_chunks_mut::<LANES>().0.as_chunks_mut().0
}

/// Word j of vector i becomes word i of vector j.
#[inline]
fn transposed([a, b]: [Vector; 2]) -> [Vector; 2] {
    [i64x2_shuffle::<0, 2>(a, b), i64x2_shuffle::<1, 3>(a, b)]
}

#[inline]
fn load_quad([a, b]: &Quad) -> [Vector; 2] {
    [load(a), load(b)]
}

#[inline]
fn store_quad([a, b]: &mut Quad, v: [Vector; 2]) {
    store(a, v[0]);
    store(b, v[1]);
}

/// The last two layers: between the vectors of a quad, and inside them. Out: canonical.
#[inline]
fn forward_quad<A: Arithmetic, const FRESH: bool>(
    quad: &mut Quad,
    v: [Vector; 2],
    arithmetic: A,
    [w, lanes]: [Root; 2],
) {
    // Two corrections in three layers at most, never none in two that follow each other.
    let v = match FRESH {
        true => {
            let [x, y] = transposed(arithmetic.forward::<true>(v[0], v[1], w));
            arithmetic.forward::<false>(x, y, lanes)
        }
        false => {
            let [x, y] = transposed(arithmetic.forward::<false>(v[0], v[1], w));
            arithmetic.forward::<true>(x, y, lanes)
        }
    };
    store_quad(quad, transposed(v.map(|v| arithmetic.leave(v))));
}

/// Two layers that multiply the number of blocks by four.
fn forward_two<A: Arithmetic>(a: &mut [u64], blocks: usize, arithmetic: A, roots: &Direction) {
    let length = a.len() / blocks;
    for (block, a) in a.chunks_exact_mut(length).enumerate() {
        let block = blocks + block;
        let [w, z, u] = [block, 2 * block, 2 * block + 1].map(|index| single(roots, index));
        let mut columns = Columns::<4>::new(a);
        for i in 0..columns.len() {
            let [a, b, c, d] = columns.load(i);
            let ([a, c], [b, d]) =
                (arithmetic.forward::<false>(a, c, w), arithmetic.forward::<false>(b, d, w));
            let ([a, b], [c, d]) = (arithmetic.forward::<true>(a, b, z), arithmetic.forward::<true>(c, d, u));
            columns.store(i, [a, b, c, d]);
        }
    }
}

/// In and out: canonical.
pub(super) fn forward<A: Arithmetic>(a: &mut [u64], table: &NttTable, roots: &Direction) {
    let (arithmetic, degree) = (A::new(table), a.len());
    let mut blocks = 1;
    while 8 * blocks < degree {
        forward_two(a, blocks, arithmetic, roots);
        blocks *= 4;
    }
    let innermost = singles(roots, degree / 4).zip(pairs(roots, degree / 2));
    if 4 * blocks == degree {
        for (quad, (w, lanes)) in quads(a).iter_mut().zip(innermost) {
            let v = load_quad(quad);
            forward_quad::<A, false>(quad, v, arithmetic, [w, lanes]);
        }
    } else {
        let mut innermost = innermost;
        for ([left, right], w) in quads(a).as_chunks_mut::<2>().0.iter_mut().zip(singles(roots, degree / 8)) {
            let ([a, b], [c, d]) = (load_quad(left), load_quad(right));
            let ([a, c], [b, d]) =
                (arithmetic.forward::<false>(a, c, w), arithmetic.forward::<false>(b, d, w));
            for (quad, v) in [(left, [a, b]), (right, [c, d])] {
                let (w, lanes) = innermost.next().expect("every quad has roots");
                forward_quad::<A, true>(quad, v, arithmetic, [w, lanes]);
            }
        }
    }
}

/// The first two inverse layers: inside the vectors of a quad, and between them. In: canonical.
#[inline]
fn inverse_quad<A: Arithmetic>(quad: &Quad, arithmetic: A, [w, lanes]: [Root; 2]) -> [Vector; 2] {
    let [x, y] = transposed(load_quad(quad));
    let [x, y] = transposed(arithmetic.inverse_one(x, y, lanes));
    arithmetic.inverse_one(x, y, w)
}

/// In and out: canonical.
pub(super) fn inverse<A: Arithmetic>(a: &mut [u64], table: &NttTable, roots: &Direction) {
    let (arithmetic, degree) = (A::new(table), a.len());
    let innermost = singles(roots, degree / 4).zip(pairs(roots, degree / 2));
    let mut blocks = if degree.ilog2().is_multiple_of(2) {
        for (quad, (w, lanes)) in quads(a).iter_mut().zip(innermost) {
            let v = inverse_quad(quad, arithmetic, [w, lanes]);
            store_quad(quad, v);
        }
        degree / 4
    } else {
        let mut innermost = innermost;
        let mut next = || innermost.next().expect("every quad has roots");
        for ([left, right], w) in quads(a).as_chunks_mut::<2>().0.iter_mut().zip(singles(roots, degree / 8)) {
            let (z, lanes) = next();
            let [a, b] = inverse_quad(left, arithmetic, [z, lanes]);
            let (u, lanes) = next();
            let [c, d] = inverse_quad(right, arithmetic, [u, lanes]);
            let ([a, c], [b, d]) = (arithmetic.inverse_one(a, c, w), arithmetic.inverse_one(b, d, w));
            store_quad(left, [a, b]);
            store_quad(right, [c, d]);
        }
        degree / 8
    };
    while blocks > 4 {
        blocks /= 4;
        let length = degree / blocks;
        for (block, a) in a.chunks_exact_mut(length).enumerate() {
            let block = blocks + block;
            let w = [block, 2 * block, 2 * block + 1].map(|index| single(roots, index));
            let mut columns = Columns::<4>::new(a);
            for i in 0..columns.len() {
                columns.store(i, arithmetic.inverse_two(columns.load(i), w));
            }
        }
    }
    let w = [single(roots, 2), single(roots, 3)];
    let mut columns = Columns::<4>::new(a);
    for i in 0..columns.len() {
        columns.store(i, arithmetic.last_two(columns.load(i), w));
    }
}
