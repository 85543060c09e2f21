//! The operations of the table of kernels, with operands to measure them on.

use std::ops::{Deref, DerefMut, Range};

use asanoha_kernels::{Kernels, Modulus, NttTable, ShoupFactor};

/// Words in a cache line, and in a 512-bit vector.
pub(crate) const LINE_WORDS: usize = 8;

/// Words in a page, and in one way of the first-level cache.
const PAGE_WORDS: usize = 512;

/// By how many cache lines each operand is offset within a page from the one before, so that words of the same index
/// have different places in the cache. If they shared one, the time would depend on the placement of pages more than on
/// the code, on processors such as Zen that predict ways by address.
pub(crate) const STAGGER_LINES: usize = 17;

/// An operation that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// a + b.
    Add,
    /// a − b.
    Sub,
    /// −a.
    Neg,
    /// a·b.
    Mul,
    /// c + a·b.
    Fma,
    /// a·w.
    MulScalar,
    /// c + a·w.
    FmaScalar,
    /// (a − b)·w.
    SubMulScalar,
    /// Σ aₖ·bₖ.
    InnerProduct,
    /// Σ wₖ·aₖ.
    WeightedSum,
    /// ⌊Σ aₖ·rₖ + ½⌋ in double precision.
    RoundedSum,
    /// NTT.
    NttForward,
    /// Inverse NTT, 1/N included.
    NttInverse,
}

impl Operation {
    /// The loops over words.
    pub const WORDS: [Self; 11] = [
        Self::Add,
        Self::Sub,
        Self::Neg,
        Self::Mul,
        Self::Fma,
        Self::MulScalar,
        Self::FmaScalar,
        Self::SubMulScalar,
        Self::InnerProduct,
        Self::WeightedSum,
        Self::RoundedSum,
    ];

    /// The name in rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Sub => "sub",
            Self::Neg => "neg",
            Self::Mul => "mul",
            Self::Fma => "fma",
            Self::MulScalar => "mul_scalar",
            Self::FmaScalar => "fma_scalar",
            Self::SubMulScalar => "sub_mul_scalar",
            Self::InnerProduct => "inner_product",
            Self::WeightedSum => "weighted_sum",
            Self::RoundedSum => "rounded_sum",
            Self::NttForward => "ntt_forward",
            Self::NttInverse => "ntt_inverse",
        }
    }

    /// Whether it sums any number of products.
    pub fn has_terms(self) -> bool {
        matches!(self, Self::InnerProduct | Self::WeightedSum | Self::RoundedSum)
    }

    /// Whether it is an NTT, forward or inverse.
    pub fn is_transform(self) -> bool {
        matches!(self, Self::NttForward | Self::NttInverse)
    }
}

/// Words that start at a cache line, as 512-bit vectors need it for full speed, at a chosen offset within a page.
#[derive(Debug)]
pub struct Words {
    memory: Vec<u64>,
    range: Range<usize>,
}

impl Words {
    /// Each word from its index; the first is `lines` cache lines behind the start of a page.
    pub fn from_fn(length: usize, lines: usize, word: impl Fn(u64) -> u64) -> Self {
        let offset = lines * LINE_WORDS % PAGE_WORDS;
        let mut memory = vec![0; length + offset + PAGE_WORDS];
        let start = memory.as_ptr().align_offset(PAGE_WORDS * size_of::<u64>()) + offset;
        let range = start..start + length;
        memory[range.clone()].iter_mut().zip(0..).for_each(|(slot, i)| *slot = word(i));
        Self { memory, range }
    }
}

impl Deref for Words {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.memory[self.range.clone()]
    }
}

impl DerefMut for Words {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.memory[self.range.clone()]
    }
}

/// Residues that look random and are the same in every run. Different salts give different offsets within a page.
pub fn residues(modulus: &Modulus, length: usize, salt: u64) -> Words {
    let word =
        |i: u64| (i ^ salt << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29).wrapping_mul(i | 1);
    Words::from_fn(length, salt as usize * STAGGER_LINES, |i| modulus.reduce(word(i)))
}

/// Operands for any operation.
#[derive(Debug)]
pub struct Operands {
    modulus: Modulus,
    factor: ShoupFactor,
    a: Words,
    /// Two for each term; the first of all is also b.
    inputs: Vec<Words>,
    weights: Vec<ShoupFactor>,
    reciprocals: Vec<f64>,
}

impl Operands {
    /// Operands of `length` words, with `terms` terms for sums.
    pub fn new(modulus: Modulus, length: usize, terms: usize) -> Self {
        let inputs: Vec<_> = (1..=2 * terms.max(1) as u64).map(|k| residues(&modulus, length, k)).collect();
        let weights = residues(&modulus, terms, 0x77).iter().map(|&weight| modulus.shoup(weight)).collect();
        Self {
            factor: modulus.shoup(modulus.value() / 3),
            a: residues(&modulus, length, 0),
            reciprocals: vec![1.0 / modulus.value() as f64; terms],
            inputs,
            weights,
            modulus,
        }
    }

    /// A call of the kernel that can be repeated: its results are operands of the next call.
    ///
    /// # Panics
    /// If the operation is a transform, which needs a table.
    pub fn call<'a>(&'a mut self, kernels: &'static Kernels, operation: Operation) -> Box<dyn FnMut() + 'a> {
        let Self { modulus, factor, a, inputs, weights, reciprocals } = self;
        let (q, w) = (&*modulus, *factor);
        let (b, c): (&[u64], &[u64]) = (&inputs[0], &inputs[1]);
        match operation {
            Operation::Add => Box::new(|| (kernels.add_assign)(a, b, q)),
            Operation::Sub => Box::new(|| (kernels.sub_assign)(a, b, q)),
            Operation::Neg => Box::new(|| (kernels.neg_assign)(a, q)),
            Operation::Mul => Box::new(|| (kernels.mul_assign)(a, b, q)),
            Operation::Fma => Box::new(|| (kernels.fma_assign)(a, b, c, q)),
            Operation::MulScalar => Box::new(move || (kernels.mul_scalar_assign)(a, w, q)),
            Operation::FmaScalar => Box::new(move || (kernels.fma_scalar_assign)(a, b, w, q)),
            Operation::SubMulScalar => Box::new(move || (kernels.sub_mul_scalar_assign)(a, b, w, q)),
            Operation::InnerProduct => {
                let (left, right) = inputs.split_at(inputs.len() / 2);
                let pairs: Vec<(&[u64], &[u64])> =
                    left.iter().zip(right).map(|(a, b)| (&**a, &**b)).collect();
                Box::new(move || (kernels.inner_product)(a, &pairs, q))
            }
            Operation::WeightedSum => {
                let inputs: Vec<&[u64]> = inputs[..weights.len()].iter().map(|input| &**input).collect();
                Box::new(move || (kernels.weighted_sum)(a, &inputs, weights, q))
            }
            Operation::RoundedSum => {
                let inputs: Vec<&[u64]> = inputs[..weights.len()].iter().map(|input| &**input).collect();
                Box::new(move || (kernels.rounded_sum)(a, &inputs, reciprocals))
            }
            Operation::NttForward | Operation::NttInverse => unreachable!("transforms need a table"),
        }
    }
}

/// The transform: its result is a valid operand of the next call.
///
/// # Panics
/// If the operation isn't a transform.
pub fn transform(kernels: &Kernels, operation: Operation) -> fn(&mut [u64], &NttTable) {
    match operation {
        Operation::NttForward => kernels.ntt_forward,
        Operation::NttInverse => kernels.ntt_inverse,
        _ => panic!("{} is no transform", operation.name()),
    }
}
