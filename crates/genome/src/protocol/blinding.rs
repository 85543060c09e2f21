//! What the server multiplies with so that the client learns no more than it should.

use asanoha_ring::{Sampler, Seed};

use super::shape::BLOCKS;

/// What random numbers are for. Each purpose, shape and column has a stream of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// Hide all of a count but whether it's 0.
    Blind,
    /// Hide a count where the next isn't 0.
    Hide,
    /// Combine what letters lack to be bits.
    Check,
    /// Spoil the answer to what isn't bits.
    Spoil,
}

/// The random numbers of one answer. They follow from a seed, which is used for one answer only.
#[derive(Debug)]
pub(crate) struct Blinding {
    seed: Seed,
    modulus: u64,
}

impl Blinding {
    /// Modulo a prime t.
    pub(crate) fn new(seed: Seed, modulus: u64) -> Self {
        Self { seed, modulus }
    }

    /// Uniform numbers modulo t, centred, without those below `least`.
    fn draw(&self, purpose: Purpose, column: usize, least: u64, count: usize) -> Vec<i64> {
        let name = format!("{purpose:?}");
        let seed = self.seed.derive("blinding of a genome search", &[name.as_bytes(), &column.to_le_bytes()]);
        let mut sampler = Sampler::again(&seed);
        let shift = (self.modulus - 1).leading_zeros();
        let mut drawn = Vec::with_capacity(count);
        while drawn.len() < count {
            let words = sampler.uniform(count);
            let candidates = words.iter().map(|word| word >> shift);
            let residues = candidates.filter(|residue| (least..self.modulus).contains(residue));
            let centred = residues.map(|residue| {
                residue as i64 - if residue > self.modulus / 2 { self.modulus as i64 } else { 0 }
            });
            drawn.extend(centred.take(count - drawn.len()));
        }
        drawn
    }

    /// A number from 1 to t − 1 for each block.
    pub(crate) fn units(&self, purpose: Purpose, column: usize) -> [i64; BLOCKS] {
        self.draw(purpose, column, 1, BLOCKS).try_into().expect("as many as asked for")
    }

    /// A number modulo t for each block.
    pub(crate) fn blocks(&self, purpose: Purpose, column: usize) -> [i64; BLOCKS] {
        self.draw(purpose, column, 0, BLOCKS).try_into().expect("as many as asked for")
    }

    /// Numbers modulo t.
    pub(crate) fn residues(&self, purpose: Purpose, column: usize, count: usize) -> Vec<i64> {
        self.draw(purpose, column, 0, count)
    }
}
