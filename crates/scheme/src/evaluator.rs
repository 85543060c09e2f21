//! Evaluators.

use std::sync::Arc;

use asanoha_lattice::{EvaluationKeys, RlweCiphertext};

use crate::{Ciphertext, Model, Scheme, SchemeError, State};

/// Computes on ciphertexts with the public evaluation keys.
///
/// Every operation finds its result's state first, by [`Model`]'s method of the same name, and fails, leaving its operands
/// as they were, where that doesn't decrypt. Operands of other parameters are refused
/// ([`SchemeError::OtherParameters`]), and so are operands of different levels; in CKKS sums need the same scale, to within
/// one part in 2^40, and what little they differ counts as noise. Nothing is switched or rescaled but by the operations that
/// say so. An evaluator holds no state but its keys, and serves any number of threads.
#[derive(Clone, Debug)]
pub struct Evaluator<S: Scheme> {
    keys: Arc<EvaluationKeys>,
    pub(crate) model: Model<S>,
}

impl<S: Scheme> Evaluator<S> {
    /// An evaluator with these keys; operations that need no key work with `EvaluationKeys::default()`.
    pub fn new(scheme: &S, keys: impl Into<Arc<EvaluationKeys>>) -> Self {
        Self::with_model(keys, Model::new(scheme))
    }

    /// An evaluator whose results carry the bounds of a given noise model.
    pub fn with_model(keys: impl Into<Arc<EvaluationKeys>>, model: Model<S>) -> Self {
        Self { keys: keys.into(), model }
    }

    /// The parameters.
    pub fn params(&self) -> &S {
        self.model.scheme()
    }

    /// The keys.
    pub fn keys(&self) -> &EvaluationKeys {
        &self.keys
    }

    /// The noise model that results' bounds are of.
    pub fn model(&self) -> &Model<S> {
        &self.model
    }

    /// What is known of an operand of these parameters.
    pub(crate) fn state<'c>(&self, a: &'c Ciphertext<S>) -> Result<&'c State<S>, SchemeError> {
        a.of(self.params())?;
        Ok(a.state())
    }

    /// What is known of an operand of these parameters and of two parts.
    pub(crate) fn two_parts<'c>(&self, a: &'c Ciphertext<S>) -> Result<&'c State<S>, SchemeError> {
        let state = self.state(a)?;
        a.two_parts()?;
        Ok(state)
    }

    /// The ciphertext of a result and the state that was predicted for it.
    pub(crate) fn with_state(&self, rlwe: RlweCiphertext, state: State<S>) -> Ciphertext<S> {
        Ciphertext::new(self.params(), rlwe, state)
    }
}
