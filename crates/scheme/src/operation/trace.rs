//! Traces, and sums over slots.

use asanoha_lattice::Trace;

use crate::{Operand, Operations, Scheme, SchemeError};

impl<S: Scheme, V: Operand<S>> Operations<S, V> {
    /// Sums a ciphertext's images under many rotations and row swaps (in CKKS conjugations), in stages.
    ///
    /// Noise: at every stage the noises (in CKKS the bounds too) add up, and its key switches' noise is added, which is less
    /// than one's for each image where the mod-down is lazy.
    ///
    /// # Errors
    /// [`SchemeError::MissingKey`], [`SchemeError::NotRelinearised`], [`SchemeError::OutOfModulus`].
    pub fn trace(&self, a: &V, trace: &Trace) -> Result<V, SchemeError> {
        let (scheme, model) = (self.params(), self.model());
        let mut sum = self.two_parts(a)?.clone();
        for (count, added) in trace.noise_growth(scheme.rlwe(), model.lattice(), sum.level) {
            sum.noise = sum.noise * count as f64 + model.noise(added);
            sum.message = scheme.repeated(&sum.message, count);
        }
        V::produce(&self.means, &[a], model.check(sum)?, |a, keys| {
            Ok(trace.apply(scheme.rlwe(), &a[0].rlwe, keys)?)
        })
    }

    /// Sums every `count` neighbouring slots: slot j of the result holds the sum of slots j to j + count − 1 of its row.
    ///
    /// Slot indices wrap around the row. If the slots repeat with period `count`, every slot holds the sum of one period.
    ///
    /// Needs the keys of [`crate::EvaluationKeysBuilder::sum`] for the same count.
    ///
    /// # Errors
    /// [`SchemeError::SumLength`] unless the count is a power of two and at most a row, and those of
    /// [`Operations::trace`].
    pub fn sum(&self, a: &V, count: usize) -> Result<V, SchemeError> {
        self.trace(a, &crate::keys::sum_trace(self.params(), count)?)
    }
}
