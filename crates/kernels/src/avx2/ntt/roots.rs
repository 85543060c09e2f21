//! The roots of unity as the passes read them.

use super::{BLOCK, MIN_DEGREE};
use crate::avx2::MAX_FLOAT_BITS;
use crate::avx2::vector::{Factor, LANES, Words, load, splat};
use crate::{NttTable, table::powers};

/// A root for all lanes, with its quotient.
#[derive(Clone, Copy, Debug)]
struct Single {
    value: u64,
    quotient: u64,
}

/// A root for each lane.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Lanes {
    values: Words,
    quotients: Words,
}

/// Roots per block in its last two layers: of one and two sub-blocks of each lane.
const LANE_ROOTS: usize = 3;

/// The powers of ψ or of ψ⁻¹ for one ring degree and prime.
#[derive(Clone, Debug)]
pub(super) struct Direction {
    /// Bit-reversed powers down to the layer that pairs vectors.
    singles: Vec<Single>,
    /// For each block, the roots of its layers inside vectors, in the order of [`Direction::lanes`].
    lanes: Vec<[Lanes; LANE_ROOTS]>,
}

/// Roots of both directions: in double precision where the modulus allows that, with 64-bit quotients elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Roots {
    pub(super) forward: Direction,
    pub(super) inverse: Direction,
}

impl Roots {
    /// From the powers of a table; `None` for ring degrees below [`MIN_DEGREE`].
    pub(crate) fn new(table: &NttTable) -> Option<Self> {
        let q = table.modulus();
        let prepare = |value: u64| {
            if q.bits() <= MAX_FLOAT_BITS {
                let value = value as f64;
                Single { value: value.to_bits(), quotient: (value / q.value() as f64).to_bits() }
            } else {
                Single { value, quotient: q.shoup(value).quotient }
            }
        };
        let direction = |root| {
            let powers = powers(q, root, table.ring_degree());
            Direction::new(powers.len(), |index| prepare(powers[index]))
        };
        (table.ring_degree() >= MIN_DEGREE)
            .then(|| Self { forward: direction(table.root()), inverse: direction(table.inverse_root()) })
    }
}

impl Direction {
    fn new(degree: usize, single: impl Fn(usize) -> Single) -> Self {
        // Lane g of a transposed block holds the g-th of its groups; a group of a layer with `parts` of them has
        // the roots from (N/4 + 4·block + g)·parts on.
        let lanes = |block: usize, parts: usize, part: usize| {
            let root = |g: usize| single((degree / LANES + block * LANES + g) * parts + part);
            Lanes {
                values: std::array::from_fn(|g| root(g).value),
                quotients: std::array::from_fn(|g| root(g).quotient),
            }
        };
        Self {
            singles: (0..degree / LANES).map(&single).collect(),
            lanes: (0..degree / BLOCK)
                .map(|block| [lanes(block, 1, 0), lanes(block, 2, 0), lanes(block, 2, 1)])
                .collect(),
        }
    }

    /// The root at a bit-reversed index below N/4.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn single(&self, index: usize) -> Factor {
        let root = &self.singles[index];
        Factor { value: splat(root.value), quotient: splat(root.quotient) }
    }

    /// The roots of two layers: the one at `index`, and the two below it.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn singles(&self, index: usize) -> [Factor; 3] {
        [self.single(index), self.single(2 * index), self.single(2 * index + 1)]
    }

    /// The roots of the two layers inside the vectors of a block, in lanes: one root, and the two below it.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn lanes(&self, block: usize) -> [Factor; 3] {
        let [a, b, c] = &self.lanes[block];
        let root = |lanes: &Lanes| Factor { value: load(&lanes.values), quotient: load(&lanes.quotients) };
        [root(a), root(b), root(c)]
    }
}
