//! ChaCha20, four blocks side by side.

use std::arch::wasm32::{
    i32x4_add, i32x4_shuffle, i32x4_splat, i64x2_shuffle, u8x16_shuffle, u32x4, u32x4_shl, u32x4_shr,
    v128_or, v128_xor,
};

use super::vector::{LANES, Vector, store, zero};

/// "expand 32-byte k".
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];
/// Blocks side by side.
const BLOCKS: usize = 4;
/// Words in a block.
const BLOCK: usize = 8;
/// Words in a group: 16 blocks.
const GROUP: usize = 16 * BLOCK;

/// A keystream at the start of a group.
pub(crate) struct ChaCha20 {
    key: [u32; 8],
    stream: u64,
    /// The number of the next block, a multiple of 16.
    block: u64,
}

impl ChaCha20 {
    /// From the start.
    pub(crate) fn new(key: &[u8; 32], stream: u64) -> Self {
        Self::at(key, stream, 0)
    }

    /// From a block on, whose number is a multiple of 16.
    pub(crate) fn at(key: &[u8; 32], stream: u64, block: u64) -> Self {
        assert!(block.is_multiple_of((GROUP / BLOCK) as u64));
        let bytes: &[[u8; 4]] = key.as_chunks().0;
        Self { key: std::array::from_fn(|i| u32::from_le_bytes(bytes[i])), stream, block }
    }

    /// Writes the next 16 blocks.
    pub(crate) fn group(&mut self, out: &mut [u64; GROUP]) {
        for out in out.as_chunks_mut::<{ BLOCKS * BLOCK }>().0 {
            blocks(&self.key, self.stream, self.block, out);
            self.block += BLOCKS as u64;
        }
    }
}

impl Drop for ChaCha20 {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.key);
    }
}

#[inline]
fn rotated<const LEFT: u32>(a: Vector) -> Vector {
    match LEFT {
        16 => u8x16_shuffle::<2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13>(a, a),
        8 => u8x16_shuffle::<3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14>(a, a),
        _ => v128_or(u32x4_shl(a, LEFT), u32x4_shr(a, 32 - LEFT)),
    }
}

/// Four quarter rounds on columns or diagonals of all blocks.
macro_rules! quarters {
    ($v:ident, $([$a:literal, $b:literal, $c:literal, $d:literal]),*) => {
        quarters!(@half $v, 16, 12, $([$a, $b, $c, $d]),*);
        quarters!(@half $v, 8, 7, $([$a, $b, $c, $d]),*);
    };
    (@half $v:ident, $first:literal, $second:literal, $([$a:literal, $b:literal, $c:literal, $d:literal]),*) => {
        $($v[$a] = i32x4_add($v[$a], $v[$b]);)*
        $($v[$d] = rotated::<$first>(v128_xor($v[$d], $v[$a]));)*
        $($v[$c] = i32x4_add($v[$c], $v[$d]);)*
        $($v[$b] = rotated::<$second>(v128_xor($v[$b], $v[$c]));)*
    };
}

fn blocks(key: &[u32; 8], stream: u64, block: u64, out: &mut [u64; BLOCKS * BLOCK]) {
    let all = |word: u32| i32x4_splat(word.cast_signed());
    let mut state = [zero(); 16];
    for (row, &word) in state.iter_mut().zip(CONSTANTS.iter().chain(key)) {
        *row = all(word);
    }
    // The number of the first block is a multiple of 4: nothing carries between them.
    state[12] = i32x4_add(all(block as u32), u32x4(0, 1, 2, 3));
    state[13] = all((block >> 32) as u32);
    state[14] = all(stream as u32);
    state[15] = all((stream >> 32) as u32);
    let mut v = state;
    for _ in 0..10 {
        quarters!(v, [0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]);
        quarters!(v, [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]);
    }
    for (v, state) in v.iter_mut().zip(state) {
        *v = i32x4_add(*v, state);
    }
    let out = out.as_chunks_mut::<LANES>().0;
    for (quarter, four) in v.as_chunks::<4>().0.iter().enumerate() {
        for (block, row) in transposed(four).into_iter().enumerate() {
            store(&mut out[block * BLOCK / LANES + quarter], row);
        }
    }
}

/// Word i of vector k becomes word k of vector i, of 32 bits each.
#[inline]
fn transposed(&[a, b, c, d]: &[Vector; 4]) -> [Vector; 4] {
    let (ab_low, cd_low) = (i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<0, 4, 1, 5>(c, d));
    let (ab_high, cd_high) = (i32x4_shuffle::<2, 6, 3, 7>(a, b), i32x4_shuffle::<2, 6, 3, 7>(c, d));
    [
        i64x2_shuffle::<0, 2>(ab_low, cd_low),
        i64x2_shuffle::<1, 3>(ab_low, cd_low),
        i64x2_shuffle::<0, 2>(ab_high, cd_high),
        i64x2_shuffle::<1, 3>(ab_high, cd_high),
    ]
}
