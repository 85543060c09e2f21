//! Unpacking of words.

use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_and_si256, _mm256_set_m128i, _mm256_shuffle_epi8, _mm256_srlv_epi64,
};

use super::vector::{LANES, Words, load, splat, store};
use crate::PackedWords;

/// Words in a group: eight words of b bits take b bytes, so every group begins with a byte.
const GROUP: usize = 8;
/// Words that are taken from one 16-byte load.
const PAIR: usize = 2;

/// How a vector of words, the first or the second of a group, is taken from the bytes of its pairs.
struct Vector {
    /// The bytes of the group at which the pairs begin.
    starts: [usize; LANES / PAIR],
    places: __m256i,
    shifts: __m256i,
}

impl Vector {
    #[target_feature(enable = "avx2")]
    fn new(bits: usize, place: usize) -> Self {
        // For each lane: the byte of the group in which its pair begins, and the bits from there to its word.
        let lane = |lane: usize| {
            let first = place * LANES + lane / PAIR * PAIR;
            (first * bits / 8, first * bits % 8 + lane % PAIR * bits)
        };
        let places = |i: usize| u64::from_le_bytes(std::array::from_fn(|byte| (lane(i).1 / 8 + byte) as u8));
        let shifts: Words = std::array::from_fn(|i| (lane(i).1 % 8) as u64);
        Self {
            starts: std::array::from_fn(|pair| lane(pair * PAIR).0),
            places: load(&std::array::from_fn(places)),
            shifts: load(&shifts),
        }
    }

    /// Bytes from the first of the group to the last that is read.
    fn reach(&self) -> usize {
        self.starts[1] + size_of::<[u64; PAIR]>()
    }

    /// # Safety
    /// As many bytes as [`Self::reach`] says can be read from `group` on.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn read(&self, group: *const u8) -> __m256i {
        let [low, high] = self.starts;
        // SAFETY: by the contract of this function; the instruction asks for no alignment.
        let (low, high) =
            unsafe { (_mm_loadu_si128(group.add(low).cast()), _mm_loadu_si128(group.add(high).cast())) };
        _mm256_srlv_epi64(_mm256_shuffle_epi8(_mm256_set_m128i(high, low), self.places), self.shifts)
    }
}

pub(crate) fn unpack(out: &mut [u64], words: PackedWords<'_>, start: usize) {
    /// Unpacks whole groups and returns how many: those whose bytes, with the following ones that are read too, lie
    /// inside the data.
    #[target_feature(enable = "avx2")]
    fn vectors(out: &mut [u64], words: PackedWords<'_>, start: usize) -> usize {
        let bits = words.bits() as usize;
        let [first, second] = [0, 1].map(|place| Vector::new(bits, place));
        let mask = splat(u64::MAX >> (64 - bits));
        let bytes = &words.bytes()[start / GROUP * bits..];
        let readable = bytes.len().checked_sub(second.reach()).map_or(0, |more| more / bits + 1);
        let groups = out.as_chunks_mut::<GROUP>().0.iter_mut().take(readable);
        let count = groups.len();
        for (index, group) in groups.enumerate() {
            let (vectors, _) = group.as_chunks_mut::<LANES>();
            for (out, vector) in vectors.iter_mut().zip([&first, &second]) {
                // SAFETY: index·bits + reach is at most the number of bytes.
                let read = unsafe { vector.read(bytes.as_ptr().add(index * bits)) };
                store(out, _mm256_and_si256(read, mask));
            }
        }
        count
    }
    assert!(start <= words.len() && out.len() <= words.len() - start);
    let groups = if words.bits() <= PackedWords::MAX_BITS_OF_EIGHT_BYTES && start.is_multiple_of(GROUP) {
        // SAFETY: the table of this back-end is handed out only after detection.
        unsafe { vectors(out, words, start) }
    } else {
        0
    };
    words.unpack(start + groups * GROUP, &mut out[groups * GROUP..]);
}
