//! What can go wrong.

use asanoha_scheme::SchemeError;
use thiserror::Error;

/// Why matrices can't be multiplied so.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SquareError {
    /// The side of blocks isn't a power of two.
    #[error("blocks have a power of two of rows and columns, and not {side}")]
    Side {
        /// The side asked for.
        side: usize,
    },
    /// The ring is too small, whatever the plaintext modulus.
    #[error("two {side} × {side} matrices take 2^{} slots, and the ring degree is {ring_degree}", (2 * side * side).ilog2())]
    RingDegree {
        /// The side asked for.
        side: usize,
        /// The ring degree.
        ring_degree: usize,
    },
    /// The plaintext modulus has too few slots.
    #[error(
        "{side} × {side} matrices need a prime plaintext modulus that is 1 modulo {needed}; this one has {slots} slots, which hold blocks of at most {largest} × {largest}"
    )]
    Modulus {
        /// The side asked for.
        side: usize,
        /// What the plaintext modulus must be 1 modulo.
        needed: usize,
        /// The slots that there are.
        slots: usize,
        /// The largest side that they hold, 0 if none.
        largest: usize,
    },
    /// A group of hoisted rotations that isn't from 1 to the side.
    #[error("groups of hoisted rotations have 1 to {side}, and not {group}")]
    Group {
        /// The group asked for.
        group: usize,
        /// The side of blocks.
        side: usize,
    },
    /// Matrices of another shape, or without entries.
    #[error("{found:?} isn't the shape of the matrices, {expected:?}, of which none is empty")]
    Shape {
        /// Rows and columns expected.
        expected: [usize; 2],
        /// Those found.
        found: [usize; 2],
    },
    /// More matrices than a ciphertext holds.
    #[error("a ciphertext holds {batch} blocks, not {found}")]
    Count {
        /// How many it holds.
        batch: usize,
        /// How many there are.
        found: usize,
    },
    /// Another number of ciphertexts than there are blocks.
    #[error("there are {expected} blocks, and {found} ciphertexts or plaintexts")]
    Blocks {
        /// The number of blocks.
        expected: usize,
        /// What was found.
        found: usize,
    },
    /// No choice fits the memory.
    #[error("the product takes {needed} bytes at least, and {limit} are allowed")]
    Memory {
        /// The fewest bytes.
        needed: usize,
        /// The limit.
        limit: usize,
    },
    /// An operation of the scheme that can't be done; above all noise that doesn't fit the modulus.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
}
