//! Operations on ciphertexts.

mod constant;
mod multiply;
mod plain;
mod rescale;
mod rotate;
mod sum;
mod transform;

use std::sync::Arc;

use asanoha_lattice::{EvaluationKeys, RlweCiphertext};

use crate::{CkksCiphertext, CkksError, CkksNoise, CkksParams, NoiseState};

/// Operates on ciphertexts. It holds no state but its keys; threads share it.
///
/// Operands of one operation have the same level. Sums need the same scale, to within one part in 2^40; what little
/// they differ counts as noise. Nothing is rescaled but by the operations that say so. The noise of every operation
/// is that of the method of the same name of [`CkksNoise`].
///
/// All fail with [`CkksError::OtherParameters`] for operands, and with [`CkksError::MissingKey`] for keys, that were made
/// with other parameters.
#[derive(Clone, Debug)]
pub struct Evaluator {
    params: CkksParams,
    noise: CkksNoise,
    keys: Arc<EvaluationKeys>,
}

impl Evaluator {
    /// The evaluator of these parameters and keys.
    pub fn new(params: &CkksParams, keys: Arc<EvaluationKeys>) -> Self {
        Self { params: params.clone(), noise: CkksNoise::new(params), keys }
    }

    /// Its parameters.
    pub fn params(&self) -> &CkksParams {
        &self.params
    }

    /// Its keys.
    pub fn keys(&self) -> &EvaluationKeys {
        &self.keys
    }

    /// What noise prediction knows of a ciphertext of these parameters.
    fn state(&self, a: &CkksCiphertext) -> Result<NoiseState, CkksError> {
        a.of(&self.params)?;
        Ok(a.state())
    }

    /// What is known of a ciphertext of these parameters and of two parts.
    fn two_parts(&self, a: &CkksCiphertext) -> Result<NoiseState, CkksError> {
        let state = self.state(a)?;
        a.two_parts()?;
        Ok(state)
    }

    fn with_state(&self, rlwe: RlweCiphertext, state: NoiseState) -> CkksCiphertext {
        CkksCiphertext::new(&self.params, rlwe, state)
    }
}
