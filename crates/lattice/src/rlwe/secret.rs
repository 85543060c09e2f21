//! Secret keys.

use asanoha_ring::{Basis, EvaluationPermutation, GaloisElement, Poly, Sampler};
use asanoha_ring::{Coefficient, Evaluation};
use zeroize::{Zeroize, Zeroizing};

use crate::RlweParams;

/// A uniform ternary secret s. It's erased on drop, and shows nothing of itself.
pub struct SecretKey {
    /// −1, 0, 1.
    coefficients: Vec<i64>,
    /// s modulo all primes.
    evaluation: Poly<Evaluation>,
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretKey(..)")
    }
}

impl Drop for SecretKey {
    fn drop(&mut self) {
        self.coefficients.zeroize();
        self.evaluation.zeroize();
    }
}

impl SecretKey {
    /// A fresh secret.
    pub fn generate(params: &RlweParams, sampler: &mut Sampler) -> Self {
        let mut coefficients = sampler.ternary(params.ring_degree());
        Self::from_coefficients(params.qp(), std::mem::take(&mut *coefficients))
    }

    /// The secret of given coefficients, which come out of a file: `None` unless there are N, all −1, 0 or 1.
    pub fn from_checked_coefficients(params: &RlweParams, coefficients: Vec<i64>) -> Option<Self> {
        let ternary = coefficients.iter().fold(true, |ternary, c| ternary & (-1..=1).contains(c));
        (ternary && coefficients.len() == params.ring_degree())
            .then(|| Self::from_coefficients(params.qp(), coefficients))
    }

    fn from_coefficients(qp: &Basis, coefficients: Vec<i64>) -> Self {
        let evaluation = Poly::<Coefficient>::from_small(qp, &coefficients).into_evaluation();
        Self { coefficients, evaluation }
    }

    /// The coefficients −1, 0, 1, to be written to the owner's file. Secret.
    pub fn coefficients(&self) -> &[i64] {
        &self.coefficients
    }

    /// s modulo the primes q₀ … q_level.
    pub(crate) fn at_level(&self, level: usize) -> Zeroizing<Poly<Evaluation>> {
        Zeroizing::new(self.evaluation.range(0..level + 1))
    }

    /// s modulo all primes.
    pub(crate) fn full(&self) -> &Poly<Evaluation> {
        &self.evaluation
    }

    /// s(X^g) modulo all primes.
    pub(crate) fn automorphism(&self, g: GaloisElement) -> Zeroizing<Poly<Evaluation>> {
        Zeroizing::new(self.evaluation.permute(&EvaluationPermutation::new(self.coefficients.len(), g)))
    }
}
