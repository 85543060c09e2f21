//! The roots of unity as the passes read them.

use std::arch::x86_64::__m512i;

use super::{BLOCK, MIN_DEGREE};
use crate::avx512::vector::{Factor, LANES, Words, load, splat};
use crate::table::powers;
use crate::{Modulus, NttTable, evaluation_exponent};

/// A root for all lanes, with its quotient.
#[derive(Clone, Copy, Debug)]
struct Single {
    value: u64,
    quotient: u64,
}

/// A root for each lane.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Lanes {
    values: Words,
    quotients: Words,
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
    singles: Vec<Single>,
    /// For each block, the trees of its layers between vectors and of its first group.
    blocks: Vec<[[Single; NODES]; 2]>,
    /// F^1 to F^7.
    twist: [Lanes; LANES - 1],
}

/// Roots of both directions.
#[derive(Clone, Debug)]
pub(crate) struct Roots {
    pub(crate) forward: Direction,
    pub(crate) inverse: Direction,
}

impl Roots {
    /// With quotients ⌊root·2^`quotient_bits`/q⌋; `None` for ring degrees below [`MIN_DEGREE`].
    pub(crate) fn new(table: &NttTable, quotient_bits: u32) -> Option<Self> {
        let direction = |root| Direction::new(table.modulus(), root, table.ring_degree(), 64 - quotient_bits);
        (table.ring_degree() >= MIN_DEGREE)
            .then(|| Self { forward: direction(table.root()), inverse: direction(table.inverse_root()) })
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

    /// The root at a bit-reversed index below N/64.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn single(&self, index: usize) -> Factor {
        self.singles[index].splat()
    }

    /// The `node`-th root of the layers between the vectors of a 64-word block.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn upper(&self, block: usize, node: usize) -> Factor {
        self.blocks[block][0][node - 1].splat()
    }

    /// The `node`-th root of the layers between the columns of a 64-word block whose groups are twisted.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn lower(&self, block: usize, node: usize) -> Factor {
        self.blocks[block][1][node - 1].splat()
    }

    /// F^j for j = 1 … 7, in lanes.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn twist(&self, j: usize) -> Factor {
        let lanes = &self.twist[j - 1];
        Factor { value: load(&lanes.values), quotient: load(&lanes.quotients) }
    }
}

impl Single {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn splat(&self) -> Factor {
        Factor { value: splat(self.value), quotient: splat(self.quotient) }
    }
}

/// The bit-reversed index of a node in the binary tree of roots whose top has index `top`. Nodes are numbered 1 (the
/// top), then 2 and 3, then 4 to 7.
#[inline]
pub(crate) fn tree_index(top: usize, node: usize) -> usize {
    let level = node.ilog2();
    (top << level) + node - (1 << level)
}

/// Eight vectors.
pub(crate) type Eight = [__m512i; LANES];
