//! Public keys.

use asanoha_ring::{Coefficient, Encryption, Evaluation, Poly, Sampler, Scalar, Seed, uniform_from_seed};

use super::{error::scaled_error, randomness::randomness};
use crate::{
    Destination, FileError, FileReader, FileWriter, KeyId, Level, OtherKey, RlweCiphertext, RlweParams,
    SecretKey, Source,
};

const PUBLIC: &str = "public key";

/// An encryption of zero, (b, a) = (−a·s + f·e, a), modulo the primes of the highest level and the first special prime;
/// a is expanded from a seed.
#[derive(Clone, Debug)]
pub struct PublicKey {
    b: Poly<Evaluation>,
    a: Poly<Evaluation>,
    seed: Seed,
    id: KeyId,
}

impl PublicKey {
    /// The public key of a secret key.
    pub fn generate(params: &RlweParams, secret: &SecretKey, sampler: &mut Sampler) -> Self {
        let mut sampler = sampler.branch("public key", &[params.digest().as_bytes(), secret.id().as_bytes()]);
        let basis = params.public_key_basis();
        let seed = sampler.seed();
        let a = uniform_from_seed(&basis, &seed);
        let mut b = a.mul(&secret.modulo(&basis));
        b.neg_assign();
        b.add_assign(&scaled_error(params, &basis, &mut sampler));
        Self { b, a, seed, id: secret.id() }
    }

    /// A key from the parts that its file holds.
    pub(crate) fn from_parts(params: &RlweParams, id: KeyId, b: Poly<Evaluation>, seed: Seed) -> Self {
        let a = uniform_from_seed(&params.public_key_basis(), &seed);
        Self { b, a, seed, id }
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
        OtherKey::check("public", *self.b.basis() == params.public_key_basis())
    }

    /// The half b, which depends on the secret key.
    pub fn body(&self) -> &Poly<Evaluation> {
        &self.b
    }

    /// The seed that the uniform half a is expanded from.
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// The highest level at which it encrypts.
    pub fn level(&self) -> Level {
        Level(self.b.basis().len() - 2)
    }

    /// Encrypts a plaintext polynomial at its level: ((b·u + f·e₀)/p + m, (a·u + f·e₁)/p) with ternary u, where p is
    /// the first special prime. The errors are about √N times those of secret-key encryption; of these the division
    /// leaves little more than its own rounding. The division also takes the errors' NTTs along, so that it costs none
    /// of its own.
    ///
    /// The noise is f times [`RlweParams::fresh_public_noise`].
    pub fn encrypt(
        &self,
        params: &RlweParams,
        m: &Poly<Evaluation>,
        sampler: &mut Sampler,
    ) -> RlweCiphertext {
        let mut own = randomness(params, self.id(), m.words(), sampler);
        let sampler = own.as_mut().unwrap_or(sampler);
        let mut ciphertext = self.encrypt_at(params, Level(m.basis().len() - 1), None, sampler);
        ciphertext.parts[0].add_assign(m);
        ciphertext
    }

    /// As [`PublicKey::encrypt`], for a plaintext polynomial in coefficient form: it's transformed together with the errors.
    pub fn encrypt_coefficients(
        &self,
        params: &RlweParams,
        m: &Poly<Coefficient>,
        sampler: &mut Sampler,
    ) -> RlweCiphertext {
        let mut own = randomness(params, self.id(), m.words(), sampler);
        let sampler = own.as_mut().unwrap_or(sampler);
        self.encrypt_at(params, Level(m.basis().len() - 1), Some(m), sampler)
    }

    /// The encryption of zero, or of a plaintext that is taken along.
    fn encrypt_at(
        &self,
        params: &RlweParams,
        level: Level,
        message: Option<&Poly<Coefficient>>,
        sampler: &mut Sampler,
    ) -> RlweCiphertext {
        let divider = params.encryption_divider(level);
        let n = params.ring_degree();
        let (mask, errors) = (sampler.ternary(n), [sampler.error(n), sampler.error(n)]);
        // The errors' distribution is symmetric, so subtracting an error is as good as adding it.
        let parts = divider.encrypt(&Encryption {
            keys: [&self.b, &self.a],
            mask: &mask,
            errors: errors.each_ref().map(|error| error.as_slice()),
            factor: &Scalar::new(divider.whole(), &params.noise_factor().clone().into()),
            message,
        });
        RlweCiphertext { parts: parts.into() }
    }

    /// Writes the public key to a file and returns the file's length in bytes.
    pub fn write<'d>(
        &self,
        params: &RlweParams,
        digest: &str,
        to: impl Into<Destination<'d>>,
    ) -> Result<u64, FileError> {
        let mut file =
            FileWriter::new(params.file_header(digest, self.id(), PUBLIC, serde_json::Value::Null));
        let seed = self.seed().to_words();
        let b = self.body();
        file.tensor("b", &[b.basis().len(), params.ring_degree()], vec![b.words()]);
        file.tensor("seed", &[Seed::WORDS], vec![&seed]);
        file.write(to)
    }

    /// Reads a public key.
    pub fn read<'s>(
        params: &RlweParams,
        digest: &str,
        from: impl Into<Source<'s>>,
    ) -> Result<Self, FileError> {
        let file = FileReader::read(from, PUBLIC, digest)?;
        let b = file.polys("b", &params.public_key_basis(), 1)?.remove(0);
        let seed = Seed::from_words(file.words("seed", &[Seed::WORDS])?);
        Ok(Self::from_parts(params, file.header().key, b, seed))
    }
}
