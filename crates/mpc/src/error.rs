//! Why triples can't be made.

use asanoha_lattice::MissingKey;
use thiserror::Error;

use crate::{BITS, MAX_DIMENSION, MAX_PARTIES, MAX_TRIPLES, TripleParamsError};

/// Why triples can't be made.
#[derive(Debug, Error)]
pub enum MpcError {
    /// A dimension is 0 or too large.
    #[error("matrices of {found} {what}: take from 1 to {MAX_DIMENSION}")]
    Dimension {
        /// Which dimension.
        what: &'static str,
        /// What it was.
        found: usize,
    },
    /// Too few or too many parties.
    #[error("triples for {0} parties: take from 2 to {MAX_PARTIES}")]
    Parties(usize),
    /// No triples or too many.
    #[error("{0} triples: take from 1 to {MAX_TRIPLES}")]
    Count(u64),
    /// A block that the triples don't have.
    #[error("block {found} of triples that have {blocks}, counted from 0")]
    Block {
        /// Which.
        found: u64,
        /// How many there are.
        blocks: u64,
    },
    /// A modulus of a size for which there are no triples.
    #[error("a modulus of {0} bits: take a prime of {least} to {most} bits", least = BITS.start(), most = BITS.end())]
    Bits(u64),
    /// The modulus isn't a prime.
    #[error("the modulus {0} isn't a prime: codes protect nothing where a number has no inverse")]
    Composite(num_bigint::BigUint),
    /// The generator takes more memory than it may, whatever its blocks.
    #[error(
        "generation takes about {needed} bytes, and the limit is {limit}: allow more memory or take smaller matrices"
    )]
    Memory {
        /// About the bytes that it takes.
        needed: u64,
        /// The bytes that are allowed.
        limit: u64,
    },
    /// There are no parameters.
    #[error(transparent)]
    Params(#[from] TripleParamsError),
    /// A block can't be generated.
    #[error(transparent)]
    Generate(#[from] GenerateError),
}

impl MpcError {
    /// Whether the settings are wrong, rather than the computation impossible.
    pub fn is_usage(&self) -> bool {
        !matches!(self, Self::Memory { .. } | Self::Params(_) | Self::Generate(_))
    }
}

/// Why a block can't be generated.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GenerateError {
    /// A key that isn't there.
    #[error(transparent)]
    Key(#[from] MissingKey),
    /// Decryption gave garbage.
    #[error(
        "a decryption opened more noise than there can be: memory or keys are damaged; generate the block again"
    )]
    Noise,
}
