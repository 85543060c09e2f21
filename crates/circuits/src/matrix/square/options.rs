//! How a product is computed.

use super::SquareError;

/// How rotations are made, which decides how many keys there are: time for memory (Mono, Güneysu, Section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rotations {
    /// Each by itself out of the encrypted matrix, with a key of its own.
    Plain,
    /// All of a matrix out of one decomposition, each with a key of its own.
    Hoisted,
    /// Each out of the one before: with relinearisation three keys for everything.
    Reused,
    /// So many at a time out of one decomposition, from where the last ones ended: as many keys for each side.
    HoistedReused {
        /// Rotations at a time, from 1 to the side of blocks.
        group: usize,
    },
}

impl Rotations {
    /// How many follow from one ciphertext, for blocks of a side.
    pub(super) fn group(self, side: usize) -> Result<usize, SquareError> {
        match self {
            Self::Plain | Self::Hoisted => Ok(side),
            Self::Reused => Ok(1),
            Self::HoistedReused { group } if (1..=side).contains(&group) => Ok(group),
            Self::HoistedReused { group } => Err(SquareError::Group { group, side }),
        }
    }
}

/// Whether something that is used more than once is kept in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keep {
    /// It's computed once.
    Stored,
    /// It's computed for every use.
    Recomputed,
}

/// How a product is computed. The default is the fastest way for several blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SquareOptions {
    /// How rotations are made.
    pub rotations: Rotations,
    /// The encoded masks, of one product after another.
    pub masks: Keep,
    /// The rotations of all blocks, of which every product of blocks in a row or column uses the same (Section 4.4). Of one
    /// block of rows and one of columns nothing is used twice: recomputed, which means a few at a time, is faster then.
    pub images: Keep,
    /// Key switches are finished once for each sum: products are added before they are relinearised (Section 4.4), and masked
    /// rotations before their mod-down.
    pub lazy: bool,
    /// Divisions by dropped primes are merged with those that end key switches.
    pub merged: bool,
}

impl Default for SquareOptions {
    fn default() -> Self {
        Self {
            rotations: Rotations::Hoisted,
            masks: Keep::Stored,
            images: Keep::Stored,
            lazy: true,
            merged: true,
        }
    }
}

/// What is wanted of a product. By default no more than that it decrypts, as fast as it can be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SquareWishes {
    /// The most bytes ([`super::SquareCost::bytes`]).
    pub memory: Option<usize>,
    /// The rows and columns of blocks, a power of two; else the best of all (slicing: Mono, Güneysu, Section 3.2).
    pub side: Option<usize>,
    /// What results leave of their modulus, in bits.
    pub headroom_bits: f64,
}
