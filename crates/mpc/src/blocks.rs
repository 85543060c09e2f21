//! The choice of the blocks that matrices are multiplied in, and of the pieces that triples are made of.

use asanoha_circuits::matrix::BatchPacking;
use asanoha_kernels::Backend;

use crate::{
    GeneratorSettings, MpcError, TripleOptions, TripleParams, TripleParamsError, TripleShape,
    generate::INNER_STEP,
};

/// The largest blocks: two evaluation keys for each row of them.
const LARGEST_OUTER: usize = 128;
/// The memory of everything but the computation itself, in bytes: the program, tables, and what threads work in.
const OTHERS: u64 = 200 << 20;

/// Milliseconds of one thread at N = 2^15 and a modulus of 128 bits (records/2026-11-22-matrix-triples.md). Only their ratios count.
///
/// A party's encryption of a column or row, and its share of the codes.
const CIPHERTEXT: f64 = 11.5;
/// The division of a sum to the lower level, with its key switches.
const SWITCH: f64 = 17.0;
/// A party's shares of a sum and of its codes.
const SHARES: f64 = 8.4;
/// A term of a sum.
const TERM: f64 = 0.21;
/// The keys of a sum.
const KEYS: f64 = 77.0;

/// The blocks of matrices, and the pieces of a triple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blocks {
    /// The rows of blocks on the left and the columns on the right: a power of two.
    pub(crate) outer: usize,
    /// The parts of the inner dimension, of equal length: each is a triple of its own, and their sum is the triple.
    pub(crate) pieces: usize,
}

impl Blocks {
    /// The blocks and pieces with the least work for a number of triples, keys included, within the memory; with the parameters of the
    /// pieces.
    ///
    /// Few triples fill few of a batch's slots. Smaller blocks have fewer sums and keys, and more of them are in a batch; more pieces
    /// have fewer columns and rows to encrypt.
    ///
    /// # Errors
    /// The errors of [`GeneratorSettings::check`], [`MpcError::Params`] if no ring holds the computation, and [`MpcError::Memory`] if the memory
    /// doesn't suffice.
    pub(crate) fn choose(
        settings: &GeneratorSettings,
        triples: u64,
    ) -> Result<(Self, TripleParams), MpcError> {
        let ring = Self { outer: 1, pieces: 1 }.params(settings)?;
        let mut candidates = Vec::new();
        let mut least = u64::MAX;
        for outer in outers(&settings.shape) {
            let batch = batch(&ring, outer)?;
            let inner = settings.shape.inner;
            for pieces in (1..=inner).filter(|&pieces| inner.is_multiple_of(pieces)) {
                let Some(work) = Work::new(settings, Self { outer, pieces }, batch) else { continue };
                let memory = work.memory(&ring);
                least = least.min(memory);
                if settings.memory_limit.is_none_or(|limit| memory <= limit) {
                    candidates.push((work.total(triples), work.blocks));
                }
            }
        }
        candidates.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        for (_, blocks) in candidates {
            let params = blocks.params(settings)?;
            // Pieces have less noise than whole triples, and perhaps a smaller ring.
            if params.block_size() >= blocks.pieces {
                return Ok((blocks, params));
            }
        }
        Err(MpcError::Memory { needed: least, limit: settings.memory_limit.unwrap_or(u64::MAX) })
    }

    /// The parameters of the pieces.
    fn params(self, settings: &GeneratorSettings) -> Result<TripleParams, MpcError> {
        let modulus = settings.check()?.value().clone();
        let (shape, parties, outer) = (self.shape(&settings.shape), settings.parties, self.outer);
        let options =
            TripleOptions { modulus, shape, parties, outer, insecure_ring_degree: None, backend: None };
        Ok(TripleParams::choose(&options)?)
    }

    /// The shape of a piece.
    fn shape(self, whole: &TripleShape) -> TripleShape {
        TripleShape { inner: whole.inner / self.pieces, ..*whole }
    }
}

/// The sizes of blocks that are tried, up to that of whole matrices.
fn outers(shape: &TripleShape) -> impl Iterator<Item = usize> {
    let largest = shape.rows.max(shape.columns).next_power_of_two().min(LARGEST_OUTER);
    (0..=largest.ilog2()).map(|log2| 1 << log2)
}

/// The matrices of a batch of blocks of a size.
fn batch(ring: &TripleParams, outer: usize) -> Result<usize, TripleParamsError> {
    let packing = BatchPacking::new(ring.rlwe.ring_degree(), &ring.modulus, outer, Backend::detect()?)?;
    Ok(packing.batch())
}

/// The work of generating a block of pieces.
struct Work {
    blocks: Blocks,
    whole: TripleShape,
    parties: usize,
    /// The pieces of a block.
    block_size: usize,
    /// The batches that a block takes.
    batches: usize,
}

impl Work {
    /// The work with batches of so many matrices; `None` if a block doesn't hold all pieces of a triple.
    fn new(settings: &GeneratorSettings, blocks: Blocks, batch: usize) -> Option<Self> {
        let whole = settings.shape;
        let grid = whole.rows.div_ceil(blocks.outer) * whole.columns.div_ceil(blocks.outer);
        let block_size = (batch / grid).max(1);
        let batches = (block_size * grid).div_ceil(batch);
        let work = Self { blocks, whole, parties: settings.parties, block_size, batches };
        (block_size >= blocks.pieces).then_some(work)
    }

    /// The work for a number of triples, keys included.
    fn total(&self, triples: u64) -> f64 {
        let Blocks { outer, pieces } = self.blocks;
        let (outer, parties, inner) = (outer as f64, self.parties as f64, (self.whole.inner / pieces) as f64);
        let ciphertexts = 2.0 * inner * parties * CIPHERTEXT;
        let sums = outer * (SWITCH + parties * SHARES + inner * TERM);
        let batches = triples.div_ceil((self.block_size / pieces) as u64) as f64 * self.batches as f64;
        batches * (ciphertexts + sums) + outer * KEYS
    }

    /// About the bytes at the generation's peak in a ring of whole triples: up to a tenth more than measured with 2 parties, at 1 to 128
    /// rows.
    fn memory(&self, ring: &TripleParams) -> u64 {
        // N: ring degree; a word is one residue of one prime.
        let rlwe = &ring.rlwe;
        let words = |primes: usize| primes * rlwe.ring_degree();
        let (all, low) = (words(rlwe.q(rlwe.max_level()).len()), rlwe.q(ring.low).len());
        let Blocks { outer, pieces } = self.blocks;
        let piece = self.blocks.shape(&self.whole);
        let inner = piece.inner.min(INNER_STEP);
        let (ciphertexts, sums) = (4 * all * inner, 4 * all * outer);
        // Two keys of two parts for each row, in packed words.
        let special = rlwe.special(ring.low).len();
        let bits = rlwe.q(ring.low).max_bits().max(rlwe.p().max_bits()) as usize;
        let keys = 4 * low.div_ceil(special) * words(low + special) * outer * bits / 64;
        // Shares of decryptions, and packed blocks.
        let limbs = ring.modulus.limbs();
        let shares = self.parties * words(limbs + 1) * outer.max(inner);
        let blocks = self.parties * words(limbs) * inner;
        let joined = if pieces == 1 { 0 } else { self.block_size / pieces * self.whole.entries() };
        let matrices = self.parties * 2 * limbs * (self.block_size * piece.entries() + joined);
        let computed = 8 * (ciphertexts + sums + keys + shares + blocks + matrices) as u64;
        OTHERS + computed + computed / 12
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ModulusChoice;

    fn settings(bits: u32, shape: TripleShape, memory_limit: Option<u64>) -> GeneratorSettings {
        GeneratorSettings { modulus: ModulusChoice::Bits(bits), shape, parties: 2, memory_limit }
    }

    fn choose(settings: &GeneratorSettings, triples: u64) -> Blocks {
        Blocks::choose(settings, triples).unwrap().0
    }

    #[test]
    fn blocks_of_many_triples_are_as_large_as_matrices_and_memory_allow() {
        let outer =
            |dimension, limit| choose(&settings(64, TripleShape::square(dimension), limit), 1 << 20).outer;
        assert_eq!([1, 2, 3, 64, 100, 200].map(|dimension| outer(dimension, None)), [1, 2, 4, 64, 128, 128]);
        assert_eq!(outer(128, Some(64 << 30)), 128);
        assert!(outer(128, Some(1 << 30)) < 128);
        let error = Blocks::choose(&settings(64, TripleShape::square(128), Some(1 << 20)), 1).unwrap_err();
        assert!(matches!(error, MpcError::Memory { limit: 1048576, needed } if needed > OTHERS), "{error}");
    }

    /// At 128 × 128 modulo 128 bits: a batch has 256 blocks of 128 rows or 4096 of 8.
    #[test]
    fn few_triples_are_cut_into_small_blocks_and_pieces_that_fill_a_batch() {
        let settings = settings(128, TripleShape::square(128), None);
        let few = choose(&settings, 1);
        assert!(few.outer <= 8 && few.pieces >= 8, "{few:?}");
        let (blocks, params) = Blocks::choose(&settings, 1).unwrap();
        assert_eq!(params.shape(), TripleShape { inner: 128 / blocks.pieces, ..settings.shape });
        assert!(params.block_size() >= blocks.pieces);
        assert_eq!(choose(&settings, 1 << 20), Blocks { outer: 128, pieces: 1 });
    }

    /// The choice is the least of all by the definition of the work, one candidate after the other.
    #[test]
    fn no_other_blocks_and_pieces_take_less_work() {
        let shape = TripleShape { rows: 9, inner: 12, columns: 5 };
        let settings = settings(64, shape, None);
        let ring = Blocks { outer: 1, pieces: 1 }.params(&settings).unwrap();
        for triples in [1, 7, 1000, 1 << 20] {
            let chosen = choose(&settings, triples);
            let total = |outer, pieces| {
                let work = Work::new(&settings, Blocks { outer, pieces }, batch(&ring, outer).unwrap());
                work.map(|work| work.total(triples))
            };
            let least = total(chosen.outer, chosen.pieces).unwrap();
            for outer in [1, 2, 4, 8, 16] {
                for pieces in [1, 2, 3, 4, 6, 12] {
                    let other = total(outer, pieces);
                    assert!(
                        other.is_none_or(|other| other >= least),
                        "{triples}: {chosen:?}, {outer}, {pieces}"
                    );
                }
            }
        }
    }
}
