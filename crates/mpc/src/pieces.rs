//! Few triples of a long inner dimension, put together of pieces.
//!
//! A = [A₁ … Aₖ] and B = [B₁; …; Bₖ], stacked, have A·B = A₁·B₁ + … + Aₖ·Bₖ, and shares and their codes are linear: of k triples with
//! an inner dimension of n/k each party makes one of n by itself. A block holds a fixed number of triples whatever their inner
//! dimension, and takes a time that grows with that. So where fewer are asked for than a block holds, pieces fill it, and blocks of
//! fewer rows and columns leave room for more pieces.

use asanoha_circuits::matrix::MatrixBatch;
use asanoha_ring::{Seed, WideModulus};

use crate::{
    Generator, GeneratorSettings, MpcError, PartyTriples, SharedMatrices, TripleShape, TripleSource,
    blocks::Blocks,
};

/// The homomorphic generator of so many triples of these settings, with the keys that follow from a seed.
///
/// # Errors
/// The errors of [`GeneratorSettings::check`], [`MpcError::Params`] if no ring holds the computation, and [`MpcError::Memory`] if the memory
/// doesn't suffice.
pub fn source(settings: &GeneratorSettings, triples: u64, seed: Seed) -> Result<Pieces, MpcError> {
    Pieces::choose(settings, triples, seed)
}

/// A generator whose triples are pieces of those that it gives.
#[derive(Debug)]
pub struct Pieces {
    generator: Generator,
    /// How many make a triple.
    count: usize,
}

impl Pieces {
    /// The generator of so many triples, in the blocks and pieces that take the least work, keys included.
    ///
    /// # Errors
    /// The errors of [`source`].
    pub fn choose(settings: &GeneratorSettings, triples: u64, mut seed: Seed) -> Result<Self, MpcError> {
        let (Blocks { pieces, .. }, params) = Blocks::choose(settings, triples)?;
        // Pieces of triples aren't the triples of their own dimensions.
        seed = seed.derive("pieces of triples", &[&(pieces as u64).to_le_bytes()]);
        Ok(Self { generator: Generator::new(params, seed), count: pieces })
    }

    /// A generator's triples, so many of which make one.
    ///
    /// # Panics
    /// If a block of the generator holds fewer.
    pub fn new(generator: Generator, count: usize) -> Self {
        assert!((1..=generator.params().block_size()).contains(&count));
        Self { generator, count }
    }

    /// The generator of the pieces.
    pub fn generator(&self) -> &Generator {
        &self.generator
    }

    /// Triples put together of a party's pieces.
    fn join(&self, pieces: &PartyTriples) -> PartyTriples {
        let shapes = self.shape().matrices();
        PartyTriples { matrices: std::array::from_fn(|which| self.matrices(pieces, which, shapes[which])) }
    }

    fn matrices(&self, pieces: &PartyTriples, which: usize, shape: [usize; 2]) -> SharedMatrices {
        let SharedMatrices { values, codes } = &pieces.matrices[which];
        SharedMatrices { values: self.batch(values, which, shape), codes: self.batch(codes, which, shape) }
    }

    /// Pieces of A side by side, of B one above the other, of A·B added.
    fn batch(&self, pieces: &MatrixBatch, which: usize, shape: [usize; 2]) -> MatrixBatch {
        let modulus = self.modulus();
        let mut joined = MatrixBatch::zero(modulus, shape, self.block_size());
        let [rows, columns] = pieces.shape();
        for index in 0..joined.count() {
            for piece in 0..self.count {
                for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
                    let entry = pieces.entry(index * self.count + piece, row, column);
                    match which {
                        0 => joined.entry_mut(index, row, piece * columns + column).copy_from_slice(entry),
                        1 => joined.entry_mut(index, piece * rows + row, column).copy_from_slice(entry),
                        _ => modulus.add_assign(joined.entry_mut(index, row, column), entry),
                    }
                }
            }
        }
        joined
    }
}

impl TripleSource for Pieces {
    fn modulus(&self) -> &WideModulus {
        TripleSource::modulus(&self.generator)
    }

    fn shape(&self) -> TripleShape {
        let shape = TripleSource::shape(&self.generator);
        TripleShape { inner: shape.inner * self.count, ..shape }
    }

    fn parties(&self) -> usize {
        TripleSource::parties(&self.generator)
    }

    fn mac_key_share(&self, party: usize) -> &[u64] {
        self.generator.mac_key_share(party)
    }

    fn block_size(&self) -> usize {
        TripleSource::block_size(&self.generator) / self.count
    }

    fn security_bits(&self) -> u32 {
        self.generator.security_bits()
    }

    fn name(&self) -> String {
        let name = self.generator.name();
        if self.count == 1 { name } else { format!("{name}, each triple of {} pieces", self.count) }
    }

    fn digest(&self) -> String {
        let digest = self.generator.digest();
        if self.count == 1 { digest } else { format!("{digest}.{}", self.count) }
    }

    fn block(&self, index: u64) -> Result<Vec<PartyTriples>, MpcError> {
        let parties = TripleSource::block(&self.generator, index)?;
        if self.count == 1 {
            return Ok(parties);
        }
        Ok(parties.iter().map(|pieces| self.join(pieces)).collect())
    }
}
