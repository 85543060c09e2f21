//! Operations on ciphertexts, a file per group.

mod constant;
mod form;
mod multiply;
mod plain;
mod rotate;
mod sum;
mod switch;

use std::sync::Arc;

use asanoha_lattice::{EvaluationKeys, RlweCiphertext};

use crate::{BfvCiphertext, BfvError, BfvNoise, BfvParams, NoiseState};

/// Computes on ciphertexts with the public evaluation keys.
///
/// Every operation finds its result's noise bound first and fails, leaving its operands as they were, where that
/// doesn't fit the modulus. Operands of other parameters are refused ([`BfvError::OtherParameters`]), and so are
/// operands of different levels. One evaluator serves any number of threads.
#[derive(Clone, Debug)]
pub struct Evaluator {
    params: BfvParams,
    keys: Arc<EvaluationKeys>,
    noise: BfvNoise,
}

impl Evaluator {
    /// An evaluator with these keys; operations that need no key work with `EvaluationKeys::default()`.
    pub fn new(params: &BfvParams, keys: Arc<EvaluationKeys>) -> Self {
        Self::with_noise(params, keys, BfvNoise::new(params))
    }

    /// An evaluator whose results carry the bounds of a given noise model of these parameters.
    pub fn with_noise(params: &BfvParams, keys: Arc<EvaluationKeys>, noise: BfvNoise) -> Self {
        Self { params: params.clone(), keys, noise }
    }

    /// The parameters.
    pub fn params(&self) -> &BfvParams {
        &self.params
    }

    /// The keys.
    pub fn keys(&self) -> &EvaluationKeys {
        &self.keys
    }

    /// What noise prediction goes by, of an operand of these parameters.
    fn state(&self, operand: &BfvCiphertext) -> Result<NoiseState, BfvError> {
        operand.of(&self.params)?;
        Ok(operand.state())
    }

    /// The ciphertext of a result and the state that was predicted for it.
    fn with_state(&self, rlwe: RlweCiphertext, state: NoiseState) -> BfvCiphertext {
        BfvCiphertext::new(&self.params, rlwe, state)
    }
}
