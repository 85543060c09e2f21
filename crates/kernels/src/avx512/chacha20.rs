//! ChaCha20, 16 blocks side by side.

use std::arch::x86_64::{
    _mm512_add_epi32, _mm512_cmplt_epu64_mask, _mm512_maskz_compress_epi64, _mm512_rol_epi32,
    _mm512_set1_epi32, _mm512_setr_epi32, _mm512_shuffle_i32x4, _mm512_unpackhi_epi32, _mm512_unpackhi_epi64,
    _mm512_unpacklo_epi32, _mm512_unpacklo_epi64, _mm512_xor_si512,
};

use super::vector::{LANES, Vector, Words, and, load, splat, store, zero};
use crate::Modulus;

/// "expand 32-byte k".
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];
/// Blocks in a group.
const BLOCKS: usize = 16;
/// Words in a group.
const GROUP: usize = 8 * BLOCKS;

/// A keystream at the start of a group.
pub(crate) struct ChaCha20 {
    key: [u32; 8],
    stream: u64,
    /// The number of the next block, a multiple of 16.
    block: u64,
}

impl ChaCha20 {
    /// From the start. Groups may be asked for only where this back-end is available.
    pub(crate) fn new(key: &[u8; 32], stream: u64) -> Self {
        Self::at(key, stream, 0)
    }

    /// From a block on, whose number is a multiple of 16.
    pub(crate) fn at(key: &[u8; 32], stream: u64, block: u64) -> Self {
        assert!(block.is_multiple_of(BLOCKS as u64) && super::is_available());
        let bytes: &[[u8; 4]] = key.as_chunks().0;
        Self { key: std::array::from_fn(|i| u32::from_le_bytes(bytes[i])), stream, block }
    }

    /// Writes the next 16 blocks.
    pub(crate) fn group(&mut self, out: &mut [u64; GROUP]) {
        // SAFETY: the back-end is available, or there were no such value.
        unsafe { blocks(&self.key, self.stream, self.block, out) };
        self.block += BLOCKS as u64;
    }
}

impl Drop for ChaCha20 {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.key);
    }
}

/// Four quarter rounds on columns or diagonals of all blocks.
macro_rules! quarters {
    ($v:ident, $([$a:literal, $b:literal, $c:literal, $d:literal]),*) => {
        quarters!(@half $v, 16, 12, $([$a, $b, $c, $d]),*);
        quarters!(@half $v, 8, 7, $([$a, $b, $c, $d]),*);
    };
    // One operation of all four after another: they don't wait for each other.
    (@half $v:ident, $first:literal, $second:literal, $([$a:literal, $b:literal, $c:literal, $d:literal]),*) => {
        $($v[$a] = _mm512_add_epi32($v[$a], $v[$b]);)*
        $($v[$d] = _mm512_rol_epi32::<$first>(_mm512_xor_si512($v[$d], $v[$a]));)*
        $($v[$c] = _mm512_add_epi32($v[$c], $v[$d]);)*
        $($v[$b] = _mm512_rol_epi32::<$second>(_mm512_xor_si512($v[$b], $v[$c]));)*
    };
}

#[target_feature(enable = "avx512f")]
fn blocks(key: &[u32; 8], stream: u64, block: u64, out: &mut [u64; GROUP]) {
    let all = |word: u32| _mm512_set1_epi32(word.cast_signed());
    let mut state = [zero(); 16];
    for (row, &word) in state.iter_mut().zip(CONSTANTS.iter().chain(key)) {
        *row = all(word);
    }
    // The number of the first block is a multiple of 16: nothing carries within a group.
    let places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    state[12] = _mm512_add_epi32(all(block as u32), places);
    state[13] = all((block >> 32) as u32);
    state[14] = all(stream as u32);
    state[15] = all((stream >> 32) as u32);
    let mut v = state;
    for _ in 0..10 {
        quarters!(v, [0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]);
        quarters!(v, [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]);
    }
    for (v, state) in v.iter_mut().zip(state) {
        *v = _mm512_add_epi32(*v, state);
    }
    for (out, block) in out.as_chunks_mut::<LANES>().0.iter_mut().zip(transposed(&v)) {
        store(out, block);
    }
}

/// Word i of vector k becomes word k of vector i, of 32 bits each.
#[inline]
#[target_feature(enable = "avx512f")]
fn transposed(v: &[Vector; 16]) -> [Vector; 16] {
    // Quarters of vectors hold words 4k to 4k + 3 of four vectors: first those of words of the same place in a quarter.
    let mut quarters = [zero(); 16];
    for (four, out) in v.as_chunks::<4>().0.iter().zip(quarters.as_chunks_mut::<4>().0) {
        let [low_01, low_23] =
            [_mm512_unpacklo_epi32(four[0], four[1]), _mm512_unpacklo_epi32(four[2], four[3])];
        let [high_01, high_23] =
            [_mm512_unpackhi_epi32(four[0], four[1]), _mm512_unpackhi_epi32(four[2], four[3])];
        *out = [
            _mm512_unpacklo_epi64(low_01, low_23),
            _mm512_unpackhi_epi64(low_01, low_23),
            _mm512_unpacklo_epi64(high_01, high_23),
            _mm512_unpackhi_epi64(high_01, high_23),
        ];
    }
    let mut out = [zero(); 16];
    for place in 0..4 {
        let (a, b) = (quarters[place], quarters[4 + place]);
        let (c, d) = (quarters[8 + place], quarters[12 + place]);
        let [ab_even, cd_even] =
            [_mm512_shuffle_i32x4::<0b10_00_10_00>(a, b), _mm512_shuffle_i32x4::<0b10_00_10_00>(c, d)];
        let [ab_odd, cd_odd] =
            [_mm512_shuffle_i32x4::<0b11_01_11_01>(a, b), _mm512_shuffle_i32x4::<0b11_01_11_01>(c, d)];
        out[place] = _mm512_shuffle_i32x4::<0b10_00_10_00>(ab_even, cd_even);
        out[8 + place] = _mm512_shuffle_i32x4::<0b11_01_11_01>(ab_even, cd_even);
        out[4 + place] = _mm512_shuffle_i32x4::<0b10_00_10_00>(ab_odd, cd_odd);
        out[12 + place] = _mm512_shuffle_i32x4::<0b11_01_11_01>(ab_odd, cd_odd);
    }
    out
}

/// Writes the residues among words; how many. There must be place for all words.
pub(crate) fn keep_residues(q: &Modulus, words: &[u64; GROUP], out: &mut [u64]) -> usize {
    #[target_feature(enable = "avx512f")]
    fn vectors(q: &Modulus, words: &[u64; GROUP], out: &mut [u64; GROUP]) -> usize {
        let (value, mask) = (splat(q.value()), splat(u64::MAX >> (u64::BITS - q.bits())));
        let mut kept = 0;
        for words in words.as_chunks::<LANES>().0 {
            let word = and(load(words), mask);
            let below = _mm512_cmplt_epu64_mask(word, value);
            // There's place for a whole vector: no more words were kept than were looked at.
            let next: &mut Words = out[kept..].first_chunk_mut().expect("there is place");
            store(next, _mm512_maskz_compress_epi64(below, word));
            kept += below.count_ones() as usize;
        }
        kept
    }
    assert!(super::is_available());
    let out = out.first_chunk_mut().expect("there is place for all words");
    // SAFETY: the back-end is available.
    unsafe { vectors(q, words, out) }
}
