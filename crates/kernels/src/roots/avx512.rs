//! The roots of the NTTs on vectors of eight words.

use super::powers::powers;
use crate::{Modulus, evaluation_exponent};

/// Words in a vector.
const LANES: usize = 8;

/// Words in a block of the innermost layers.
pub(crate) const BLOCK: usize = LANES * LANES;

/// The least ring degree with at least one layer above the blocks; smaller ones take the portable code.
const MIN_DEGREE: usize = 2 * BLOCK;

/// A root for all lanes, with its quotient.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Single {
    pub(crate) value: u64,
    pub(crate) quotient: u64,
}

/// A root for each lane.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Lanes {
    pub(crate) values: [u64; LANES],
    pub(crate) quotients: [u64; LANES],
}

/// The nodes of a tree of three layers.
const NODES: usize = 7;

/// The powers of ψ or of ψ⁻¹ for one ring degree and prime.
///
/// A 64-word block is a polynomial modulo X^64 − C; after three layers its groups g = 0 … 7 of eight words are polynomials
/// modulo X^8 − C_g. Between group g and group 0 the ratio of the X at which they're evaluated is F_g = ψ^(reverse(g)·N/32)
/// in every block, three bits reversed. With word j of group g multiplied by F_g^j, all groups are polynomials modulo
/// X^8 − C_0, and their last three layers have the same roots: seven words a block in place of seven vectors.
#[derive(Clone, Debug)]
pub(crate) struct Direction {
    /// Bit-reversed powers of the layers above the blocks.
    pub(crate) singles: Vec<Single>,
    /// For each block, the trees of its layers between vectors and of its first group.
    pub(crate) blocks: Vec<[[Single; NODES]; 2]>,
    /// F^1 to F^7.
    pub(crate) twist: [Lanes; LANES - 1],
}

/// Roots of both directions.
#[derive(Clone, Debug)]
pub(crate) struct Roots {
    pub(crate) forward: Direction,
    pub(crate) inverse: Direction,
}

impl Roots {
    /// From ψ and ψ⁻¹, with quotients ⌊root·2^`quotient_bits`/q⌋; `None` for ring degrees below [`MIN_DEGREE`].
    pub(crate) fn new(q: &Modulus, ring_degree: usize, roots: [u64; 2], quotient_bits: u32) -> Option<Self> {
        (ring_degree >= MIN_DEGREE).then(|| {
            let [forward, inverse] =
                roots.map(|root| Direction::new(q, root, ring_degree, 64 - quotient_bits));
            Self { forward, inverse }
        })
    }
}

impl Direction {
    fn new(modulus: &Modulus, root: u64, degree: usize, shift: u32) -> Self {
        let powers = powers(modulus, root, degree);
        let prepared = |value: u64| Single { value, quotient: modulus.shoup(value).quotient >> shift };
        let tree = |top: usize| std::array::from_fn(|node| prepared(powers[tree_index(top, node + 1)]));
        let count = degree / BLOCK;
        let lanes = |j: usize| {
            let singles: [Single; LANES] = std::array::from_fn(|g| {
                let reversed = evaluation_exponent(LANES, g) / 2;
                prepared(modulus.pow(root, (reversed * degree / 32 * j) as u64))
            });
            Lanes { values: singles.map(|w| w.value), quotients: singles.map(|w| w.quotient) }
        };
        Self {
            singles: powers[..count].iter().map(|&value| prepared(value)).collect(),
            blocks: (0..count)
                .map(|block| [tree(count + block), tree(degree / LANES + block * LANES)])
                .collect(),
            twist: std::array::from_fn(|j| lanes(j + 1)),
        }
    }
}

/// The bit-reversed index of a node in the binary tree of roots whose top has index `top`. Nodes are numbered 1 (the
/// top), then 2 and 3, then 4 to 7.
#[inline]
pub(crate) fn tree_index(top: usize, node: usize) -> usize {
    let level = node.ilog2();
    (top << level) + node - (1 << level)
}
