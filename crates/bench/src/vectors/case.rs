//! What is measured.

use serde::Serialize;

/// The lengths of vectors.
pub(super) const LENGTHS: [usize; 6] = [2, 20, 40, 60, 80, 100];
/// What is computed of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VectorOperation {
    /// The product of a vector's numbers: in TFHE modulo 2^8.
    Product,
    /// The inner product of two vectors.
    Dot,
}

/// The schemes that it's computed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VectorScheme {
    /// Integers of 8 bits, exactly, each encrypted by itself, by TFHE.
    Tfhe,
    /// Reals of at most 1 in fixed point of 8 bits, approximately, each encrypted by itself, by TFHE.
    Fixed,
    /// Real numbers of at most 1, approximately, a vector in the slots of a ciphertext.
    Ckks,
}

/// The order in which numbers are multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VectorMethod {
    /// Products of halves: log2(n) products one after another.
    Tree,
    /// One number after another: n − 1 products one after another.
    Chain,
    /// The products of an inner product side by side, and then their sum.
    Sum,
}

/// What a row measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct VectorCase {
    /// The operation.
    pub operation: VectorOperation,
    /// The scheme.
    pub scheme: VectorScheme,
    /// The order of multiplication.
    pub method: VectorMethod,
    /// The length of the vectors.
    pub n: usize,
}

impl VectorOperation {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Dot => "dot",
        }
    }

    /// How many numbers are encrypted: one vector, or two one behind another.
    pub(super) fn count(self, n: usize) -> usize {
        match self {
            Self::Product => n,
            Self::Dot => 2 * n,
        }
    }
}

impl VectorScheme {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Tfhe, Self::Fixed, Self::Ckks];

    pub(super) fn cases(self, operation: VectorOperation, quick: bool) -> Vec<VectorCase> {
        let methods: &[VectorMethod] = match (operation, self) {
            (VectorOperation::Dot, _) => &[VectorMethod::Sum],
            (VectorOperation::Product, Self::Tfhe | Self::Fixed) => &[VectorMethod::Tree],
            (VectorOperation::Product, Self::Ckks) => &[VectorMethod::Tree, VectorMethod::Chain],
        };
        let lengths = match self {
            _ if !quick => &LENGTHS[..],
            Self::Tfhe | Self::Fixed => &LENGTHS[..1],
            Self::Ckks => &LENGTHS[..2],
        };
        let case = |n, method| VectorCase { operation, scheme: self, method, n };
        lengths.iter().flat_map(|&n| methods.iter().map(move |&method| case(n, method))).collect()
    }
}

impl VectorCase {
    /// The slots that a vector takes.
    pub(super) fn block(self) -> usize {
        self.n.next_power_of_two()
    }

    /// The products one after another.
    pub(super) fn depth(self) -> usize {
        match self.method {
            VectorMethod::Tree => self.block().ilog2() as usize,
            VectorMethod::Chain => self.n - 1,
            VectorMethod::Sum => 1,
        }
    }

    /// Numbers from −1 to 1 whose product is some tenths in size.
    pub(super) fn numbers(self) -> Vec<f64> {
        let golden = (5f64.sqrt() - 1.0) / 2.0;
        let size = |i: usize| 1.0 - (i as f64 * golden).fract() / self.n as f64;
        (0..self.operation.count(self.n)).map(|i| if i % 3 == 1 { -size(i) } else { size(i) }).collect()
    }

    /// What a vector is filled up with, which changes neither a product nor a sum.
    pub(super) fn filling(self) -> f64 {
        match self.operation {
            VectorOperation::Product => 1.0,
            VectorOperation::Dot => 0.0,
        }
    }

    /// The result of numbers that aren't encrypted.
    pub(super) fn plain(self, numbers: &[f64]) -> f64 {
        match self.operation {
            VectorOperation::Product => numbers.iter().product(),
            VectorOperation::Dot => {
                let (a, b) = numbers.split_at(self.n);
                a.iter().zip(b).map(|(a, b)| a * b).sum()
            }
        }
    }
}

impl std::fmt::Display for VectorCase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { operation, scheme, method, n } = self;
        let text = format!("{operation:?} {scheme:?} {method:?}").to_lowercase();
        f.pad(&format!("{text} {n:>4}"))
    }
}
