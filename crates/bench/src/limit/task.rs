//! What is limited.

use asanoha_kernels::Backend;

use crate::Operation;

/// An operation on words, and the kernels that it runs on.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// The kernels.
    pub backend: Backend,
    /// The operation.
    pub operation: Operation,
    /// The number of words of the result.
    pub length: usize,
    /// The width of the prime in bits.
    pub prime_bits: u32,
    /// The number of products that are summed, if the operation is a sum.
    pub terms: usize,
}

/// The widest primes of the loops in double precision, in bits.
pub(super) const FLOAT_BITS: u32 = 50;

impl Task {
    /// The back-end whose loops are used: for some widths a back-end takes those of another one.
    pub(super) fn loops(&self) -> Backend {
        let in_floats =
            self.operation.is_transform() || matches!(self.operation, Operation::Mul | Operation::Fma);
        match self.backend {
            Backend::Avx512 if self.prime_bits <= FLOAT_BITS && in_floats => Backend::Avx2,
            Backend::Avx512Ifma if self.prime_bits > FLOAT_BITS => Backend::Avx512,
            own => own,
        }
    }
}
