//! Sums over slots by traces.

use asanoha_lattice::{Hoisting, Trace};

/// Ciphertexts whose slots stand in one row or two and can be rotated.
pub trait Slots {
    /// A ciphertext.
    type Ciphertext: Clone;
    /// What can go wrong.
    type Error;

    /// The number of coefficients N: a row has N/2 slots.
    fn ring_degree(&self) -> usize;
    /// The sum of a ciphertext's images.
    fn trace(&self, a: &Self::Ciphertext, trace: &Trace) -> Result<Self::Ciphertext, Self::Error>;
}

/// The trace that sums over blocks of a power of two, the product of the stages' factors. The keys that it needs are
/// those of [`Trace::elements`].
///
/// ```
/// let trace = asanoha_circuits::sum_trace(1024, &[4, 2]);
/// assert_eq!(trace.elements().count(), 3 + 1);
/// ```
pub fn sum_trace(ring_degree: usize, factors: &[usize]) -> Trace {
    Trace::new(ring_degree, factors, Hoisting::Lazy)
}

/// The sum over blocks of slots that repeat one another all over the ciphertext: every slot of the result holds the
/// sum of one block. The block is as long as the product of the stages' factors; one longer than a row takes both
/// rows (in CKKS: the conjugates).
///
/// Factors of 2 are repeated doubling; [`asanoha_lattice::choose_unrolling`] finds the fastest. Source:
/// trace-avx512, Algorithms 2.2 and 3.2.
///
/// # Panics
/// Unless the factors are powers of two and their product is at most two rows.
pub fn sum_blocks<S: Slots>(
    slots: &S,
    a: &S::Ciphertext,
    factors: &[usize],
) -> Result<S::Ciphertext, S::Error> {
    slots.trace(a, &sum_trace(slots.ring_degree(), factors))
}

impl Slots for asanoha_bgv::Evaluator {
    type Ciphertext = asanoha_bgv::BgvCiphertext;
    type Error = asanoha_bgv::BgvError;

    fn ring_degree(&self) -> usize {
        self.params().rlwe().ring_degree()
    }
    fn trace(&self, a: &Self::Ciphertext, trace: &Trace) -> Result<Self::Ciphertext, Self::Error> {
        self.trace(a, trace)
    }
}

impl Slots for asanoha_bfv::Evaluator {
    type Ciphertext = asanoha_bfv::BfvCiphertext;
    type Error = asanoha_bfv::BfvError;

    fn ring_degree(&self) -> usize {
        self.params().rlwe().ring_degree()
    }
    fn trace(&self, a: &Self::Ciphertext, trace: &Trace) -> Result<Self::Ciphertext, Self::Error> {
        self.trace(a, trace)
    }
}

impl Slots for asanoha_ckks::Evaluator {
    type Ciphertext = asanoha_ckks::CkksCiphertext;
    type Error = asanoha_ckks::CkksError;

    fn ring_degree(&self) -> usize {
        self.params().rlwe().ring_degree()
    }
    fn trace(&self, a: &Self::Ciphertext, trace: &Trace) -> Result<Self::Ciphertext, Self::Error> {
        self.trace(a, trace)
    }
}
