//! ChaCha20 keystreams, and the residues that public seeds expand to.

use chacha20::{
    ChaCha20Rng,
    rand_core::{Rng, SeedableRng},
};

use crate::Modulus;
#[cfg(target_arch = "x86_64")]
use crate::avx512;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::simd128;

/// Words in a group: 16 blocks.
const GROUP: usize = 128;

/// The keystream of ChaCha20 with a 64-bit counter and a 64-bit stream number, from its start, as little-endian words.
///
/// Source: Bernstein, "ChaCha, a variant of Salsa20" (2008), with 20 rounds.
///
/// ```
/// use asanoha_kernels::Keystream;
/// let mut words = [0; 3];
/// Keystream::new(&[0; 32], 0).words(&mut words);
/// // The first words of the published test vector: 76 b8 e0 ad a0 f1 3d 90 …
/// assert_eq!(words[0].to_le_bytes(), [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90]);
/// ```
pub struct Keystream(Source);

enum Source {
    /// All blocks of a group side by side.
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::ChaCha20),
    /// Four blocks side by side.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128(simd128::ChaCha20),
    Portable(Box<ChaCha20Rng>),
}

impl std::fmt::Debug for Keystream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keystream(..)")
    }
}

impl Keystream {
    /// The stream of a key and a number, on the best that this processor has.
    pub fn new(key: &[u8; 32], stream: u64) -> Self {
        #[cfg(target_arch = "x86_64")]
        if avx512::is_available() {
            return Self(Source::Avx512(avx512::ChaCha20::new(key, stream)));
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        if simd128::is_available() {
            return Self(Source::Simd128(simd128::ChaCha20::new(key, stream)));
        }
        Self::portable(key, stream)
    }

    fn portable(key: &[u8; 32], stream: u64) -> Self {
        let mut rng = ChaCha20Rng::from_seed(*key);
        rng.set_stream(stream);
        Self(Source::Portable(Box::new(rng)))
    }

    fn group(&mut self, out: &mut [u64; GROUP]) {
        match &mut self.0 {
            #[cfg(target_arch = "x86_64")]
            Source::Avx512(blocks) => blocks.group(out),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Source::Simd128(blocks) => blocks.group(out),
            Source::Portable(rng) => {
                let mut bytes = [0; 8 * GROUP];
                rng.fill_bytes(&mut bytes);
                let words = bytes.as_chunks().0;
                out.iter_mut().zip(words).for_each(|(word, bytes)| *word = u64::from_le_bytes(*bytes));
            }
        }
    }

    /// Writes the next words. A call leaves off the rest of its last group of 128 words.
    pub fn words(&mut self, out: &mut [u64]) {
        let (groups, rest) = out.as_chunks_mut();
        groups.iter_mut().for_each(|group| self.group(group));
        if !rest.is_empty() {
            let mut group = [0; GROUP];
            self.group(&mut group);
            rest.copy_from_slice(&group[..rest.len()]);
        }
    }

    /// Writes uniform residues: of every word as many bits as q has, where they are below q. How many words that takes depends on
    /// the words, so they must not be secret.
    pub fn residues(&mut self, q: &Modulus, out: &mut [u64]) {
        let mut group = [0; GROUP];
        let mut filled = 0;
        while filled < out.len() {
            self.group(&mut group);
            #[cfg(target_arch = "x86_64")]
            if matches!(self.0, Source::Avx512(_)) && out.len() - filled >= GROUP {
                filled += avx512::keep_residues(q, &group, &mut out[filled..]);
                continue;
            }
            filled += keep_residues(q, &group, &mut out[filled..]);
        }
    }
}

/// Writes the residues among words; how many.
fn keep_residues(q: &Modulus, words: &[u64; GROUP], out: &mut [u64]) -> usize {
    let mask = u64::MAX >> (u64::BITS - q.bits());
    let mut kept = 0;
    for word in words {
        let Some(next) = out.get_mut(kept) else { break };
        // Always written, but kept only if it's below q.
        *next = word & mask;
        kept += usize::from(*next < q.value());
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ChaCha20 by its definition.
    fn block(key: &[u8; 32], stream: u64, counter: u64) -> [u64; 8] {
        let mut state = [0u32; 16];
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
        b"expand 32-byte k".chunks(4).chain(key.chunks(4)).zip(&mut state).for_each(|(c, s)| *s = word(c));
        state[12..14].copy_from_slice(&[counter as u32, (counter >> 32) as u32]);
        state[14..16].copy_from_slice(&[stream as u32, (stream >> 32) as u32]);
        let mut v = state;
        let mut quarter = |[a, b, c, d]: [usize; 4]| {
            for (x, y, z, turn) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
                v[x] = v[x].wrapping_add(v[y]);
                v[z] = (v[z] ^ v[x]).rotate_left(turn);
            }
        };
        for _ in 0..10 {
            (0..4).for_each(|i| quarter([i, 4 + i, 8 + i, 12 + i]));
            (0..4).for_each(|i| quarter([i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4]));
        }
        let sums: Vec<u32> = v.iter().zip(state).map(|(v, s)| v.wrapping_add(s)).collect();
        std::array::from_fn(|i| u64::from(sums[2 * i]) | u64::from(sums[2 * i + 1]) << 32)
    }

    fn keys() -> impl Iterator<Item = ([u8; 32], u64)> {
        let key = |seed: u8| std::array::from_fn(|i| (i as u8).wrapping_mul(151).wrapping_add(seed));
        [(0, 0), (1, 1), (200, u64::MAX), (77, 0x8000_0000_0000_0001), (9, 1 << 32)]
            .into_iter()
            .map(move |(seed, stream)| (key(seed), stream))
    }

    #[test]
    fn streams_are_chacha20() {
        for (key, stream) in keys() {
            for make in [Keystream::new, Keystream::portable] {
                let mut words = [0; 5 * GROUP + 37];
                make(&key, stream).words(&mut words);
                for (counter, words) in words.chunks(8).enumerate() {
                    assert_eq!(words, &block(&key, stream, counter as u64)[..words.len()]);
                }
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn counters_carry_into_their_upper_half() {
        if !avx512::is_available() {
            return;
        }
        for (key, stream) in keys() {
            let mut blocks = avx512::ChaCha20::at(&key, stream, (1 << 32) - 16);
            for counter in ((1u64 << 32) - 16..).step_by(16).take(2) {
                let mut words = [0; GROUP];
                blocks.group(&mut words);
                for (k, words) in words.chunks(8).enumerate() {
                    assert_eq!(words, block(&key, stream, counter + k as u64));
                }
            }
        }
    }

    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    #[test]
    fn counters_carry_into_their_upper_half() {
        for (key, stream) in keys() {
            let mut blocks = simd128::ChaCha20::at(&key, stream, (1 << 32) - 16);
            for counter in ((1u64 << 32) - 16..).step_by(16).take(2) {
                let mut words = [0; GROUP];
                blocks.group(&mut words);
                for (k, words) in words.chunks(8).enumerate() {
                    assert_eq!(words, block(&key, stream, counter + k as u64));
                }
            }
        }
    }

    #[test]
    fn residues_are_the_words_below_q_in_their_order() {
        for q in [3, 5, 257, 65537, (1 << 30) + 3, (1 << 59) + 55, (1 << 60) + 33] {
            let q = Modulus::new(q).unwrap();
            let mask = u64::MAX >> (64 - q.bits());
            for (key, stream) in keys() {
                let mut words = vec![0; 40 * GROUP];
                Keystream::new(&key, stream).words(&mut words);
                let expected: Vec<u64> =
                    words.iter().map(|word| word & mask).filter(|&word| word < q.value()).collect();
                for length in [0, 1, 7, 127, 128, 129, 500, 1031] {
                    for make in [Keystream::new, Keystream::portable] {
                        let mut found = vec![u64::MAX; length];
                        make(&key, stream).residues(&q, &mut found);
                        assert_eq!(found, expected[..length]);
                    }
                }
            }
        }
    }
}
