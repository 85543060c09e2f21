//! Negacyclic FFT with the fused operations of the vector kernels, for the same bits; slow on a processor without them.

use crate::fft::{
    Ahead, Block, Digit, EIGHTH, ExternalProduct, FftTable, LANES, LaneRoots, LastRoots, MAX_POLYS,
    ProductScratch, Root, TILE_TURNS, Tile, blocks, blocks_mut, check_lengths, check_transform, rows_mut,
};
use crate::fft::{NEAREST_TURN, NEAREST_WORD};

/// A vector of eight words is half a block.
const PARTS: usize = 1;

type Vector = [f64; LANES];

#[inline]
fn load(words: &[f64; LANES], _part: usize) -> Vector {
    *words
}

#[inline]
fn store(words: &mut [f64; LANES], _part: usize, v: Vector) {
    *words = v;
}

#[inline]
fn splat(word: f64) -> Vector {
    [word; LANES]
}

#[inline]
fn from_integers(words: &[i64; LANES], _part: usize) -> Vector {
    words.map(|word| word as f64)
}

#[inline]
fn add(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] + b[i])
}

#[inline]
fn sub(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] - b[i])
}

#[inline]
fn mul(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] * b[i])
}

#[inline]
fn mul_add(a: Vector, b: Vector, c: Vector) -> Vector {
    std::array::from_fn(|i| a[i].mul_add(b[i], c[i]))
}

#[inline]
fn mul_sub(a: Vector, b: Vector, c: Vector) -> Vector {
    std::array::from_fn(|i| a[i].mul_add(b[i], -c[i]))
}

#[inline]
fn mul_sub_from(a: Vector, b: Vector, c: Vector) -> Vector {
    std::array::from_fn(|i| (-a[i]).mul_add(b[i], c[i]))
}

/// Word j of vector i becomes word i of vector j.
#[inline]
fn transposed(v: &[Complex; LANES]) -> [Complex; LANES] {
    std::array::from_fn(|j| Complex {
        re: std::array::from_fn(|i| v[i].re[j]),
        im: std::array::from_fn(|i| v[i].im[j]),
    })
}

/// The last six layers: three between the columns, three between the rows.
fn forward_tile(tile: &mut Tile, upper: [Root; 4], lower: &[LaneRoots; 4]) {
    let upper = splat_four(upper);
    let v = split_eight(load_tile(tile, 0), upper);
    let v = split_eight(transposed(&v), lane_roots(lower, 0));
    for (block, v) in tile.iter_mut().zip(v) {
        store_complex(block, 0, v);
    }
}

fn inverse_tile(to: &mut Tile, from: &Tile, roots: &[LaneRoots; 4]) {
    let v = transposed(&join_first(load_tile(from, 0), splat_root(EIGHTH)));
    for (block, v) in to.iter_mut().zip(join_eight(v, lane_roots(roots, 0))) {
        store_complex(block, 0, v);
    }
}

/// Nothing is fetched ahead.
#[inline]
pub(super) fn fetch(_line: *const f64) {}

#[inline]
fn from_digits(words: &[u32; LANES], _part: usize, digit: Digit) -> Vector {
    words.map(|word| f64::from((word << digit.left).cast_signed() >> digit.right))
}

/// out ← out + v·2^32, rounded, modulo 2^32.
#[inline]
fn add_turns(out: &mut [u32; LANES], _part: usize, v: Vector) {
    for (out, v) in out.iter_mut().zip(v) {
        let fraction = v - ((v + NEAREST_TURN) - (NEAREST_TURN + NEAREST_WORD));
        *out = out.wrapping_add(fraction.to_bits() as u32);
    }
}

fft_passes!();
external_product!();

pub(crate) fn forward(out: &mut [f64], input: &[i64], table: &FftTable) {
    check_transform(out, input, table);
    forward_within(out, input, table);
}

pub(crate) fn inverse(out: &mut [f64], spectrum: &mut [f64], table: &FftTable) {
    check_transform(out, spectrum, table);
    inverse_within(out, spectrum, table);
}

pub(crate) fn mul_add_assign(acc: &mut [f64], a: &[f64], b: &[f64]) {
    check_lengths(acc, a, b);
    mul_add_within(acc, a, b);
}

/// The range of a torus word, 2^64.
pub(crate) const WORD: f64 = (1u128 << 64) as f64;

pub(crate) fn round_add_assign(out: &mut [u64], input: &[f64]) {
    assert_eq!(out.len(), input.len());
    for (out, &x) in out.iter_mut().zip(input) {
        let turns = x * WORD.recip();
        let centred = (turns - turns.round_ties_even()) * WORD;
        // As 128-bit integers: the rounded value may be 2^63, which a signed word doesn't hold.
        *out = out.wrapping_add(centred.round_ties_even() as i128 as u64);
    }
}
