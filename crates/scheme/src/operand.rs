//! What operations compute on: ciphertexts, or their predicted states.

use std::{fmt::Debug, sync::Arc};

use asanoha_lattice::{EvaluationKeys, RlweCiphertext};

use crate::{Ciphertext, Model, Scheme, SchemeError, State};

/// An operand of operations: a ciphertext, or its predicted state.
pub trait Operand<S: Scheme>: Clone + Debug + Send + Sync {
    /// The context that operations need: a noise model, and for ciphertexts the keys.
    type Means: Clone + Debug + Send + Sync;

    /// Whether the operand is a predicted state instead of a ciphertext.
    const FORESEES: bool;

    /// Returns the noise model that gives the results' bounds.
    fn model(means: &Self::Means) -> &Model<S>;

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
        means: &Self::Means,
        operands: &[&Self],
        state: State<S>,
        work: impl FnOnce(&[&Ciphertext<S>], &EvaluationKeys) -> Result<RlweCiphertext, SchemeError>,
    ) -> Result<Self, SchemeError>;

    /// Results of several states, with the polynomials that `work` makes of the operands'.
    ///
    /// # Errors
    /// Those of the work.
    fn produce_many(
        means: &Self::Means,
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
        means: &Self::Means,
        others: &[&Self],
        state: State<S>,
        work: impl FnOnce(&mut Ciphertext<S>, &[&Ciphertext<S>], &EvaluationKeys) -> Result<(), SchemeError>,
    ) -> Result<(), SchemeError>;
}

/// What an evaluator works with.
#[derive(Clone, Debug)]
pub struct Keyed<S: Scheme> {
    pub(crate) keys: Arc<EvaluationKeys>,
    pub(crate) model: Model<S>,
}

impl<S: Scheme> Operand<S> for Ciphertext<S> {
    type Means = Keyed<S>;

    const FORESEES: bool = false;

    fn model(means: &Keyed<S>) -> &Model<S> {
        &means.model
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
        means: &Keyed<S>,
        operands: &[&Self],
        state: State<S>,
        work: impl FnOnce(&[&Self], &EvaluationKeys) -> Result<RlweCiphertext, SchemeError>,
    ) -> Result<Self, SchemeError> {
        Ok(Self::new(means.model.scheme(), work(operands, &means.keys)?, state))
    }
    fn produce_many(
        means: &Keyed<S>,
        operands: &[&Self],
        states: Vec<State<S>>,
        work: impl FnOnce(&[&Self], &EvaluationKeys) -> Result<Vec<RlweCiphertext>, SchemeError>,
    ) -> Result<Vec<Self>, SchemeError> {
        let results = work(operands, &means.keys)?;
        debug_assert_eq!(results.len(), states.len());
        let result = |(rlwe, state)| Self::new(means.model.scheme(), rlwe, state);
        Ok(results.into_iter().zip(states).map(result).collect())
    }
    fn overwrite(
        &mut self,
        means: &Keyed<S>,
        others: &[&Self],
        state: State<S>,
        work: impl FnOnce(&mut Self, &[&Self], &EvaluationKeys) -> Result<(), SchemeError>,
    ) -> Result<(), SchemeError> {
        work(self, others, &means.keys)?;
        debug_assert_eq!(self.rlwe.level(), state.level);
        self.state = state;
        Ok(())
    }
}

impl<S: Scheme> Operand<S> for State<S> {
    type Means = Model<S>;

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
