//! Secret keys.

use std::iter;

use asanoha_ring::{Basis, Coefficient, Evaluation, Poly, Sampler, Seed, Words, uniform_from_seed};
use thiserror::Error;
use zeroize::Zeroizing;

use super::{error::scaled_error, randomness::randomness};
use crate::{
    Destination, Embedding, FileError, FileReader, FileWriter, KeyId, Level, RlweCiphertext, RlweParams,
    Source, derive_from_secret, noise::secret_square, security::SPARSE_WEIGHT,
};

const SECRET: &str = "secret key";

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
    evaluation: Poly<Evaluation>,
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

    /// Encrypts a plaintext polynomial at its level: (−a·s + f·e + m, a).
    ///
    /// The noise is f times [`crate::NoiseModel::fresh_secret`], from N = 2^6 on less than under the public key.
    pub fn encrypt(
        &self,
        params: &RlweParams,
        m: &Poly<Evaluation>,
        sampler: &mut Sampler,
    ) -> RlweCiphertext {
        self.encrypt_seeded(params, m, sampler).0
    }

    /// As [`SecretKey::encrypt`], with the public seed of the uniform half, which [`uniform_from_seed`] expands: a message holds the
    /// seed in its place.
    pub fn encrypt_seeded(
        &self,
        params: &RlweParams,
        m: &Poly<Evaluation>,
        sampler: &mut Sampler,
    ) -> (RlweCiphertext, Seed) {
        let mut own = randomness(params, self.id(), m.words(), sampler);
        let sampler = own.as_mut().unwrap_or(sampler);
        let basis = m.basis();
        let seed = sampler.seed();
        let a = uniform_from_seed(basis, &seed);
        let mut c0 = a.mul(&self.at_level(Level(basis.len() - 1).0));
        c0.neg_assign();
        c0.add_assign(&scaled_error(params, basis, sampler));
        c0.add_assign(m);
        (RlweCiphertext { parts: vec![c0, a] }, seed)
    }

    /// c₀ + c₁·s + c₂·s² + …: the message with its noise, on a secret basis (see [`asanoha_ring::Basis::secret`]).
    pub fn decrypt(&self, ciphertext: &RlweCiphertext) -> Poly<Coefficient> {
        self.decrypt_at(ciphertext, ciphertext.level())
    }

    /// As [`SecretKey::decrypt`], of a ciphertext whose primes above a level are dropped.
    ///
    /// # Panics
    /// If the level is above the ciphertext's.
    pub fn decrypt_at(&self, ciphertext: &RlweCiphertext, level: Level) -> Poly<Coefficient> {
        assert!(level <= ciphertext.level());
        let (c0, rest) = ciphertext.parts.split_first().expect("ciphertexts have two parts or three");
        assert!(rest.len() <= 2);
        let s = &self.evaluation;
        let square = rest.get(1).map(|_| {
            let s = self.at_level(level.0);
            s.mul(&s)
        });
        let pairs: Vec<_> = rest.iter().zip(iter::once(s).chain(&square)).collect();
        Poly::inner_product_coefficients(&s.basis().range(0..level.0 + 1), Some(c0), &pairs)
    }

    /// Derives 32 bytes from the secret's coefficients and a context ([`derive_from_secret`]).
    pub fn derive_key(&self, context: &str) -> Zeroizing<[u8; 32]> {
        derive_from_secret(bytemuck::cast_slice(self.coefficients()), context)
    }

    /// Writes the secret key to a file that only its owner may read, and returns the file's length in bytes. `digest`
    /// is that of the scheme's parameters.
    pub fn write<'d>(
        &self,
        params: &RlweParams,
        digest: &str,
        to: impl Into<Destination<'d>>,
    ) -> Result<u64, FileError> {
        let words: &[u64] = bytemuck::cast_slice(self.coefficients());
        let mut file =
            FileWriter::new(params.file_header(digest, self.id(), SECRET, serde_json::Value::Null)).private();
        file.tensor("secret", &[words.len()], vec![words]);
        file.write(to)
    }

    /// Reads a secret key.
    pub fn read<'s>(
        params: &RlweParams,
        digest: &str,
        from: impl Into<Source<'s>>,
    ) -> Result<Self, FileError> {
        let file = FileReader::read(from, SECRET, digest)?;
        let coefficients = bytemuck::cast_slice(file.words("secret", &[params.ring_degree()])?);
        Self::from_checked_coefficients(params, file.header().key, coefficients).ok_or_else(|| {
            file.error("the secret isn't ternary, or larger at a root of unity than generated ones")
        })
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
    use crate::RlweLiteral;
    use asanoha_kernels::primes_congruent_to_one;
    use asanoha_ring::Backend;

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

    #[test]
    fn derived_keys_depend_on_the_secret_and_the_context() {
        let primes = primes_congruent_to_one(40, 128, 2, &[]).unwrap();
        let params: RlweParams =
            RlweLiteral::new(64, primes[..1].to_vec(), primes_congruent_to_one(45, 128, 1, &[]).unwrap(), 1)
                .insecure()
                .check(Backend::Scalar)
                .unwrap();
        let [a, b] = [1, 2].map(|seed| SecretKey::generate(&params, &mut Sampler::new(&Seed([seed; 32]))));
        assert_eq!(a.derive_key("one"), a.derive_key("one"));
        assert_ne!(a.derive_key("one"), a.derive_key("two"));
        assert_ne!(a.derive_key("one"), b.derive_key("one"));
    }

    #[test]
    fn the_seed_of_an_encryption_expands_to_its_uniform_half() {
        let primes = primes_congruent_to_one(40, 128, 3, &[]).unwrap();
        let literal = RlweLiteral::new(64, primes[..2].to_vec(), vec![primes[2]], 2);
        let special = primes_congruent_to_one(45, 128, 1, &[]).unwrap();
        let params = RlweLiteral { p_primes: special, ..literal }.insecure().check(Backend::Scalar).unwrap();
        let secret = SecretKey::generate(&params, &mut Sampler::new(&Seed([1; 32])));
        let m = Poly::zero(params.q(Level(1)));
        let encrypt = || secret.encrypt_seeded(&params, &m, &mut Sampler::new(&Seed([2; 32])));
        let (ciphertext, seed) = encrypt();
        assert_eq!(ciphertext.parts[1].words(), uniform_from_seed(m.basis(), &seed).words());
        assert_eq!(ciphertext.parts[0].words(), encrypt().0.parts[0].words());
    }
}
