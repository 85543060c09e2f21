//! Traces, and sums over slots.

use asanoha_lattice::Trace;

use crate::{Ciphertext, Evaluator, Model, Scheme, SchemeError, State};

impl<S: Scheme> Model<S> {
    /// A trace: at every stage the noises (in CKKS the bounds too) add up, and the noise of its key switches is added.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`].
    pub fn trace(&self, a: &State<S>, trace: &Trace) -> Result<State<S>, SchemeError> {
        let mut sum = a.clone();
        for (count, added) in trace.noise_growth(self.scheme().rlwe(), self.lattice(), a.level) {
            sum.noise = sum.noise * count as f64 + self.noise(added);
            sum.message = self.scheme().repeated(&sum.message, count);
        }
        self.check(sum)
    }
}

impl<S: Scheme> Evaluator<S> {
    /// The sum of a ciphertext's images under many rotations and row swaps (in CKKS conjugations), in stages.
    ///
    /// Noise: at every stage the noises add up, and its key switches' noise is added, which is less than one's for each image
    /// where the mod-down is lazy.
    ///
    /// # Errors
    /// [`SchemeError::MissingKey`], [`SchemeError::NotRelinearised`], [`SchemeError::OutOfModulus`].
    pub fn trace(&self, a: &Ciphertext<S>, trace: &Trace) -> Result<Ciphertext<S>, SchemeError> {
        let state = self.model.trace(self.two_parts(a)?, trace)?;
        Ok(self.with_state(self.params().rlwe().trace(&a.rlwe, trace, self.keys())?, state))
    }

    /// The sum of every `count` neighbouring slots, in each of them where the slots repeat after `count`: slot j of the
    /// result holds the sum of the slots j to j + count − 1 of its row.
    ///
    /// The keys are those of [`crate::EvaluationKeysBuilder::sum`] for the same count.
    ///
    /// # Errors
    /// [`SchemeError::SumLength`] unless the count is a power of two and at most a row, and those of
    /// [`Evaluator::trace`].
    pub fn sum(&self, a: &Ciphertext<S>, count: usize) -> Result<Ciphertext<S>, SchemeError> {
        self.trace(a, &crate::keys::sum_trace(self.params(), count)?)
    }
}
