//! Operations on ciphertexts, a file per group.

mod constant;
mod form;
mod multiply;
mod plain;
mod rotate;
mod sum;
mod switch;
mod transform;

use std::sync::Arc;

use asanoha_lattice::{EvaluationKeys, RlweCiphertext};

use crate::{BgvCiphertext, BgvError, BgvNoise, BgvParams, NoiseState};

/// Computes on ciphertexts with the public evaluation keys.
///
/// Every operation finds its result's noise bound first and fails, leaving its operands as they were, where that
/// doesn't fit the modulus. Operands of other parameters are refused ([`BgvError::OtherParameters`]), and so are
/// operands of different levels. One evaluator serves any number of threads.
#[derive(Clone, Debug)]
pub struct Evaluator {
    params: BgvParams,
    keys: Arc<EvaluationKeys>,
    noise: BgvNoise,
}

impl Evaluator {
    /// An evaluator with these keys; operations that need no key work with `EvaluationKeys::default()`.
    pub fn new(params: &BgvParams, keys: Arc<EvaluationKeys>) -> Self {
        Self { params: params.clone(), keys, noise: BgvNoise::new(params) }
    }

    /// The parameters.
    pub fn params(&self) -> &BgvParams {
        &self.params
    }

    /// The keys.
    pub fn keys(&self) -> &EvaluationKeys {
        &self.keys
    }

    /// What noise prediction goes by, of an operand of these parameters.
    fn state(&self, operand: &BgvCiphertext) -> Result<NoiseState, BgvError> {
        operand.of(&self.params)?;
        Ok(operand.state())
    }

    /// The ciphertext of a result and the state that was predicted for it.
    fn with_state(&self, rlwe: RlweCiphertext, state: NoiseState) -> BgvCiphertext {
        BgvCiphertext::new(&self.params, rlwe, state)
    }
}
