//! Instructions of the NTT: butterflies, corrections, the final reduction to canonical words, transposes, and passes
//! over memory.

use asanoha_kernels::Backend;

use super::words::{AVX2, AVX512, FLOAT_MUL, FROM_WORD, Integers, TO_WORD};
use super::{
    task::{FLOAT_BITS, Task},
    work::{NONE, Width, Work},
};
use crate::Operation;

/// The widest primes, in bits, that need no corrections in double precision.
const LOOSE_FLOAT_BITS: u32 = 48;

/// The instructions of a back-end's transform, for one vector of butterflies and for its ends.
struct Transform {
    butterfly: Work,
    /// The corrections for each vector of butterflies, on average.
    corrections: Work,
    /// The instructions at the ends of the transform, for each vector of the result.
    ends: Work,
    lanes: f64,
    width: Width,
    /// The number of layers in registers at the inner end, and in each pass over memory.
    inner_layers: u32,
    layers_per_pass: u32,
}

impl Transform {
    fn work(&self, length: usize) -> Work {
        let layers = length.ilog2();
        let (vectors, lanes) = (length as f64 / self.lanes, self.lanes);
        let butterflies = vectors / 2.0 * f64::from(layers);
        let passes = 1 + layers.saturating_sub(self.inner_layers).div_ceil(self.layers_per_pass);
        // For each block in registers: the roots for all lanes, one fewer than its rows, and as many roots by lanes,
        // each with its quotient; and two transposes of log2(lanes) shuffles a vector.
        let (roots, shuffles) =
            if self.lanes > 1.0 { (4.0 * (lanes - 1.0) / lanes, 2.0 * lanes.log2()) } else { (0.0, 0.0) };
        let memory =
            Work { load: f64::from(passes) + roots, store: f64::from(passes), shuffle: shuffles, ..NONE };
        (self.butterfly + self.corrections) * butterflies + (self.ends + memory) * vectors
    }
}

/// All instructions of a transform, and their width.
pub(super) fn work(task: &Task) -> (Width, Work) {
    let forward = task.operation == Operation::NttForward;
    let transform = match task.backend {
        Backend::Scalar => scalar(forward),
        Backend::Avx2 if task.prime_bits <= FLOAT_BITS => float(forward, task.prime_bits),
        Backend::Avx2 => integer(forward, &AVX2, 4.0),
        Backend::Avx512 => integer(forward, &AVX512, 8.0),
        Backend::Avx512Ifma => ifma(forward, task.prime_bits, task.length.ilog2()),
    };
    (transform.width, transform.work(task.length))
}

fn scalar(forward: bool) -> Transform {
    Transform {
        butterfly: Work { multiply: 3.0, simple: 7.0, ..NONE },
        corrections: NONE,
        ends: if forward {
            Work { simple: 6.0, ..NONE }
        } else {
            Work { multiply: 1.5, simple: 3.0, ..NONE }
        },
        lanes: 1.0,
        width: Width::Word,
        inner_layers: 0,
        layers_per_pass: 1,
    }
}

fn ifma(forward: bool, prime_bits: u32, layers: u32) -> Transform {
    let correction = Work { multiply: 2.0, ..NONE };
    let to_canonical = Work { minimum: 1.0, simple: 2.0, ..NONE };
    let (butterfly, corrections, ends) = if forward {
        // A value lasts for K layers between corrections, and the first K layers need none: K·q is added.
        let lasts = (1 << (51 - prime_bits.min(50)).min(5)) - 1;
        let corrected_layers = f64::from(layers.div_ceil(lasts) - 1) / f64::from(layers);
        let raise = Work { simple: 0.5, ..NONE };
        let butterfly = Work { multiply: 3.0, simple: 2.0, ..NONE };
        (butterfly, correction * corrected_layers, raise + correction + to_canonical)
    } else {
        // The corrected values per butterfly over three layers, by the headroom of the prime.
        let corrected = match prime_bits {
            50.. => 1.0,
            49 => 1.0 / 2.0,
            48 => 1.0 / 4.0,
            47 => 1.0 / 6.0,
            _ => 1.0 / 12.0,
        };
        // The last layer also multiplies its sums.
        let scale = Work { multiply: 1.5, ..NONE };
        let butterfly = Work { multiply: 3.0, simple: 3.0, ..NONE };
        (butterfly, correction * corrected, scale + to_canonical)
    };
    Transform {
        butterfly,
        corrections,
        ends,
        lanes: 8.0,
        width: Width::Full,
        inner_layers: 6,
        layers_per_pass: 3,
    }
}

fn integer(forward: bool, set: &Integers, lanes: f64) -> Transform {
    let butterfly = set.mul_lazy() + Work { simple: 3.0, ..NONE };
    // Forward, every second layer corrects its X; inverse, two of three sums are corrected.
    let (corrections, ends) = if forward {
        (set.reduce * 0.5, set.reduce * 4.0)
    } else {
        (set.reduce * (2.0 / 3.0), set.mul_lazy() * 0.5 + set.reduce * 2.0)
    };
    let (width, inner_layers) = if lanes > 4.0 { (Width::Full, 6) } else { (Width::Half, 4) };
    Transform { butterfly, corrections, ends, lanes, width, inner_layers, layers_per_pass: 2 }
}

fn float(forward: bool, prime_bits: u32) -> Transform {
    let correction = Work { multiply: 2.0, float_add: 1.0, ..NONE };
    let tight = prime_bits > LOOSE_FLOAT_BITS;
    let (corrected, ends) = if forward {
        (if tight { 0.25 } else { 0.0 }, FROM_WORD + correction + TO_WORD)
    } else {
        (if tight { 0.75 } else { 0.25 }, FROM_WORD + FLOAT_MUL * 0.5 + correction + TO_WORD)
    };
    Transform {
        butterfly: FLOAT_MUL + Work { float_add: 2.0, ..NONE },
        corrections: correction * corrected,
        ends,
        lanes: 4.0,
        width: Width::Half,
        inner_layers: 4,
        layers_per_pass: 2,
    }
}
