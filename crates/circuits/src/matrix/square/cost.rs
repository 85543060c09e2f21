//! What a product costs, predicted before there are keys.

use std::fmt;

use asanoha_lattice::{Level, RlweParams};
use asanoha_scheme::Exact;

use super::{Keep, Rotations, SquareLevels, images::PIECE, steps::Steps};

/// The work and the memory of a product.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SquareCost {
    /// Multiplications modulo words, roughly proportional to the time.
    pub word_products: f64,
    /// Bytes of the evaluation keys, without the tables of their permutations.
    pub key_bytes: usize,
    /// Bytes of the encoded masks that are in memory at once.
    pub mask_bytes: usize,
    /// Bytes of the rotations of blocks that are in memory at once, with those that they are made from.
    pub image_bytes: usize,
    /// Bytes of the ciphertexts of all blocks and of the results.
    pub ciphertext_bytes: usize,
    /// Bytes of what key switches need while they run.
    pub working_bytes: usize,
}

impl SquareCost {
    /// All bytes.
    pub fn bytes(&self) -> usize {
        let Self { key_bytes, mask_bytes, image_bytes, ciphertext_bytes, working_bytes, .. } = self;
        key_bytes + mask_bytes + image_bytes + ciphertext_bytes + working_bytes
    }
}

impl fmt::Display for SquareCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (giga, mega) = (self.word_products / 1e9, self.bytes() >> 20);
        write!(f, "{giga:.1}·10^9 word products in {mega} MiB")
    }
}

/// The work at a level, in multiplications for each coefficient.
struct Work {
    /// Of a transform of one limb.
    transform: f64,
    primes: usize,
    special: usize,
    digits: usize,
    digit_primes: usize,
}

impl Work {
    fn new(rlwe: &RlweParams, level: Level) -> Self {
        let (primes, digit_primes) = (level.0 + 1, rlwe.digit_primes(level));
        let transform = f64::from(rlwe.ring_degree().ilog2()) / 2.0;
        let special = rlwe.special(level).len();
        Self { transform, primes, special, digits: primes.div_ceil(digit_primes), digit_primes }
    }

    fn extended(&self) -> usize {
        self.primes + self.special
    }

    /// A polynomial's digits modulo all primes.
    fn decomposition(&self) -> f64 {
        let conversions = self.digits * self.digit_primes * (self.extended() - self.digit_primes);
        (self.digits * self.extended()) as f64 * self.transform + conversions as f64
    }

    /// A product with a key.
    fn key(&self) -> f64 {
        (2 * self.digits * self.extended()) as f64
    }

    /// A ciphertext of so many primes divided down to fewer.
    fn division(&self, from: usize, to: usize) -> f64 {
        if from == to {
            return 0.0;
        }
        2.0 * (from as f64 * self.transform + ((from - to) * to) as f64)
    }

    fn mod_down(&self) -> f64 {
        self.division(self.extended(), self.primes)
    }

    fn rotation(&self) -> f64 {
        self.decomposition() + self.key() + self.mod_down()
    }

    /// A relinearisation or a masked image down to a level, if that is merged, and the switch to it.
    fn division_to(&self, level: Level, merged: bool) -> f64 {
        let to = level.0 + 1;
        if merged {
            self.division(self.extended(), to)
        } else {
            self.mod_down() + self.division(self.primes, to)
        }
    }
}

/// [`super::SquareProduct::cost`], with keys of so many bytes.
pub(super) fn cost<S: Exact>(steps: &Steps<S>, key_bytes: usize) -> SquareCost {
    let rlwe = steps.scheme.rlwe();
    let (n, side, [rows, inner, columns]) = (rlwe.ring_degree(), steps.packing.side(), steps.blocks());
    let SquareLevels { left, product, result } = steps.levels;
    let options = steps.options;
    let [of_left, of_right] = [left, product].map(|level| Work::new(rlwe, level));
    let (lefts, rights, products) = (rows * inner, inner * columns, rows * inner * columns);
    let (left_times, right_times) = match options.images {
        Keep::Stored => (lefts, rights),
        Keep::Recomputed => (products, products),
    };
    let relinearised = if options.lazy { rows * columns } else { products * side };
    let relinearisation =
        of_right.decomposition() + of_right.key() + of_right.division_to(result, options.merged);
    let multiplications = (4 * of_right.primes * side) as f64 * products as f64;
    let per_coefficient = left_work(steps, &of_left) * left_times as f64
        + right_work(steps, &of_right) * right_times as f64
        + multiplications
        + relinearisation * relinearised as f64;

    let ciphertext = |level: Level| 2 * (level.0 + 1) * n * size_of::<u64>();
    let at_once = match options.images {
        Keep::Stored => (rights + inner) * side,
        Keep::Recomputed => 2 * PIECE.min(steps.group) * rayon::current_num_threads().min(rows * columns),
    };
    let masks = match options.masks {
        Keep::Stored => side - 1,
        Keep::Recomputed => PIECE.min(steps.group),
    };
    let mask = if options.lazy {
        of_left.extended() * 2 * steps.packing.right_step() as usize
    } else {
        of_left.primes * n
    };
    let switched = [&of_left, &of_right].map(|work| work.extended() * (work.digits + PIECE)).into_iter();
    SquareCost {
        word_products: per_coefficient * n as f64,
        key_bytes,
        mask_bytes: 2 * masks * mask * size_of::<u64>(),
        image_bytes: at_once * ciphertext(product) + 2 * ciphertext(left) + ciphertext(product),
        ciphertext_bytes: lefts * ciphertext(left)
            + rights * ciphertext(product)
            + rows * columns * ciphertext(result),
        working_bytes: 2 * switched.max().expect("there are two") * n * size_of::<u64>(),
    }
}

/// The number of decompositions of one base, and of images that take a key.
fn decompositions<S: Exact>(steps: &Steps<S>) -> [usize; 2] {
    let (side, group) = (steps.packing.side(), steps.group);
    let keys = side - side.div_ceil(group);
    let pieces = match steps.options.rotations {
        Rotations::Plain => keys,
        Rotations::Reused => 0,
        _ => (0..side).step_by(group).map(|at| group.min(side - at).div_ceil(PIECE)).sum(),
    };
    [pieces, keys]
}

/// Of the rotations of a left block.
fn left_work<S: Exact>(steps: &Steps<S>, work: &Work) -> f64 {
    let (options, [pieces, keys]) = (steps.options, decompositions(steps));
    let side = steps.packing.side();
    let moves = 1 + 2 * (side.div_ceil(steps.group) - 1);
    let masked = side - 1;
    let level = steps.levels.product;
    let primes = if options.lazy { work.extended() } else { work.primes };
    let encoded = match options.masks {
        Keep::Stored => 0.0,
        Keep::Recomputed => 2.0 * primes as f64 * work.transform,
    };
    let finished = if options.lazy {
        work.division_to(level, options.merged)
    } else {
        work.division(work.primes, level.0 + 1)
    };
    let unmasked = if options.lazy { 0.0 } else { 2.0 * keys as f64 * work.mod_down() };
    moves as f64 * work.rotation()
        + 2.0 * (pieces as f64 * work.decomposition() + keys as f64 * work.key())
        + unmasked
        + masked as f64 * (encoded + (4 * primes) as f64 + finished)
}

/// Of the rotations of a right block.
fn right_work<S: Exact>(steps: &Steps<S>, work: &Work) -> f64 {
    let [pieces, keys] = decompositions(steps);
    let moves = steps.packing.side().div_ceil(steps.group) - 1;
    moves as f64 * work.rotation()
        + pieces as f64 * work.decomposition()
        + keys as f64 * (work.key() + work.mod_down())
}
