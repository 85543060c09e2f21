//! Known answers: digests of results that follow from one seed, which are written down once.

use std::fmt::Write as _;

/// Digests by the names of what was computed.
#[derive(Debug, Default)]
pub struct KnownAnswers(String);

impl KnownAnswers {
    /// Adds a line: a name, and the digest of polynomials' words.
    pub fn add<'w>(&mut self, name: &str, polynomials: impl IntoIterator<Item = &'w [u64]>) {
        let mut hasher = blake3::Hasher::new();
        for words in polynomials {
            words.iter().for_each(|word| _ = hasher.update(&word.to_le_bytes()));
        }
        let digest = &hasher.finalize().to_hex()[..32];
        writeln!(self.0, "{name} {digest}").expect("strings take all that is written");
    }

    /// Holds all lines against those written down.
    ///
    /// # Panics
    /// If they differ.
    pub fn expect(&self, known: &str) {
        assert!(self.0 == known, "these are other results than the known ones:\n{}", self.0);
    }
}
