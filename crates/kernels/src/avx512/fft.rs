//! Negacyclic FFT by vectors of eight, with the last six layers in registers.
//!
//! Intel's processors have two ports for everything in floating point, where a butterfly of six fused operations takes
//! three cycles, and one of four products and four additions four. AMD's Zen 4 adds on ports of its own and would like the latter.

use std::arch::x86_64::{
    __m256i, __m512d, __m512i, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT, _MM_HINT_T1, _mm_prefetch,
    _mm256_add_epi32, _mm256_loadu_si256, _mm256_set1_epi32, _mm256_sllv_epi32, _mm256_srav_epi32,
    _mm256_storeu_si256, _mm512_add_pd, _mm512_castpd_si512, _mm512_cvtepi32_pd, _mm512_cvtepi64_epi32,
    _mm512_cvtepi64_pd, _mm512_cvtpd_epi64, _mm512_fmadd_pd, _mm512_fmsub_pd, _mm512_fnmadd_pd,
    _mm512_loadu_epi64, _mm512_loadu_pd, _mm512_mul_pd, _mm512_roundscale_pd, _mm512_set1_pd,
    _mm512_shuffle_f64x2, _mm512_storeu_pd, _mm512_sub_pd, _mm512_unpackhi_pd, _mm512_unpacklo_pd,
};

use super::vector;
use crate::fft::{
    Ahead, Block, Digit, EIGHTH, ExternalProduct, FftTable, LANES, LaneRoots, LastRoots, MAX_POLYS,
    ProductScratch, Root, TILE_TURNS, Tile, blocks, blocks_mut, check_lengths, check_transform, rows_mut,
};
use crate::fft::{NEAREST_TURN, NEAREST_WORD};
use crate::scalar::fft::{WORD, round_add_assign as round_add_tail};

/// A vector of eight words is half a block.
const PARTS: usize = 1;

type Vector = __m512d;

#[inline]
#[target_feature(enable = "avx512f")]
fn load(words: &[f64; LANES], _part: usize) -> Vector {
    // SAFETY: the reference covers the 64 bytes read; the instruction asks for no alignment.
    unsafe { _mm512_loadu_pd(words.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(words: &mut [f64; LANES], _part: usize, v: Vector) {
    // SAFETY: the reference covers the 64 bytes written; the instruction asks for no alignment.
    unsafe { _mm512_storeu_pd(words.as_mut_ptr(), v) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splat(word: f64) -> Vector {
    _mm512_set1_pd(word)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn from_integers(words: &[i64; LANES], _part: usize) -> Vector {
    // SAFETY: the reference covers the 64 bytes read; the instruction asks for no alignment.
    _mm512_cvtepi64_pd(unsafe { _mm512_loadu_epi64(words.as_ptr()) })
}

#[inline]
#[target_feature(enable = "avx512f")]
fn add(a: Vector, b: Vector) -> Vector {
    _mm512_add_pd(a, b)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn sub(a: Vector, b: Vector) -> Vector {
    _mm512_sub_pd(a, b)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn mul(a: Vector, b: Vector) -> Vector {
    _mm512_mul_pd(a, b)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn mul_add(a: Vector, b: Vector, c: Vector) -> Vector {
    _mm512_fmadd_pd(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn mul_sub(a: Vector, b: Vector, c: Vector) -> Vector {
    _mm512_fmsub_pd(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn mul_sub_from(a: Vector, b: Vector, c: Vector) -> Vector {
    _mm512_fnmadd_pd(a, b, c)
}

const EVEN_QUARTERS: i32 = 0b10_00_10_00;
const ODD_QUARTERS: i32 = 0b11_01_11_01;

/// Word j of vector i becomes word i of vector j.
#[inline]
#[target_feature(enable = "avx512f")]
fn transposed_words(v: &[Vector; LANES]) -> [Vector; LANES] {
    let [v0, v1, v2, v3, v4, v5, v6, v7] = *v;
    let pairs = |a, b| (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
    let quarters =
        |a, b| (_mm512_shuffle_f64x2::<EVEN_QUARTERS>(a, b), _mm512_shuffle_f64x2::<ODD_QUARTERS>(a, b));
    let ((v0, v1), (v2, v3)) = (pairs(v0, v1), pairs(v2, v3));
    let ((v4, v5), (v6, v7)) = (pairs(v4, v5), pairs(v6, v7));
    let ((v0, v2), (v1, v3)) = (quarters(v0, v2), quarters(v1, v3));
    let ((v4, v6), (v5, v7)) = (quarters(v4, v6), quarters(v5, v7));
    let ((v0, v4), (v1, v5)) = (quarters(v0, v4), quarters(v1, v5));
    let ((v2, v6), (v3, v7)) = (quarters(v2, v6), quarters(v3, v7));
    [v0, v1, v2, v3, v4, v5, v6, v7]
}

/// Number j of row i becomes number i of row j.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn transposed_rows(rows: &[[f64; LANES]; LANES]) -> [[f64; LANES]; LANES] {
    let mut rows = *rows;
    let vectors = transposed_words(&rows.each_ref().map(|row| load(row, 0)));
    for (row, vector) in rows.iter_mut().zip(vectors) {
        store(row, 0, vector);
    }
    rows
}

#[inline]
#[target_feature(enable = "avx512f")]
fn transposed(v: &[Complex; LANES]) -> [Complex; LANES] {
    let [a, b, c, d, e, f, g, h] = v;
    let re = transposed_words(&[a.re, b.re, c.re, d.re, e.re, f.re, g.re, h.re]);
    let im = transposed_words(&[a.im, b.im, c.im, d.im, e.im, f.im, g.im, h.im]);
    let mut v = *v;
    for i in 0..LANES {
        v[i] = Complex { re: re[i], im: im[i] };
    }
    v
}

/// The last six layers: three between the columns, three between the rows.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn forward_tile(tile: &mut Tile, upper: [Root; 4], lower: &[LaneRoots; 4]) {
    let upper = splat_four(upper);
    let v = split_eight(load_tile(tile, 0), upper);
    let v = split_eight(transposed(&v), lane_roots(lower, 0));
    for (block, v) in tile.iter_mut().zip(v) {
        store_complex(block, 0, v);
    }
}

/// The first six inverse layers.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn inverse_tile(to: &mut Tile, from: &Tile, roots: &[LaneRoots; 4]) {
    let v = join_first(load_tile(from, 0), splat_root(EIGHTH));
    for (block, v) in to.iter_mut().zip(join_eight(transposed(&v), lane_roots(roots, 0))) {
        store_complex(block, 0, v);
    }
}

const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

/// ⌊x⌉ mod 2^64. The rest after whole turns is at most 2^63; 2^63 itself doesn't fit a signed word, and the conversion
/// gives the bits of 2^63 for it too.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn rounded(x: Vector) -> __m512i {
    let turns = mul(x, splat(WORD.recip()));
    let centred = mul(sub(turns, _mm512_roundscale_pd::<NEAREST>(turns)), splat(WORD));
    _mm512_cvtpd_epi64(centred)
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn fetch(line: *const f64) {
    _mm_prefetch::<_MM_HINT_T1>(line.cast());
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn from_digits(words: &[u32; LANES], _part: usize, digit: Digit) -> Vector {
    // SAFETY: the reference covers the 32 bytes read; the instruction asks for no alignment.
    let words = unsafe { _mm256_loadu_si256(words.as_ptr().cast()) };
    let top = _mm256_sllv_epi32(words, _mm256_set1_epi32(digit.left as i32));
    _mm512_cvtepi32_pd(_mm256_srav_epi32(top, _mm256_set1_epi32(digit.right as i32)))
}

/// out ← out + v·2^32, rounded, modulo 2^32.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn add_turns(out: &mut [u32; LANES], _part: usize, v: Vector) {
    let turns = sub(add(v, splat(NEAREST_TURN)), splat(NEAREST_TURN + NEAREST_WORD));
    let low = _mm512_cvtepi64_epi32(_mm512_castpd_si512(sub(v, turns)));
    let out: *mut __m256i = out.as_mut_ptr().cast();
    // SAFETY: the reference covers the 32 bytes read and written; the instructions ask for no alignment.
    unsafe { _mm256_storeu_si256(out, _mm256_add_epi32(_mm256_loadu_si256(out), low)) }
}

fft_passes!(#[target_feature(enable = "avx512f,avx512dq,avx512vl")]);
external_product!(#[target_feature(enable = "avx512f,avx512dq,avx512vl")]);
fft_entries!(#[target_feature(enable = "avx512f,avx512dq,avx512vl")]);
