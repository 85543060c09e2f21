//! The operations of a scheme, on ciphertexts or on their predicted states.

use std::{fmt::Debug, sync::Arc};

use asanoha_lattice::{EvaluationKeys, RlweCiphertext};

use crate::{Ciphertext, Model, Scheme, SchemeError, State, model::Bounds};

/// The operations of a scheme: on ciphertexts with evaluation keys ([`Evaluator`]), or on predicted states without any
/// ([`Model`]).
///
/// Every operation computes its result's state first. If that state doesn't decrypt, the operation fails and leaves its
/// operands unchanged. Then it computes the polynomials, if there are any. So a model predicts the state of every ciphertext
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

/// An operand of operations: a ciphertext, or its predicted state.
pub trait Operand<S: Scheme>: Clone + Debug + Send + Sync {
    /// The context that operations need: a noise model, and for ciphertexts the keys.
    type Means: Clone + Debug + Send + Sync;

    /// Whether the operand is a predicted state instead of a ciphertext.
    const FORESEES: bool;

    /// Returns the noise model that gives the results' bounds.
    fn model(operations: &Operations<S, Self>) -> &Model<S>;

    /// Returns the operand's state.
    fn state(&self) -> &State<S>;

    /// Returns the number of polynomials, or `None` for a predicted state. A relinearisation takes a predicted state for that
    /// of three components, every other operation for that of two.
    fn parts(&self) -> Option<usize>;

    /// Checks that the operand belongs to the given parameters.
    ///
    /// # Errors
    /// [`SchemeError::OtherParameters`].
    fn of(&self, scheme: &S) -> Result<(), SchemeError>;

    /// A result of a state, with the polynomials that `work` makes of the operands'.
    ///
    /// # Errors
    /// Those of the work.
    fn produce(
        operations: &Operations<S, Self>,
        operands: &[&Self],
        state: State<S>,
        work: impl FnOnce(&[&Ciphertext<S>], &EvaluationKeys) -> Result<RlweCiphertext, SchemeError>,
    ) -> Result<Self, SchemeError>;

    /// Results of several states, with the polynomials that `work` makes of the operands'.
    ///
    /// # Errors
    /// Those of the work.
    fn produce_many(
        operations: &Operations<S, Self>,
        operands: &[&Self],
        states: Vec<State<S>>,
        work: impl FnOnce(&[&Ciphertext<S>], &EvaluationKeys) -> Result<Vec<RlweCiphertext>, SchemeError>,
    ) -> Result<Vec<Self>, SchemeError>;

    /// Gives it another state, after `work` has overwritten its polynomials, with the help of other operands.
    ///
    /// # Errors
    /// Those of the work.
    fn overwrite(
        &mut self,
        operations: &Operations<S, Self>,
        others: &[&Self],
        state: State<S>,
        work: impl FnOnce(&mut Ciphertext<S>, &[&Ciphertext<S>], &EvaluationKeys) -> Result<(), SchemeError>,
    ) -> Result<(), SchemeError>;
}

/// What an evaluator works with.
#[derive(Clone, Debug)]
pub struct Keyed<S: Scheme> {
    keys: Arc<EvaluationKeys>,
    model: Model<S>,
}

impl<S: Scheme> Operand<S> for Ciphertext<S> {
    type Means = Keyed<S>;

    const FORESEES: bool = false;

    fn model(evaluator: &Evaluator<S>) -> &Model<S> {
        &evaluator.means.model
    }
    fn state(&self) -> &State<S> {
        &self.state
    }
    fn parts(&self) -> Option<usize> {
        Some(self.rlwe.parts.len())
    }
    fn of(&self, scheme: &S) -> Result<(), SchemeError> {
        self.of(scheme)
    }
    fn produce(
        evaluator: &Evaluator<S>,
        operands: &[&Self],
        state: State<S>,
        work: impl FnOnce(&[&Self], &EvaluationKeys) -> Result<RlweCiphertext, SchemeError>,
    ) -> Result<Self, SchemeError> {
        Ok(Self::new(evaluator.params(), work(operands, evaluator.keys())?, state))
    }
    fn produce_many(
        evaluator: &Evaluator<S>,
        operands: &[&Self],
        states: Vec<State<S>>,
        work: impl FnOnce(&[&Self], &EvaluationKeys) -> Result<Vec<RlweCiphertext>, SchemeError>,
    ) -> Result<Vec<Self>, SchemeError> {
        let results = work(operands, evaluator.keys())?;
        debug_assert_eq!(results.len(), states.len());
        let result = |(rlwe, state)| Self::new(evaluator.params(), rlwe, state);
        Ok(results.into_iter().zip(states).map(result).collect())
    }
    fn overwrite(
        &mut self,
        evaluator: &Evaluator<S>,
        others: &[&Self],
        state: State<S>,
        work: impl FnOnce(&mut Self, &[&Self], &EvaluationKeys) -> Result<(), SchemeError>,
    ) -> Result<(), SchemeError> {
        work(self, others, evaluator.keys())?;
        debug_assert_eq!(self.rlwe.level(), state.level);
        self.state = state;
        Ok(())
    }
}

impl<S: Scheme> Operand<S> for State<S> {
    type Means = Bounds<S>;

    const FORESEES: bool = true;

    fn model(model: &Model<S>) -> &Model<S> {
        model
    }
    fn state(&self) -> &Self {
        self
    }
    fn parts(&self) -> Option<usize> {
        None
    }
    fn of(&self, _: &S) -> Result<(), SchemeError> {
        Ok(())
    }
    fn produce(
        _: &Model<S>,
        _: &[&Self],
        state: Self,
        _: impl FnOnce(&[&Ciphertext<S>], &EvaluationKeys) -> Result<RlweCiphertext, SchemeError>,
    ) -> Result<Self, SchemeError> {
        Ok(state)
    }
    fn produce_many(
        _: &Model<S>,
        _: &[&Self],
        states: Vec<Self>,
        _: impl FnOnce(&[&Ciphertext<S>], &EvaluationKeys) -> Result<Vec<RlweCiphertext>, SchemeError>,
    ) -> Result<Vec<Self>, SchemeError> {
        Ok(states)
    }
    fn overwrite(
        &mut self,
        _: &Model<S>,
        _: &[&Self],
        state: Self,
        _: impl FnOnce(&mut Ciphertext<S>, &[&Ciphertext<S>], &EvaluationKeys) -> Result<(), SchemeError>,
    ) -> Result<(), SchemeError> {
        *self = state;
        Ok(())
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
        V::model(self)
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
