//! The negacyclic FFT in double precision: its tables of roots, its order, and the passes that all back-ends share.
//!
//! A real polynomial a modulo X^n + 1 is folded to the complex one of M = n/2 coefficients aⱼ + i·aⱼ₊ₘ modulo
//! X^M − i. The transform goes down the tree of factors: modulo X^L − ζ² it splits into one modulo X^(L/2) − ζ and
//! one modulo X^(L/2) + ζ, by butterflies x, y → x + ζy, x − ζy. So there's neither a twist before nor a bit
//! reversal after. The sibling of the node with root ζ has the root iζ: one product serves both.
//!
//! A butterfly takes six fused operations: four for u = x + ζy, and 2x − u for the other. Going back up the same tree
//! would multiply after adding, which takes eight. So the inverse is that of a cyclic transform, whose roots depend on
//! the place and not on the node, followed by a twist: with η = ψ = exp(πi/n), values at ηω^t of Σ aⱼX^j are
//! those of Σ (aⱼη^j)X^j at ω^t.

#[macro_use]
mod external;
#[macro_use]
mod passes;

pub(crate) use external::{Ahead, Digit, MAX_POLYS, NEAREST_TURN, NEAREST_WORD, TILE_TURNS};
pub use external::{ExternalProduct, ExternalProductError, ProductScratch};
pub(crate) use passes::{blocks, blocks_mut, rows_mut};

use std::f64::consts::TAU;

use libm::sincos;
use thiserror::Error;

/// The smallest ring degree of the FFT.
pub const MIN_FFT_DEGREE: usize = 1 << 9;
/// The largest ring degree of the FFT.
pub const MAX_FFT_DEGREE: usize = 1 << 13;

/// Complex numbers side by side in the layout: eight real parts, then eight imaginary parts.
pub(crate) const LANES: usize = 8;

/// Eight complex numbers of the Fourier domain: real parts, imaginary parts.
pub(crate) type Block = [[f64; LANES]; 2];

/// A tile.
pub(crate) type Tile = [Block; LANES];

/// Complex numbers in a tile; the last six layers keep a tile in registers.
const TILE: usize = LANES * LANES;

/// The odd exponent e such that entry `index` (of n/2) of a polynomial in the Fourier domain holds its value at
/// ψ^e, where ψ = exp(πi/n) and n is the ring degree: e = 4·reverse(t) + 1, where t is the index with its lowest
/// three bits and the three above them exchanged, and reverse turns round its log2(n/2) bits.
///
/// [`fourier_words`] gives the two words of entry `index`.
pub fn fourier_exponent(ring_degree: usize, index: usize) -> usize {
    let count = ring_degree / 2;
    debug_assert!(count.is_power_of_two() && count >= TILE && index < count);
    let exchanged = (index & !(TILE - 1)) | ((index % LANES) * LANES) | (index / LANES % LANES);
    4 * reversed(exchanged, count.ilog2()) + 1
}

/// The indices of the words that hold the real and the imaginary part of entry `index` in a slice of the Fourier
/// domain, where each block of eight real parts is followed by the eight imaginary parts that go with them.
pub fn fourier_words(index: usize) -> (usize, usize) {
    let re = index / LANES * 2 * LANES + index % LANES;
    (re, re + LANES)
}

fn reversed(index: usize, bits: u32) -> usize {
    index.reverse_bits().unbounded_shr(usize::BITS - bits)
}

/// Why a table for the FFT can't be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("ring degree {0} must be a power of two from {MIN_FFT_DEGREE} to {MAX_FFT_DEGREE}")]
pub struct FftError(pub usize);

/// A complex root of unity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Root {
    pub(crate) re: f64,
    pub(crate) im: f64,
}

/// The roots of eight neighbouring nodes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct LaneRoots {
    pub(crate) re: [f64; LANES],
    pub(crate) im: [f64; LANES],
}

/// The roots of unity that the FFT kernels read, for one ring degree.
#[derive(Clone, Debug)]
pub struct FftTable {
    ring_degree: usize,
    /// The root of node 2^l + k, the k-th of layer l, down to the layer of 16 entries a node.
    roots: Vec<Root>,
    /// For each tile of 64 entries, the roots of its last three layers. A lane belongs to a group of eight entries and
    /// has four roots: of the group, of its lower half, and of the first and the third of its quarters.
    lanes: Vec<[LaneRoots; 4]>,
    inverse: InverseRoots,
}

/// The roots of the inverse transform. A vector of eight places has one root for each lane.
#[derive(Clone, Debug)]
pub(crate) struct InverseRoots {
    /// Of the layers that join 8, 16 and 32 entries with as many; the second half of the last has its own.
    pub(crate) tile: [LaneRoots; 4],
    /// Of two layers each, for each vector of the entries that are joined.
    pub(crate) passes: Vec<Vec<[LaneRoots; 2]>>,
    pub(crate) last: LastRoots,
}

/// The roots of the last two or three inverse layers, and the twist.
#[derive(Clone, Debug)]
pub(crate) struct LastRoots {
    /// How many rows are joined: 4 or 8.
    pub(crate) rows: usize,
    /// For each vector of a row, 2 roots or 4.
    pub(crate) roots: Vec<LaneRoots>,
    /// For each vector of a row, the factors 2/n·η^−j of all rows' results.
    pub(crate) twists: Vec<LaneRoots>,
}

impl LaneRoots {
    fn new(root: impl Fn(usize) -> Root) -> Self {
        Self { re: std::array::from_fn(|lane| root(lane).re), im: std::array::from_fn(|lane| root(lane).im) }
    }
}

impl InverseRoots {
    /// For `count` = n/2 entries.
    fn new(count: usize) -> Self {
        // exp(−2πi·j/order) for the eight places j of a vector.
        let vector = |start: usize, order: usize| {
            LaneRoots::new(|lane| unity((order - (start + lane) % order) % order, order))
        };
        let two = |start, length: usize| [vector(start, 2 * length), vector(start, 4 * length)];
        let three = |start, length: usize| {
            let [first, second] = two(start, length);
            [first, second, vector(start, 8 * length), vector(start + length, 8 * length)]
        };
        let rows = if (count / TILE).ilog2().is_multiple_of(2) { 4 } else { 8 };
        let mut passes = Vec::new();
        let mut length = TILE;
        while length * rows < count {
            passes.push((0..length).step_by(LANES).map(|start| two(start, length)).collect());
            length *= 4;
        }
        let starts = (0..length).step_by(LANES);
        let roots = if rows == 4 {
            starts.clone().flat_map(|start| two(start, length)).collect()
        } else {
            starts.clone().flat_map(|start| three(start, length)).collect()
        };
        let scale = 1.0 / count as f64;
        let twist = |start: usize| {
            let LaneRoots { re, im } = vector(start, 4 * count);
            LaneRoots { re: re.map(|re| scale * re), im: im.map(|im| scale * im) }
        };
        let twists = starts.flat_map(|start| (0..rows).map(move |row| twist(row * length + start))).collect();
        Self { tile: three(0, LANES), passes, last: LastRoots { rows, roots, twists } }
    }
}

impl FftTable {
    /// Tables for polynomials modulo X^n + 1, for n = `ring_degree`.
    pub fn new(ring_degree: usize) -> Result<Self, FftError> {
        if !ring_degree.is_power_of_two() || !(MIN_FFT_DEGREE..=MAX_FFT_DEGREE).contains(&ring_degree) {
            return Err(FftError(ring_degree));
        }
        let count = ring_degree / 2;
        let groups = count / LANES;
        let lane_roots = |tile: usize, scale: usize, offset: usize| {
            LaneRoots::new(|lane| node_root((groups + tile * LANES + lane) * scale + offset))
        };
        Ok(Self {
            ring_degree,
            // There is no node 0: entry 0 repeats the root of node 1.
            roots: (0..groups).map(|node| node_root(node.max(1))).collect(),
            lanes: (0..count / TILE)
                .map(|tile| {
                    [(1, 0), (2, 0), (4, 0), (4, 2)].map(|(scale, offset)| lane_roots(tile, scale, offset))
                })
                .collect(),
            inverse: InverseRoots::new(count),
        })
    }

    /// The ring degree n.
    pub fn ring_degree(&self) -> usize {
        self.ring_degree
    }

    /// The roots of a node, of its first child, and of its first and third grandchildren: the first `W` of these. The
    /// roots of the other nodes of the family are these times i.
    #[inline]
    pub(crate) fn family<const W: usize>(&self, node: usize) -> [Root; W] {
        const FAMILY: [(usize, usize); 4] = [(1, 0), (2, 0), (4, 0), (4, 2)];
        std::array::from_fn(|i| self.roots[node * FAMILY[i].0 + FAMILY[i].1])
    }

    #[inline]
    pub(crate) fn lanes(&self) -> &[[LaneRoots; 4]] {
        &self.lanes
    }

    #[inline]
    pub(crate) fn inverse(&self) -> &InverseRoots {
        &self.inverse
    }
}

/// ζ of a node: exp(2πi·(4·reverse(k) + 1)/2^(l + 3)) for the k-th node of layer l.
fn node_root(node: usize) -> Root {
    let layer = node.ilog2();
    let k = node - (1 << layer);
    unity(4 * reversed(k, layer) + 1, 8 << layer)
}

/// exp(2πi·k/order) for k < order, a multiple of 4. For precision it's taken from the first eighth of the circle, so that
/// roots a quarter apart have the same bits; the bits are the same on every platform.
fn unity(k: usize, order: usize) -> Root {
    let quarter = order / 4;
    let (quarters, rest) = (k / quarter, k % quarter);
    let within_eighth = 2 * rest <= quarter;
    let nearer = if within_eighth { rest } else { quarter - rest };
    let (sin, cos) = sincos(TAU * (nearer as f64 / order as f64));
    let (re, im) = if within_eighth { (cos, sin) } else { (sin, cos) };
    match quarters {
        0 => Root { re, im },
        1 => Root { re: -im, im: re },
        2 => Root { re: -re, im: -im },
        _ => Root { re: im, im: -re },
    }
}

/// exp(−πi/4), the root of the third inverse layer.
pub(crate) const EIGHTH: Root =
    Root { re: std::f64::consts::FRAC_1_SQRT_2, im: -std::f64::consts::FRAC_1_SQRT_2 };

/// Panics unless input and output have as many words as the table's ring degree.
pub(crate) fn check_transform<A, B>(out: &[A], input: &[B], table: &FftTable) {
    assert_eq!(out.len(), table.ring_degree);
    assert_eq!(input.len(), table.ring_degree);
}

/// Panics unless the slices have the same length, a multiple of 16 words.
pub(crate) fn check_lengths(acc: &[f64], a: &[f64], b: &[f64]) {
    assert_eq!(acc.len(), a.len());
    assert_eq!(acc.len(), b.len());
    assert!(acc.len().is_multiple_of(2 * LANES), "{} words aren't whole blocks", acc.len());
}
