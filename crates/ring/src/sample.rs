//! Randomness: seeds from the operating system, seeds derived from others by purpose, the ChaCha20 streams that seeds
//! expand to, and the distributions of lattice cryptography.

use asanoha_kernels::{Keystream, Modulus};
use chacha20::{
    ChaCha20Rng,
    rand_core::{Rng, SeedableRng},
};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::gaussian::gaussian;
use crate::memory::Words;
use crate::rns::{Basis, Evaluation, Poly, Work};

/// The centred binomial distribution is the difference between the numbers of ones in two words of this many random
/// bits.
pub const CENTRED_BINOMIAL_HALF_WIDTH: u32 = 21;
/// The variance of an error coefficient: σ = √10.5 ≈ 3.24, not below the 3.19 of the security tables.
pub const ERROR_VARIANCE: f64 = CENTRED_BINOMIAL_HALF_WIDTH as f64 / 2.0;
/// The variance of a coefficient that is −1, 0 or 1 with equal probability.
pub const TERNARY_VARIANCE: f64 = 2.0 / 3.0;

/// The 32 bytes that a random stream is expanded from.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct Seed(pub [u8; 32]);

impl std::fmt::Debug for Seed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seed(..)")
    }
}

impl Seed {
    /// How many words it is.
    pub const WORDS: usize = 4;

    /// A fresh seed from the operating system.
    ///
    /// # Panics
    /// If the operating system has no randomness to give: there's no safe way to go on.
    pub fn from_os() -> Self {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).expect("the operating system gives randomness");
        Self(bytes)
    }

    /// Its bytes as words, for files.
    pub fn to_words(&self) -> [u64; Self::WORDS] {
        std::array::from_fn(|i| u64::from_le_bytes(self.0[8 * i..8 * i + 8].try_into().expect("eight bytes")))
    }

    /// The seed of [`Seed::to_words`].
    ///
    /// # Panics
    /// Unless there are [`Seed::WORDS`].
    pub fn from_words(words: &[u64]) -> Self {
        let mut seed = Self([0; 32]);
        assert_eq!(words.len(), Self::WORDS);
        let bytes = seed.0.chunks_exact_mut(8).zip(words);
        bytes.for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
        seed
    }

    /// Derives the seed of a purpose and of its parts: BLAKE3 keyed with this seed, over the purpose and the parts,
    /// each preceded by its length. Seeds of another purpose or other parts are independent of it.
    pub fn derive(&self, purpose: &str, parts: &[&[u8]]) -> Self {
        let mut hash = Zeroizing::new(blake3::Hasher::new_keyed(&self.0));
        for part in std::iter::once(&purpose.as_bytes()).chain(parts) {
            hash.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Self(*Zeroizing::new(hash.finalize()).as_bytes())
    }
}

/// A source of randomness: a ChaCha20 stream, whose key is erased on drop. In a forked process it continues with
/// another stream, seeded by the operating system, so that two processes never draw the same values.
pub struct Sampler {
    /// The stream's key, four words.
    key: Words,
    /// The position of the next word in the stream, in words of 32 bits.
    position: u128,
    seeded: bool,
}

impl std::fmt::Debug for Sampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sampler(..)")
    }
}

impl Sampler {
    /// The stream of a given seed. The same seed gives the same values on every machine; [`Sampler::is_seeded`] is
    /// true, so that keys and files made from it can be marked.
    pub fn new(seed: &Seed) -> Self {
        let mut key = Words::secret(seed.0.len() / size_of::<u64>());
        bytemuck::cast_slice_mut(&mut key).copy_from_slice(&seed.0);
        Self { key, position: 0, seeded: true }
    }

    /// The stream of a secret seed that came from the operating system and is kept to draw the same values again. The
    /// caller answers for that, and for drawing each stream for one purpose and one message only.
    pub fn again(seed: &Seed) -> Self {
        Self { seeded: false, ..Self::new(seed) }
    }

    /// `count` words, uniform.
    pub fn uniform(&mut self, count: usize) -> Words {
        self.words(count)
    }

    /// A stream seeded by the operating system.
    pub fn from_os() -> Self {
        Self { seeded: false, ..Self::new(&Seed::from_os()) }
    }

    /// Whether the stream comes from a given seed: whoever knows the seed can compute every value drawn from it.
    pub fn is_seeded(&self) -> bool {
        self.seeded
    }

    /// A stream for a purpose and its parts ([`Seed::derive`]), seeded by the next bytes of this one. Streams from one
    /// seed that differ in the purpose or in a part are independent, even where their samplers are at the same
    /// position: so nothing is drawn twice if one seed is used for two things.
    pub fn branch(&mut self, purpose: &str, parts: &[&[u8]]) -> Self {
        Self { seeded: self.seeded, ..Self::new(&self.seed().derive(purpose, parts)) }
    }

    /// A new independent seed, from the next bytes of the stream.
    pub fn seed(&mut self) -> Seed {
        let mut seed = Seed([0; 32]);
        self.fill(&mut seed.0);
        seed
    }

    fn fill(&mut self, bytes: &mut [u8]) {
        if self.key.is_lost() {
            *self = Self::from_os();
        }
        let mut key = Seed([0; 32]);
        key.0.copy_from_slice(bytemuck::cast_slice(&self.key));
        let mut stream = ChaCha20Rng::from_seed(key.0);
        stream.set_word_pos(self.position);
        stream.fill_bytes(bytes);
        self.position = stream.get_word_pos();
    }

    /// `count` random words.
    fn words(&mut self, count: usize) -> Words {
        let mut words = Words::secret(count);
        self.fill(bytemuck::cast_slice_mut(&mut words));
        words.iter_mut().for_each(|word| *word = u64::from_le(*word));
        words
    }

    /// `count` bits, each in a word of its own.
    pub fn binary(&mut self, count: usize) -> Words {
        let mut words = self.words(count);
        words.iter_mut().for_each(|word| *word &= 1);
        words
    }

    /// `count` values of −1, 0, 1, each with probability 1/3 to within 2^−62, in a time that doesn't depend on the
    /// values.
    pub fn ternary(&mut self, count: usize) -> Zeroizing<Vec<i64>> {
        let words = self.words(count);
        Zeroizing::new(words.iter().map(|&word| ((u128::from(word) * 3) >> 64) as i64 - 1).collect())
    }

    /// `count` values of which `weight` are 1 or −1 and all others 0, any such choice equally likely to within 2^−40, in a time
    /// that doesn't depend on the values.
    ///
    /// Each place in turn is taken with the probability of what is still to be taken among what is left (selection sampling:
    /// Fan, Muller, Rezucha 1962).
    ///
    /// # Panics
    /// If the weight is above the count.
    pub fn sparse(&mut self, count: usize, weight: usize) -> Zeroizing<Vec<i64>> {
        assert!(weight <= count, "{weight} values of {count} can't be different from 0");
        let (words, signs) = (self.words(count), self.binary(count));
        let mut missing = weight as u64;
        let draws = words.iter().zip(signs.iter()).enumerate();
        let values = draws.map(|(place, (&word, &sign))| {
            let drawn = ((u128::from(word) * (count - place) as u128) >> 64) as u64;
            // 1 if drawn < missing: both are far below 2^63.
            let taken = drawn.wrapping_sub(missing) >> 63;
            missing -= taken;
            taken as i64 * (1 - 2 * sign as i64)
        });
        Zeroizing::new(values.collect())
    }

    /// `count` centred binomial errors of variance [`ERROR_VARIANCE`], at most [`CENTRED_BINOMIAL_HALF_WIDTH`] in size,
    /// in a time that doesn't depend on the values.
    pub fn error(&mut self, count: usize) -> Zeroizing<Vec<i64>> {
        const MASK: u64 = (1 << CENTRED_BINOMIAL_HALF_WIDTH) - 1;
        let words = self.words(count);
        let difference = |&word: &u64| {
            let (first, second) = (word & MASK, (word >> CENTRED_BINOMIAL_HALF_WIDTH) & MASK);
            i64::from(first.count_ones()) - i64::from(second.count_ones())
        };
        Zeroizing::new(words.iter().map(difference).collect())
    }

    /// Returns `count` values of a continuous Gaussian of the given standard deviation, rounded, in a time that doesn't depend on
    /// the values.
    ///
    /// The statistical distance of a value's distribution from that Gaussian's is at most 2^−100. No value is larger than 15
    /// standard deviations.
    ///
    /// # Panics
    /// Unless the standard deviation is in [0, 2^52].
    pub fn gaussian(&mut self, count: usize, standard_deviation: f64) -> Zeroizing<Vec<i64>> {
        gaussian(count, standard_deviation, |words| self.uniform(words))
    }
}

/// The uniform polynomial that a seed expands to, in evaluation form. Each prime has a stream of its own, so that fewer
/// primes of a basis give the same residues modulo these.
pub fn uniform_from_seed(basis: &Basis, seed: &Seed) -> Poly<Evaluation> {
    Poly::build(basis, Work::Transform, |_, limb, out| write_uniform(limb.modulus(), seed, out))
}

/// The residues of [`uniform_from_seed`] modulo the prime at one position of a basis.
pub fn uniform_limb(basis: &Basis, position: usize, seed: &Seed) -> Words {
    let mut words = basis.words();
    write_uniform(basis.modulus(position), seed, &mut words);
    words
}

/// Writes the uniform words that a seed expands to. Streams of different numbers are independent.
pub fn uniform_words(seed: &Seed, stream: u64, out: &mut [u64]) {
    Keystream::new(&seed.0, stream).words(out);
}

/// Writes the uniform 32-bit words that a seed expands to. Streams of different numbers are independent.
pub fn uniform_words_32(seed: &Seed, stream: u64, out: &mut [u32]) {
    let mut keystream = Keystream::new(&seed.0, stream);
    let mut words = [0; 128];
    for out in out.chunks_mut(2 * words.len()) {
        keystream.words(&mut words);
        for (out, word) in out.chunks_mut(2).zip(words) {
            out.iter_mut().zip([word as u32, (word >> 32) as u32]).for_each(|(out, half)| *out = half);
        }
    }
}

fn write_uniform(q: &Modulus, seed: &Seed, out: &mut [u64]) {
    Keystream::new(&seed.0, q.value()).residues(q, out);
}
