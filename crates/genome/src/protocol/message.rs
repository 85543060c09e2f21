//! Queries and answers as bytes.
//!
//! A message is eight bytes that name its kind and version, the search's digest, and its words without the zeros above them:
//! a query's seed of 32 bytes and the coefficients of c₀ that expansion doesn't annihilate, modulo each prime; an answer's residues of
//! c₁ modulo each prime, then the read coefficients of c₀ modulo each. The residues of one prime are filled up to whole words of 64
//! bits, the lowest byte first.

use asanoha_ring::{Basis, Coefficient, Evaluation, PackedWords, Poly, Seed};

use super::ProtocolError;

const QUERY: &[u8; 8] = b"asagque2";
const ANSWER: &[u8; 8] = b"asagans1";
const WORD: usize = size_of::<u64>();

/// A query's content.
pub(super) struct QueryMessage {
    pub(super) seed: Seed,
    /// With zeros where expansion annihilates it.
    pub(super) c0: Poly<Coefficient>,
}

/// An answer's content.
pub(super) struct AnswerMessage {
    pub(super) c1: Poly<Evaluation>,
    /// With zeros where nothing is read.
    pub(super) c0: Poly<Coefficient>,
}

/// Appends residues of one prime.
fn put(bytes: &mut Vec<u8>, residues: &[u64], bits: u32) {
    let mut packed = vec![0; PackedWords::size(residues.len(), bits)];
    PackedWords::pack(&mut packed, residues, bits);
    packed.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
}

/// Appends a polynomial's coefficients at some places.
fn put_at(bytes: &mut Vec<u8>, poly: &Poly<Coefficient>, places: &[usize]) {
    for at in 0..poly.basis().len() {
        let read: Vec<u64> = places.iter().map(|&place| poly.limb(at)[place]).collect();
        put(bytes, &read, poly.basis().modulus(at).bits());
    }
}

/// The bytes of so many residues of each prime.
fn size(basis: &Basis, count: usize) -> usize {
    (0..basis.len()).map(|at| WORD * PackedWords::size(count, basis.modulus(at).bits())).sum()
}

/// What is left of a message's bytes, whose length was checked.
struct Rest<'b>(&'b [u8]);

impl Rest<'_> {
    /// The residues of one prime, which may be above it.
    fn take(&mut self, count: usize, bits: u32) -> Vec<u64> {
        let (packed, rest) = self.0.split_at(WORD * PackedWords::size(count, bits));
        self.0 = rest;
        let word = |word: &[u8]| u64::from_le_bytes(word.try_into().expect("eight bytes"));
        let packed: Vec<u64> = packed.chunks_exact(WORD).map(word).collect();
        let mut residues = vec![0; count];
        PackedWords::new(&packed, bits, count).unpack(0, &mut residues);
        residues
    }

    /// A polynomial with zeros but at some places, whose words there may be above their primes.
    fn words_at(&mut self, basis: &Basis, places: &[usize]) -> Vec<u64> {
        let mut words = vec![0; basis.len() * basis.ring_degree()];
        for (at, limb) in words.chunks_exact_mut(basis.ring_degree()).enumerate() {
            let read = self.take(places.len(), basis.modulus(at).bits());
            places.iter().zip(read).for_each(|(&place, word)| limb[place] = word);
        }
        words
    }

    /// A polynomial, whose words may be above their primes.
    fn words(&mut self, basis: &Basis) -> Vec<u64> {
        let limb = |at: usize| self.take(basis.ring_degree(), basis.modulus(at).bits());
        (0..basis.len()).flat_map(limb).collect()
    }
}

/// The content of a message of a kind, a search and a length.
fn content<'b>(
    bytes: &'b [u8],
    (kind, magic): (&'static str, &[u8; 8]),
    digest: &[u8; 32],
    length: usize,
) -> Result<Rest<'b>, ProtocolError> {
    let refused = |what| Err(ProtocolError::Message { kind, what });
    let Some(rest) = bytes.strip_prefix(magic) else {
        return refused("they begin as another kind or version does");
    };
    let Some(rest) = rest.strip_prefix(digest) else {
        return refused("they belong to a search of another shape or other parameters: agree on one");
    };
    if rest.len() == length {
        Ok(Rest(rest))
    } else {
        refused("their length is another: they're cut short or too many")
    }
}

const ABOVE: &str = "a word is above its prime: they're damaged";

impl QueryMessage {
    pub(super) fn write(&self, digest: &[u8; 32], places: &[usize]) -> Vec<u8> {
        let mut bytes = [QUERY, &digest[..], &self.seed.0].concat();
        put_at(&mut bytes, &self.c0, places);
        bytes
    }

    /// # Errors
    /// [`ProtocolError::Message`].
    pub(super) fn read(
        bytes: &[u8],
        digest: &[u8; 32],
        basis: &Basis,
        places: &[usize],
    ) -> Result<Self, ProtocolError> {
        let mut seed = Seed([0; 32]);
        let length = seed.0.len() + size(basis, places.len());
        let mut rest = content(bytes, ("query", QUERY), digest, length)?;
        let (of_seed, polynomial) = rest.0.split_at(seed.0.len());
        seed.0.copy_from_slice(of_seed);
        rest.0 = polynomial;
        let c0 = Poly::from_checked_words(basis, &rest.words_at(basis, places));
        Ok(Self { seed, c0: c0.ok_or(ProtocolError::Message { kind: "query", what: ABOVE })? })
    }
}

impl AnswerMessage {
    /// The bytes of an answer of which some coefficients are read.
    pub(super) fn bytes(basis: &Basis, read: usize) -> usize {
        ANSWER.len() + size_of::<[u8; 32]>() + Self::words_bytes(basis, read)
    }

    fn words_bytes(basis: &Basis, read: usize) -> usize {
        size(basis, basis.ring_degree()) + size(basis, read)
    }

    pub(super) fn write(&self, digest: &[u8; 32], places: &[usize]) -> Vec<u8> {
        let basis = self.c1.basis();
        let mut bytes = [ANSWER, &digest[..]].concat();
        (0..basis.len()).for_each(|at| put(&mut bytes, self.c1.limb(at), basis.modulus(at).bits()));
        put_at(&mut bytes, &self.c0, places);
        bytes
    }

    /// # Errors
    /// [`ProtocolError::Message`].
    pub(super) fn read(
        bytes: &[u8],
        digest: &[u8; 32],
        basis: &Basis,
        places: &[usize],
    ) -> Result<Self, ProtocolError> {
        let mut rest = content(bytes, ("answer", ANSWER), digest, Self::words_bytes(basis, places.len()))?;
        let c1 = Poly::from_checked_words(basis, &rest.words(basis));
        let c0 = Poly::from_checked_words(basis, &rest.words_at(basis, places));
        let both = c1.zip(c0).ok_or(ProtocolError::Message { kind: "answer", what: ABOVE })?;
        Ok(Self { c1: both.0, c0: both.1 })
    }
}
