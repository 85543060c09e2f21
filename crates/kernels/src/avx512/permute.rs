//! Permutations.

use std::arch::x86_64::{_mm512_permutexvar_epi64, _mm512_set_epi64, _mm512_srlv_epi64};

use super::vector::{LANES, Vector, Words, load, splat, store};
use crate::{
    Permutation,
    permutation::{BlockMove, Moves},
    scalar,
};

/// One vector of an image: the source block's words in their new order.
///
/// # Safety
/// The source block lies within `words`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) unsafe fn moved(words: *const Words, source: BlockMove) -> Vector {
    // The permuting instruction reads the lower three bits of each lane, and the places have three bits each.
    let shifts = _mm512_set_epi64(21, 18, 15, 12, 9, 6, 3, 0);
    let places = _mm512_srlv_epi64(splat(source.places()), shifts);
    // SAFETY: by the contract of this function; arrays of words are aligned like words.
    _mm512_permutexvar_epi64(places, load(unsafe { &*words.add(source.block()) }))
}

pub(crate) fn permute(out: &mut [u64], input: &[u64], permutation: &Permutation) {
    /// # Safety
    /// The numbers of all source blocks are below the number of blocks of the input.
    #[target_feature(enable = "avx512f")]
    unsafe fn vectors(out: &mut [u64], input: &[u64], blocks: &[BlockMove]) {
        let inputs = input.as_ptr().cast::<Words>();
        for (out, source) in out.as_chunks_mut::<LANES>().0.iter_mut().zip(blocks) {
            debug_assert!((source.block() + 1) * LANES <= input.len());
            // SAFETY: by the contract of this function.
            store(out, unsafe { moved(inputs, *source) });
        }
    }
    assert!(out.len() == permutation.len() && input.len() == permutation.len());
    match permutation.moves() {
        // SAFETY: a permutation has as many blocks as the input, and all its sources are in range. The table of
        // this back-end is handed out only after detection.
        Moves::Blocks(blocks) => unsafe { vectors(out, input, blocks) },
        Moves::Words(_) => scalar::permute(out, input, permutation),
    }
}
