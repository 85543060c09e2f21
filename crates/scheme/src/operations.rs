//! The operations of a scheme, on ciphertexts or on their predicted states.

use std::sync::Arc;

use asanoha_lattice::EvaluationKeys;

use crate::{Ciphertext, Model, Operand, Scheme, SchemeError, State, operand::Keyed};

/// The operations of a scheme: on ciphertexts with evaluation keys ([`Evaluator`]), or on predicted states without any
/// ([`Predictor`]).
///
/// Every operation computes its result's state first. If that state doesn't decrypt, the operation fails and leaves its
/// operands unchanged. Then it computes the polynomials, if there are any. So a predictor finds the state of every ciphertext
/// exactly.
///
/// Operands of other parameters are refused ([`SchemeError::OtherParameters`]). Operations that don't align their operands,
/// such as those with "exact" in their names, refuse different levels and neither switch nor rescale. In CKKS their sums need
/// scales that are equal to within one part in 2^40; the difference counts as noise.
#[derive(Clone, Debug)]
pub struct Operations<S: Scheme, V: Operand<S>> {
    pub(crate) means: V::Means,
}

/// An evaluator: computes on ciphertexts with the public evaluation keys. It holds no other state, and any number of threads
/// can share it.
pub type Evaluator<S> = Operations<S, Ciphertext<S>>;

/// Predicts the state of every operation's result, without ciphertexts.
pub type Predictor<S> = Operations<S, State<S>>;

impl<S: Scheme> Predictor<S> {
    /// Creates a predictor with the noise model of these parameters.
    pub fn new(scheme: &S) -> Self {
        Self::with_model(Model::new(scheme))
    }

    /// Creates a predictor with a given noise model.
    pub fn with_model(model: Model<S>) -> Self {
        Self { means: model }
    }
}

impl<S: Scheme> Evaluator<S> {
    /// Creates an evaluator with these keys; `EvaluationKeys::default()` suffices for operations that need no key.
    pub fn new(scheme: &S, keys: impl Into<Arc<EvaluationKeys>>) -> Self {
        Self::with_model(keys, Model::new(scheme))
    }

    /// Creates an evaluator whose results carry the bounds of a given noise model.
    pub fn with_model(keys: impl Into<Arc<EvaluationKeys>>, model: Model<S>) -> Self {
        Self { means: Keyed { keys: keys.into(), model } }
    }

    /// Returns the evaluation keys.
    pub fn keys(&self) -> &EvaluationKeys {
        &self.means.keys
    }
}

impl<S: Scheme, V: Operand<S>> Operations<S, V> {
    /// Returns the parameters.
    pub fn params(&self) -> &S {
        self.model().scheme()
    }

    /// Returns the noise model that gives the results' bounds.
    pub fn model(&self) -> &Model<S> {
        V::model(&self.means)
    }

    /// Returns a predictor with the same noise model.
    pub fn predictor(&self) -> Predictor<S> {
        Predictor::with_model(self.model().clone())
    }

    /// What is known of an operand of these parameters.
    pub(crate) fn state<'v>(&self, a: &'v V) -> Result<&'v State<S>, SchemeError> {
        a.of(self.params())?;
        Ok(a.state())
    }

    /// What is known of an operand of these parameters and of two parts.
    pub(crate) fn two_parts<'v>(&self, a: &'v V) -> Result<&'v State<S>, SchemeError> {
        let state = self.state(a)?;
        match a.parts() {
            None | Some(2) => Ok(state),
            Some(parts) => Err(SchemeError::NotRelinearised { parts }),
        }
    }

    /// Gives an operand another state, with the same polynomials. The caller proves that it holds and decrypts: a smaller bound
    /// on the noise follows from how it arose, or a larger one counts an approximation's error too.
    pub fn set_state(&self, a: &mut V, state: State<S>) {
        a.overwrite(&self.means, &[], state, |_, _, _| Ok(())).expect("nothing to fail");
    }

    /// A copy that an operation has overwritten.
    pub(crate) fn copied(
        a: &V,
        overwrite: impl FnOnce(&mut V) -> Result<(), SchemeError>,
    ) -> Result<V, SchemeError> {
        let mut copy = a.clone();
        overwrite(&mut copy)?;
        Ok(copy)
    }
}
