//! Secret keys.

use asanoha_ring::{Basis, Coefficient, Evaluation, Poly, Sampler, Seed, Words};
use thiserror::Error;
use zeroize::Zeroizing;

use crate::{Embedding, KeyId, RlweParams, noise::secret_square, security::SPARSE_WEIGHT};

/// A key made for another ring: another degree, or other primes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the {which} key was made for another ring degree or other primes: use the keys of these parameters")]
pub struct OtherKey {
    /// Which key it is, for the message.
    pub which: &'static str,
}

impl OtherKey {
    pub(crate) fn check(which: &'static str, fits: bool) -> Result<(), Self> {
        if fits { Ok(()) } else { Err(Self { which }) }
    }
}

/// A uniform ternary secret s whose norm is within the bound that noise bounds rely on ([`crate::NoiseModel`]). It's
/// erased on drop, and `Debug` doesn't show its contents. It belongs to the process that made or read it: in a forked
/// process, reading it panics.
pub struct SecretKey {
    id: KeyId,
    /// The coefficients −1, 0, 1 as words.
    coefficients: Words,
    /// s modulo all primes, in evaluation form, on a secret basis.
    pub(super) evaluation: Poly<Evaluation>,
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretKey(..)")
    }
}

impl SecretKey {
    /// A fresh secret: ternary polynomials are drawn until one has a norm within the bound that noise bounds rely on,
    /// which is mostly the first.
    pub fn generate(params: &RlweParams, sampler: &mut Sampler) -> Self {
        let mut sampler = sampler.branch("secret key", &[params.digest().as_bytes()]);
        let mut coefficients = sampler.ternary(params.ring_degree());
        while !is_bounded(&coefficients) {
            coefficients = sampler.ternary(params.ring_degree());
        }
        let id = KeyId::draw(&mut sampler);
        Self::from_coefficients(params.qp(), id, &coefficients)
    }

    /// The secret with the given coefficients, which come from a file: `None` unless there are N, all −1, 0 or 1, with
    /// a norm that a fresh secret may have.
    pub fn from_checked_coefficients(params: &RlweParams, id: KeyId, coefficients: &[i64]) -> Option<Self> {
        let ternary = coefficients.iter().fold(true, |ternary, c| ternary & (-1..=1).contains(c));
        (ternary && coefficients.len() == params.ring_degree() && is_bounded(coefficients))
            .then(|| Self::from_coefficients(params.qp(), id, coefficients))
    }

    fn from_coefficients(qp: &Basis, id: KeyId, coefficients: &[i64]) -> Self {
        let basis = qp.secret();
        let evaluation = Poly::<Coefficient>::from_small(&basis, coefficients).into_evaluation();
        let mut words = basis.words();
        words.copy_from_slice(bytemuck::cast_slice(coefficients));
        Self { id, coefficients: words, evaluation }
    }

    /// The identifier of its key generation.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// Refuses a key that was made for another ring degree or other primes.
    ///
    /// # Errors
    /// [`OtherKey`].
    pub fn check(&self, params: &RlweParams) -> Result<(), OtherKey> {
        OtherKey::check("secret", self.evaluation.basis() == params.qp())
    }

    /// The coefficients −1, 0, 1, for writing to the owner's file. Secret.
    pub fn coefficients(&self) -> &[i64] {
        bytemuck::cast_slice(&self.coefficients)
    }

    /// The sparse ephemeral secret of bootstrapping modulo the primes of a basis, on a secret basis: of weight
    /// [`SPARSE_WEIGHT`], derived from s, so that it's the same for both its keys.
    ///
    /// # Panics
    /// If the parameters aren't made for it.
    pub(crate) fn sparse(&self, params: &RlweParams, basis: &Basis) -> Poly<Evaluation> {
        assert!(params.literal().encapsulated, "the parameters allow keys under a sparse secret");
        let seed = Seed(*self.derive_key("asanoha 2026-11 sparse secret of bootstrapping"));
        let coefficients = Sampler::again(&seed).sparse(basis.ring_degree(), SPARSE_WEIGHT);
        Poly::<Coefficient>::from_small(&basis.secret(), &coefficients).into_evaluation()
    }

    /// s modulo the primes q₀ … q_level, on a secret basis.
    pub(crate) fn at_level(&self, level: usize) -> Poly<Evaluation> {
        self.evaluation.range(0..level + 1)
    }

    /// s modulo the primes of a basis, on a secret basis.
    pub(crate) fn modulo(&self, basis: &Basis) -> Poly<Evaluation> {
        self.evaluation.restrict(&basis.secret())
    }
}

/// Whether a secret's norm is within the bound that noise bounds rely on.
fn is_bounded(coefficients: &[i64]) -> bool {
    let values = Zeroizing::new(coefficients.iter().map(|&c| c as f64).collect::<Vec<_>>());
    Embedding::new(values.len()).norm(&values).powi(2) <= secret_square(values.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_all_ternary_polynomials_but_a_few_are_secrets() {
        for log2_degree in [8, 10] {
            let mut sampler = Sampler::new(&Seed([log2_degree; 32]));
            let refused = (0..1000).filter(|_| !is_bounded(&sampler.ternary(1 << log2_degree))).count();
            // One in a hundred is expected, from a complex Gaussian at each of N/2 roots.
            assert!((1..30).contains(&refused), "{refused}");
        }
        // At the root next to 1, the values of coefficients that are all 1 add up.
        assert!(!is_bounded(&[1; 1 << 10]));
    }
}
