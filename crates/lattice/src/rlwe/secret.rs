//! Secret keys.

use asanoha_ring::{Basis, Coefficient, Evaluation, Poly, Sampler};
use zeroize::{Zeroize, Zeroizing};

use crate::RlweParams;

/// Names one key generation: all keys of it carry the same, and so do the ciphertexts in files. It's random, public,
/// and says nothing of the secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyId(pub [u8; 16]);

impl std::fmt::Display for KeyId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl KeyId {
    /// Reads what `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let value = (text.len() == 32).then(|| u128::from_str_radix(text, 16).ok()).flatten()?;
        Some(Self(value.to_be_bytes()))
    }
}

/// A uniform ternary secret s. It's erased on drop, and shows nothing of itself.
pub struct SecretKey {
    id: KeyId,
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
        let id = KeyId(sampler.seed().0[..16].try_into().expect("sixteen bytes"));
        Self::from_coefficients(params.qp(), id, std::mem::take(&mut *coefficients))
    }

    /// The secret of given coefficients, which come out of a file: `None` unless there are N, all −1, 0 or 1.
    pub fn from_checked_coefficients(params: &RlweParams, id: KeyId, coefficients: Vec<i64>) -> Option<Self> {
        let ternary = coefficients.iter().fold(true, |ternary, c| ternary & (-1..=1).contains(c));
        (ternary && coefficients.len() == params.ring_degree())
            .then(|| Self::from_coefficients(params.qp(), id, coefficients))
    }

    fn from_coefficients(qp: &Basis, id: KeyId, coefficients: Vec<i64>) -> Self {
        let evaluation = Poly::<Coefficient>::from_small(qp, &coefficients).into_evaluation();
        Self { id, coefficients, evaluation }
    }

    /// The name of its key generation.
    pub fn id(&self) -> KeyId {
        self.id
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
}
