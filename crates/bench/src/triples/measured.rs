//! What was measured.

use serde::Serialize;

/// The time of one phase of one method.
#[derive(Clone, Debug, Serialize)]
pub struct TripleRow {
    /// The table of Mono, Güneysu, "Implementing and optimizing matrix triples with homomorphic encryption" (AsiaCCS 2023) that
    /// has figures of this kind.
    pub table: u32,
    /// `batch`; `1 alone` and `2 alone`, for batches of fewer triples than their ciphertexts hold; or `square` with how it rotates and what
    /// it keeps.
    pub method: String,
    /// What was measured; `total` is all of it. On one thread, batch products have `one party`: what a party does for itself and
    /// on what all have, as the paper counts. Triples alone have `keys`, `triples` and both.
    pub phase: &'static str,
    /// The rows and columns of matrices.
    pub dim: usize,
    /// The size of the prime that they are computed modulo, in bits.
    pub modulus_bits: u64,
    /// The threads.
    pub threads: usize,
    /// Products that were computed together.
    pub products: usize,
    /// The time, in seconds.
    pub seconds: f64,
    /// The time over the products.
    pub seconds_per_triple: f64,
    /// The process's peak memory in bytes, keys included.
    pub peak_bytes: Option<u64>,
    /// Where the times and the memory come from, and how good that is, if they weren't measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicted: Option<String>,
}

/// What the rows of one measurement have in common.
pub(super) struct Measured<'a> {
    pub(super) table: u32,
    pub(super) method: String,
    pub(super) dim: usize,
    pub(super) modulus_bits: u64,
    pub(super) products: usize,
    pub(super) peak_bytes: Option<u64>,
    pub(super) phases: &'a [(&'static str, f64)],
}

impl Measured<'_> {
    /// A row for each phase, and one for all together.
    pub(super) fn rows(&self) -> impl Iterator<Item = TripleRow> {
        let total = ("total", self.phases.iter().map(|(_, seconds)| seconds).sum());
        self.phases.iter().copied().chain([total]).map(|(phase, seconds)| self.row(phase, seconds))
    }

    pub(super) fn row(&self, phase: &'static str, seconds: f64) -> TripleRow {
        TripleRow {
            table: self.table,
            method: self.method.clone(),
            phase,
            dim: self.dim,
            modulus_bits: self.modulus_bits,
            threads: rayon::current_num_threads(),
            products: self.products,
            seconds,
            seconds_per_triple: seconds / self.products as f64,
            peak_bytes: self.peak_bytes,
            predicted: None,
        }
    }
}

/// A prime of 128 bits with as many slots as the ring has coefficients.
pub(super) fn modulus() -> num_bigint::BigUint {
    asanoha_scheme::batching_primes(128, 1 << 16, 1).remove(0)
}
