//! Operations on ciphertexts, a file per group.

mod constant;
mod multiply;
mod plain;
mod rotate;
mod sum;
mod switch;

use std::sync::Arc;

use asanoha_lattice::{EvaluationKeys, RlweCiphertext};

use crate::{BgvCiphertext, BgvNoise, BgvParams, NoiseState};

/// Computes on ciphertexts with the public evaluation keys.
///
/// Every operation finds its result's noise bound first and fails, leaving its operands as they were, where that
/// doesn't fit the modulus. Operands must be of the same parameters and, for operations between two, of the same
/// level. One evaluator serves any number of threads.
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
}

/// The ciphertext of a result and the state that was predicted for it.
fn with_state(rlwe: RlweCiphertext, state: NoiseState) -> BgvCiphertext {
    debug_assert_eq!(rlwe.level(), state.level);
    BgvCiphertext { rlwe, factor: state.factor, noise: state.noise }
}
