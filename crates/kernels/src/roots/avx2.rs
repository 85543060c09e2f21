//! The roots of the NTT on vectors of four words.

use super::powers::powers;
use crate::Modulus;

/// The widest modulus, and the widest word, of the double-precision loops.
pub(crate) const MAX_FLOAT_BITS: u32 = 50;

/// Words in a vector.
const LANES: usize = 4;

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
#[repr(C, align(32))]
pub(crate) struct Lanes {
    pub(crate) values: [u64; LANES],
    pub(crate) quotients: [u64; LANES],
}

/// Roots per block in its last two layers: of one and two sub-blocks of each lane.
const LANE_ROOTS: usize = 3;

/// The powers of ψ or of ψ⁻¹ for one ring degree and prime.
#[derive(Clone, Debug)]
pub(crate) struct Direction {
    /// Bit-reversed powers down to the layer that pairs vectors.
    pub(crate) singles: Vec<Single>,
    /// For each block, the roots of its two layers inside vectors: one root, and the two below it.
    pub(crate) lanes: Vec<[Lanes; LANE_ROOTS]>,
}

/// Roots of both directions: in double precision where the modulus allows that, with 64-bit quotients elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Roots {
    pub(crate) forward: Direction,
    pub(crate) inverse: Direction,
}

impl Roots {
    /// From ψ and ψ⁻¹; `None` for ring degrees below [`MIN_DEGREE`].
    pub(crate) fn new(q: &Modulus, ring_degree: usize, roots: [u64; 2]) -> Option<Self> {
        let prepare = |value: u64| {
            if q.bits() <= MAX_FLOAT_BITS {
                let value = value as f64;
                Single { value: value.to_bits(), quotient: (value / q.value() as f64).to_bits() }
            } else {
                Single { value, quotient: q.shoup(value).quotient }
            }
        };
        let direction = |root| {
            let powers = powers(q, root, ring_degree);
            Direction::new(powers.len(), |index| prepare(powers[index]))
        };
        (ring_degree >= MIN_DEGREE).then(|| {
            let [forward, inverse] = roots.map(direction);
            Self { forward, inverse }
        })
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
}
