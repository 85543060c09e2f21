//! Negacyclic FFT by vectors of four.

use std::arch::x86_64::{
    __m128i, __m256d, __m256i, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT, _MM_HINT_T1, _mm_add_epi32,
    _mm_cvtsi32_si128, _mm_loadu_si128, _mm_prefetch, _mm_sll_epi32, _mm_sra_epi32, _mm_storeu_si128,
    _mm256_add_epi64, _mm256_add_pd, _mm256_blend_epi32, _mm256_castpd_si256, _mm256_castsi256_pd,
    _mm256_castsi256_si128, _mm256_cvtepi32_pd, _mm256_fmadd_pd, _mm256_fmsub_pd, _mm256_fnmadd_pd,
    _mm256_loadu_pd, _mm256_mul_pd, _mm256_permute2f128_pd, _mm256_permutevar8x32_epi32, _mm256_round_pd,
    _mm256_set1_pd, _mm256_setr_epi32, _mm256_slli_epi64, _mm256_srli_epi64, _mm256_storeu_pd,
    _mm256_sub_epi64, _mm256_sub_pd, _mm256_unpackhi_pd, _mm256_unpacklo_pd, _mm256_xor_si256,
};

use super::vector;
use crate::fft::{
    Ahead, Block, Digit, EIGHTH, ExternalProduct, FftTable, LANES, LaneRoots, LastRoots, MAX_POLYS,
    ProductScratch, Root, TILE_TURNS, Tile, blocks, blocks_mut, check_lengths, check_transform, rows_mut,
};
use crate::fft::{NEAREST_TURN, NEAREST_WORD};
use crate::scalar::fft::{WORD, round_add_assign as round_add_tail};

/// Two vectors of four words are half a block.
const PARTS: usize = 2;

/// Words in a vector.
const QUAD: usize = LANES / PARTS;

type Vector = __m256d;

#[inline]
#[target_feature(enable = "avx2,fma")]
fn load(words: &[f64; LANES], part: usize) -> Vector {
    let words = &words.as_chunks::<QUAD>().0[part];
    // SAFETY: the reference covers the 32 bytes read; the instruction asks for no alignment.
    unsafe { _mm256_loadu_pd(words.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn store(words: &mut [f64; LANES], part: usize, v: Vector) {
    let words = &mut words.as_chunks_mut::<QUAD>().0[part];
    // SAFETY: the reference covers the 32 bytes written; the instruction asks for no alignment.
    unsafe { _mm256_storeu_pd(words.as_mut_ptr(), v) }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn splat(word: f64) -> Vector {
    _mm256_set1_pd(word)
}

/// The signed integers of one part as doubles: the halves of each become the mantissas of numbers whose last bit is
/// worth 1 and 2^32, which are added with one rounding.
/// worth 1 and 2^32, which are added with one rounding.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn from_integers(words: &[i64; LANES], part: usize) -> Vector {
    let low_base = 2f64.powi(52);
    // The upper half's sign bit is flipped, so the half reads 2^31 too much.
    let high_base = 2f64.powi(84) + 2f64.powi(63);
    let words = vector::load(&words.as_chunks::<QUAD>().0[part].map(i64::cast_unsigned));
    let low = _mm256_blend_epi32::<0b1010_1010>(words, _mm256_castpd_si256(splat(low_base)));
    let high = _mm256_xor_si256(_mm256_srli_epi64::<32>(words), _mm256_castpd_si256(splat(high_base)));
    add(sub(_mm256_castsi256_pd(high), splat(high_base + low_base)), _mm256_castsi256_pd(low))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn add(a: Vector, b: Vector) -> Vector {
    _mm256_add_pd(a, b)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn sub(a: Vector, b: Vector) -> Vector {
    _mm256_sub_pd(a, b)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn mul(a: Vector, b: Vector) -> Vector {
    _mm256_mul_pd(a, b)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn mul_add(a: Vector, b: Vector, c: Vector) -> Vector {
    _mm256_fmadd_pd(a, b, c)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn mul_sub(a: Vector, b: Vector, c: Vector) -> Vector {
    _mm256_fmsub_pd(a, b, c)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn mul_sub_from(a: Vector, b: Vector, c: Vector) -> Vector {
    _mm256_fnmadd_pd(a, b, c)
}

const LOW_HALVES: i32 = 0x20;
const HIGH_HALVES: i32 = 0x31;

/// Word j of vector i becomes word i of vector j.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn transposed_words([v0, v1, v2, v3]: [Vector; QUAD]) -> [Vector; QUAD] {
    let (even, odd) = (_mm256_unpacklo_pd(v0, v1), _mm256_unpackhi_pd(v0, v1));
    let (next_even, next_odd) = (_mm256_unpacklo_pd(v2, v3), _mm256_unpackhi_pd(v2, v3));
    [
        _mm256_permute2f128_pd::<LOW_HALVES>(even, next_even),
        _mm256_permute2f128_pd::<LOW_HALVES>(odd, next_odd),
        _mm256_permute2f128_pd::<HIGH_HALVES>(even, next_even),
        _mm256_permute2f128_pd::<HIGH_HALVES>(odd, next_odd),
    ]
}

/// Number j of row i becomes number i of row j.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn transposed_rows(rows: &[[f64; LANES]; LANES]) -> [[f64; LANES]; LANES] {
    let mut out = *rows;
    for (upper, left) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let quad = |i: usize| load(&rows[upper * QUAD + i], left);
        let vectors = transposed_words([quad(0), quad(1), quad(2), quad(3)]);
        for (row, vector) in out[left * QUAD..].iter_mut().zip(vectors) {
            store(row, upper, vector);
        }
    }
    out
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn transposed([a, b, c, d]: [Complex; QUAD]) -> [Complex; QUAD] {
    let re = transposed_words([a.re, b.re, c.re, d.re]);
    let im = transposed_words([a.im, b.im, c.im, d.im]);
    let complex = |i: usize| Complex { re: re[i], im: im[i] };
    [complex(0), complex(1), complex(2), complex(3)]
}

/// Part `column` of block i becomes part i / 4 of blocks 4·`column` to 4·`column` + 3.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn transpose_tile(from: &[Block; LANES], to: &mut [Block; LANES]) {
    for column in 0..PARTS {
        for part in 0..PARTS {
            let row = QUAD * part;
            let v = transposed([
                load_complex(&from[row], column),
                load_complex(&from[row + 1], column),
                load_complex(&from[row + 2], column),
                load_complex(&from[row + 3], column),
            ]);
            for (i, v) in v.into_iter().enumerate() {
                store_complex(&mut to[QUAD * column + i], part, v);
            }
        }
    }
}

const EMPTY: [Block; LANES] = [[[0.0; LANES]; 2]; LANES];

/// The last six layers: three between the columns, three between the rows.
#[target_feature(enable = "avx2,fma")]
fn forward_tile(tile: &mut Tile, upper: [Root; 4], lower: &[LaneRoots; 4]) {
    let upper = splat_four(upper);
    let mut columns = EMPTY;
    for part in 0..PARTS {
        let v = split_eight(load_tile(tile, part), upper);
        for (block, v) in columns.iter_mut().zip(v) {
            store_complex(block, part, v);
        }
    }
    transpose_tile(&columns, tile);
    for part in 0..PARTS {
        let lower = lane_roots(lower, part);
        let v = split_eight(load_tile(tile, part), lower);
        for (block, v) in tile.iter_mut().zip(v) {
            store_complex(block, part, v);
        }
    }
}

/// The first six inverse layers.
#[target_feature(enable = "avx2,fma")]
fn inverse_tile(to: &mut Tile, from: &Tile, roots: &[LaneRoots; 4]) {
    let mut rows = EMPTY;
    for part in 0..PARTS {
        let v = join_first(load_tile(from, part), splat_root(EIGHTH));
        for (block, v) in rows.iter_mut().zip(v) {
            store_complex(block, part, v);
        }
    }
    transpose_tile(&rows, to);
    for part in 0..PARTS {
        let v = join_eight(load_tile(to, part), lane_roots(roots, part));
        for (block, v) in to.iter_mut().zip(v) {
            store_complex(block, part, v);
        }
    }
}

const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

/// ⌊x⌉ mod 2^64, put together from a multiple of 2^32 and the rest, both small enough for a mantissa.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn rounded(x: Vector) -> __m256i {
    let half_word = 2f64.powi(32);
    // Numbers of this size have a last bit worth 1, and room for a sign.
    let base = splat(2f64.powi(52) + 2f64.powi(51));
    let integer = |v| _mm256_sub_epi64(_mm256_castpd_si256(add(v, base)), _mm256_castpd_si256(base));
    let turns = mul(x, splat(WORD.recip()));
    let centred = mul(sub(turns, _mm256_round_pd::<NEAREST>(turns)), splat(half_word));
    let high = _mm256_round_pd::<NEAREST>(centred);
    let low = mul(sub(centred, high), splat(half_word));
    _mm256_add_epi64(_mm256_slli_epi64::<32>(integer(high)), integer(low))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn fetch(line: *const f64) {
    _mm_prefetch::<_MM_HINT_T1>(line.cast());
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn from_digits(words: &[u32; LANES], part: usize, digit: Digit) -> Vector {
    let words = &words.as_chunks::<QUAD>().0[part];
    // SAFETY: the reference covers the 16 bytes read; the instruction asks for no alignment.
    let words = unsafe { _mm_loadu_si128(words.as_ptr().cast()) };
    let top = _mm_sll_epi32(words, _mm_cvtsi32_si128(digit.left as i32));
    _mm256_cvtepi32_pd(_mm_sra_epi32(top, _mm_cvtsi32_si128(digit.right as i32)))
}

/// out ← out + v·2^32, rounded, modulo 2^32.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn add_turns(out: &mut [u32; LANES], part: usize, v: Vector) {
    let turns = sub(add(v, splat(NEAREST_TURN)), splat(NEAREST_TURN + NEAREST_WORD));
    let bits = _mm256_castpd_si256(sub(v, turns));
    let low =
        _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(bits, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));
    let out: *mut __m128i = out.as_chunks_mut::<QUAD>().0[part].as_mut_ptr().cast();
    // SAFETY: the reference covers the 16 bytes read and written; the instructions ask for no alignment.
    unsafe { _mm_storeu_si128(out, _mm_add_epi32(_mm_loadu_si128(out), low)) }
}

fft_passes!(#[target_feature(enable = "avx2,fma")]);
external_product!(#[target_feature(enable = "avx2,fma")]);
fft_entries!(#[target_feature(enable = "avx2,fma")]);
