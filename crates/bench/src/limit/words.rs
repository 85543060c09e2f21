//! Instructions of the loops over words.

use asanoha_kernels::Backend;

use super::{
    task::{FLOAT_BITS, Task},
    work::{NONE, Width, Work},
};
use crate::Operation;

/// All instructions of a task, and their width.
pub(super) fn work(task: &Task) -> (Width, Work) {
    let (width, lanes) = match task.backend {
        Backend::Scalar => (Width::Word, 1),
        Backend::Avx2 => (Width::Half, 4),
        Backend::Avx512 | Backend::Avx512Ifma => (Width::Full, 8),
    };
    let arithmetic = match task.backend {
        Backend::Scalar => scalar(task),
        Backend::Avx2 if task.prime_bits <= FLOAT_BITS => float(task),
        Backend::Avx2 => integer(task, &AVX2),
        Backend::Avx512 => integer(task, &AVX512),
        Backend::Avx512Ifma => ifma(task),
    };
    let memory = Work { load: loads(task), store: 1.0, ..NONE };
    (width, (arithmetic + memory) * (task.length as f64 / f64::from(lanes)))
}

/// The number of vectors read for each one written.
fn loads(task: &Task) -> f64 {
    let terms = task.terms as f64;
    match task.operation {
        Operation::Neg | Operation::MulScalar => 1.0,
        Operation::Fma => 3.0,
        Operation::InnerProduct => 2.0 * terms,
        Operation::WeightedSum | Operation::RoundedSum => terms,
        _ => 2.0,
    }
}

/// Sums of floats: a conversion, a product and an addition for each term.
fn rounded_sum(terms: f64) -> Work {
    Work { multiply: terms, float_add: 2.0 * terms + 3.0, ..NONE }
}

fn scalar(task: &Task) -> Work {
    let terms = task.terms as f64;
    let of = |multiply, simple| Work { multiply, simple, ..NONE };
    match task.operation {
        Operation::Mul => of(3.0, 6.0),
        Operation::Fma => of(3.0, 10.0),
        Operation::MulScalar => of(3.0, 4.0),
        Operation::FmaScalar | Operation::SubMulScalar => of(3.0, 8.0),
        Operation::InnerProduct | Operation::WeightedSum => of(terms + 6.0, 2.0 * terms + 12.0),
        // SSE2 takes five instructions to convert 64 bits.
        Operation::RoundedSum => of(terms, 6.0 * terms),
        _ => of(0.0, 4.0),
    }
}

/// Instructions with 52-bit multiply-adds.
fn ifma(task: &Task) -> Work {
    let terms = task.terms as f64;
    let of = |multiply, minimum, shift, simple| Work { multiply, minimum, shift, simple, ..NONE };
    match task.operation {
        Operation::Mul | Operation::Fma => of(4.0, 2.0, 2.0, 3.0),
        Operation::MulScalar => of(3.0, 1.0, 0.0, 2.0),
        Operation::FmaScalar => of(3.0, 2.0, 0.0, 3.0),
        Operation::SubMulScalar => of(3.0, 1.0, 0.0, 4.0),
        Operation::InnerProduct => of(2.0 * terms + 4.0, 2.0, 1.0, 4.0),
        Operation::WeightedSum => of(2.0 * terms + 3.0, 1.0, 0.0, 2.0),
        Operation::RoundedSum => rounded_sum(terms),
        _ => of(0.0, 1.0, 0.0, 2.0),
    }
}

/// The instructions that the 512-bit and the 256-bit set need for the same operation on 64-bit words.
pub(super) struct Integers {
    /// a if it's below a bound, else the difference.
    pub(super) reduce: Work,
    /// a·b − c·d modulo 2^64, with d and, of a prepared factor, b given in both orders of halves.
    difference_of_products: Work,
    /// Exchanging the halves of a factor.
    swap_factor: Work,
}

pub(super) const AVX512: Integers = Integers {
    reduce: Work { minimum: 1.0, simple: 1.0, ..NONE },
    difference_of_products: Work { multiply_low: 2.0, simple: 1.0, ..NONE },
    swap_factor: NONE,
};

pub(super) const AVX2: Integers = Integers {
    reduce: Work { simple: 2.0, ..NONE },
    difference_of_products: Work { multiply: 2.0, multiply_low: 2.0, shift: 1.0, simple: 5.0, ..NONE },
    swap_factor: Work { shuffle: 1.0, ..NONE },
};

impl Integers {
    /// a·w in [0, 4q) for a prepared w: the upper word of three products of halves, then the difference.
    pub(super) fn mul_lazy(&self) -> Work {
        let upper_word = Work { multiply: 3.0, shift: 2.0, shuffle: 1.0, simple: 2.0, ..NONE };
        upper_word + self.difference_of_products
    }

    /// a·b in [0, 4q) for any two residues: two upper words.
    fn barrett(&self) -> Work {
        let upper_words = Work { multiply: 6.0, shift: 5.0, shuffle: 3.0, simple: 4.0, ..NONE };
        upper_words + self.difference_of_products + self.swap_factor
    }
}

/// Operations on 64-bit words by products of their halves.
fn integer(task: &Task, set: &Integers) -> Work {
    let simple = |simple| Work { simple, ..NONE };
    match task.operation {
        Operation::Mul => set.barrett() + set.reduce * 2.0,
        Operation::Fma => set.barrett() + set.reduce * 3.0 + simple(1.0),
        Operation::MulScalar => set.mul_lazy() + set.reduce * 2.0,
        Operation::FmaScalar => set.mul_lazy() + set.reduce * 3.0 + simple(1.0),
        Operation::SubMulScalar => set.mul_lazy() + set.reduce * 2.0 + simple(2.0),
        Operation::InnerProduct => sums(task, set, 2.0),
        Operation::WeightedSum => sums(task, set, 1.0),
        Operation::RoundedSum => rounded_sum(task.terms as f64),
        _ => set.reduce + simple(1.0),
    }
}

/// Sums by digits of 31 bits: four products a term, carries after every four terms, one more after every eight.
fn sums(task: &Task, set: &Integers, vectors_per_term: f64) -> Work {
    let terms = task.terms;
    let split = Work { shift: 1.0, simple: 1.0, ..NONE } * vectors_per_term;
    let carry = Work { shift: 1.0, simple: 2.0, ..NONE };
    let term = split + Work { multiply: 4.0, simple: 4.0, ..NONE };
    let fold = set.mul_lazy() * 2.0 + set.reduce * 3.0 + Work { shift: 1.0, simple: 2.0, ..NONE };
    let top = if terms > 8 {
        carry * terms.div_ceil(8) as f64 + set.mul_lazy() + set.reduce * 3.0 + Work { simple: 1.0, ..NONE }
    } else {
        NONE
    };
    term * terms as f64 + carry * (2 * terms.div_ceil(4)) as f64 + fold + top
}

/// Converts a word to a float.
pub(super) const FROM_WORD: Work = Work { float_add: 1.0, simple: 1.0, ..NONE };
/// The exact remainder of a product.
pub(super) const FLOAT_MUL: Work = Work { multiply: 4.0, float_add: 2.0, ..NONE };
/// Converts a float to a canonical word.
pub(super) const TO_WORD: Work = Work { float_add: 1.0, simple: 3.0, ..NONE };

/// Operations in double precision.
fn float(task: &Task) -> Work {
    let extra = |float_add, simple| Work { float_add, simple, ..NONE };
    match task.operation {
        Operation::Mul => FROM_WORD * 2.0 + FLOAT_MUL + TO_WORD,
        Operation::Fma => FROM_WORD * 2.0 + FLOAT_MUL + TO_WORD + extra(0.0, 3.0),
        Operation::MulScalar => FROM_WORD + FLOAT_MUL + TO_WORD,
        Operation::FmaScalar => FROM_WORD + FLOAT_MUL + TO_WORD + extra(0.0, 3.0),
        Operation::SubMulScalar => FROM_WORD * 2.0 + FLOAT_MUL + TO_WORD + extra(1.0, 0.0),
        _ => integer(task, &AVX2),
    }
}
