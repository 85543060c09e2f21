//! The roots of unity as the passes read them.

use std::arch::x86_64::__m512i;

use super::{BLOCK, MIN_DEGREE};
use crate::NttTable;
use crate::avx512::vector::{Factor, LANES, Words, load, splat};

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

/// Roots per 64-word block in its last three layers: of one, two and four sub-blocks of each lane.
const LANE_ROOTS: usize = 7;

/// The powers of ψ or of ψ⁻¹ for one ring degree and prime.
#[derive(Clone, Debug)]
pub(crate) struct Direction {
    /// Bit-reversed powers down to the layer that pairs vectors.
    singles: Vec<Single>,
    /// For each 64-word block, the roots of its layers inside vectors, in the order of [`Direction::lanes`].
    lanes: Vec<[Lanes; LANE_ROOTS]>,
}

/// Roots of both directions.
#[derive(Clone, Debug)]
pub(crate) struct Roots {
    pub(crate) forward: Direction,
    pub(crate) inverse: Direction,
}

impl Roots {
    /// From the powers of a table, with quotients ⌊root·2^`quotient_bits`/q⌋; `None` for ring degrees below
    /// [`MIN_DEGREE`].
    pub(crate) fn new(table: &NttTable, quotient_bits: u32) -> Option<Self> {
        (table.ring_degree() >= MIN_DEGREE).then(|| Self {
            forward: Direction::new(&table.roots, &table.root_quotients, 64 - quotient_bits),
            inverse: Direction::new(&table.inverse_roots, &table.inverse_root_quotients, 64 - quotient_bits),
        })
    }
}

impl Direction {
    fn new(values: &[u64], quotients: &[u64], shift: u32) -> Self {
        let degree = values.len();
        let single = |index: usize| Single { value: values[index], quotient: quotients[index] >> shift };
        // Lane g of a transposed block holds the g-th of its 8-word groups; a group of a layer with `parts` of them
        // has the roots from (N/8 + 8·block + g)·parts on.
        let lanes = |block: usize, parts: usize, part: usize| {
            let index = |g: usize| (degree / LANES + block * LANES + g) * parts + part;
            Lanes {
                values: std::array::from_fn(|g| values[index(g)]),
                quotients: std::array::from_fn(|g| quotients[index(g)] >> shift),
            }
        };
        Self {
            singles: (0..degree / LANES).map(single).collect(),
            lanes: (0..degree / BLOCK)
                .map(|block| {
                    std::array::from_fn(|i| {
                        let parts = 1 << (i + 1).ilog2();
                        lanes(block, parts, i + 1 - parts)
                    })
                })
                .collect(),
        }
    }

    /// The root at a bit-reversed index below N/8.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn single(&self, index: usize) -> Factor {
        let root = &self.singles[index];
        Factor { value: splat(root.value), quotient: splat(root.quotient) }
    }

    /// The `node`-th root of the binary tree over the lanes of a 64-word block: 1, then 2 and 3, then 4 to 7.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn lanes(&self, block: usize, node: usize) -> Factor {
        let root = &self.lanes[block][node - 1];
        Factor { value: load(&root.values), quotient: load(&root.quotients) }
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
