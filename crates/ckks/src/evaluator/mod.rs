//! Operations on ciphertexts.

mod constant;
mod multiply;
mod plain;
mod rescale;
mod rotate;
mod sum;
mod transform;

use std::sync::Arc;

use asanoha_lattice::EvaluationKeys;

use crate::{CkksCiphertext, CkksError, CkksNoise, CkksParams};

/// Operates on ciphertexts. It holds no state but its keys; threads share it.
///
/// Operands of one operation have the same level. Sums need the same scale, to within one part in 2^40; what little
/// they differ counts as noise. Nothing is rescaled but by the operations that say so. The noise of every operation
/// is that of the method of the same name of [`CkksNoise`].
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
}

/// Checks that a ciphertext has two parts.
fn two_parts(a: &CkksCiphertext) -> Result<(), CkksError> {
    match a.rlwe.parts.len() {
        2 => Ok(()),
        parts => Err(CkksError::NotRelinearised { parts }),
    }
}
