//! The operations of a scheme, whatever they are carried out on.

use std::{fmt::Debug, sync::Arc};

use asanoha_lattice::{EvaluationKeys, RlweCiphertext};

use crate::{Ciphertext, Model, Scheme, SchemeError, State, model::Bounds};

/// The operations of a scheme: with evaluation keys on ciphertexts ([`Evaluator`]), or on what is known of them before
/// there are any ([`Model`]).
///
/// Every operation finds its result's state first and fails, leaving its operands as they were, where that doesn't decrypt;
/// then the polynomials are made, where there are any. So a model foretells the state of every ciphertext exactly. Operands
/// of other parameters are refused ([`SchemeError::OtherParameters`]), and so are operands of different levels; in CKKS sums
/// need the same scale, to within one part in 2^40, and what little they differ counts as noise. Nothing is switched or
/// rescaled but by the operations that say so.
#[derive(Clone, Debug)]
pub struct Operations<S: Scheme, V: Operand<S>> {
    pub(crate) means: V::Means,
}

/// Computes on ciphertexts with the public evaluation keys. It holds no state but its keys, and serves any number of
/// threads.
pub type Evaluator<S> = Operations<S, Ciphertext<S>>;

/// What operations are carried out on: a ciphertext, or what is known of one.
pub trait Operand<S: Scheme>: Clone + Debug + Send + Sync {
    /// What operations on it take: a noise model, and for ciphertexts the keys.
    type Means: Clone + Debug + Send + Sync;

    /// Whether it's what is known of a ciphertext, and not a ciphertext.
    const FORESEES: bool;

    /// The noise model that results' bounds are of.
    fn model(operations: &Operations<S, Self>) -> &Model<S>;

    /// What is known of it.
    fn state(&self) -> &State<S>;

    /// The number of polynomials, where it has them. A bare state is taken for that of a ciphertext of two, but for that of a
    /// product of three by a relinearisation.
    fn parts(&self) -> Option<usize>;

    /// Refuses a ciphertext of other parameters.
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
    /// An evaluator with these keys; operations that need no key work with `EvaluationKeys::default()`.
    pub fn new(scheme: &S, keys: impl Into<Arc<EvaluationKeys>>) -> Self {
        Self::with_model(keys, Model::new(scheme))
    }

    /// An evaluator whose results carry the bounds of a given noise model.
    pub fn with_model(keys: impl Into<Arc<EvaluationKeys>>, model: Model<S>) -> Self {
        Self { means: Keyed { keys: keys.into(), model } }
    }

    /// The keys.
    pub fn keys(&self) -> &EvaluationKeys {
        &self.means.keys
    }
}

impl<S: Scheme, V: Operand<S>> Operations<S, V> {
    /// The parameters.
    pub fn params(&self) -> &S {
        self.model().scheme()
    }

    /// The noise model that results' bounds are of.
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
