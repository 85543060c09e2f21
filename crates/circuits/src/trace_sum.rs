//! Sums over slots by traces.

use asanoha_lattice::{Hoisting, Trace};
use asanoha_scheme::capability::Sums;

/// The trace that sums over blocks of a power of two, the product of the stages' factors, of slots in rows of a length. The keys that it needs are
/// those of [`Trace::elements`].
///
/// ```
/// let trace = asanoha_circuits::sum_trace(1024, 512, &[4, 2]);
/// assert_eq!(trace.elements().count(), 3 + 1);
/// ```
pub fn sum_trace(ring_degree: usize, row: usize, factors: &[usize]) -> Trace {
    Trace::of_rows((ring_degree, row), 1, factors, Hoisting::Lazy)
}

/// The sum over blocks of slots that repeat one another all over the ciphertext: every slot of the result holds the
/// sum of one block. The block is as long as the product of the stages' factors; one longer than a row takes both
/// rows (in CKKS: the conjugates).
///
/// Factors of 2 are repeated doubling; [`asanoha_lattice::choose_unrolling`] finds the fastest. Source:
/// Inoue, Suzuki, Yamana, "Acceleration of trace-type functions", DEIM Forum 2022, J41-4, Algorithms 2.2 and 3.2.
///
/// # Panics
/// Unless the factors are powers of two and their product is at most two rows.
pub fn sum_blocks<S: Sums>(
    slots: &S,
    a: &S::Value,
    row: usize,
    factors: &[usize],
) -> Result<S::Value, S::Error> {
    slots.trace(a, &sum_trace(slots.ring_degree(), row, factors))
}
