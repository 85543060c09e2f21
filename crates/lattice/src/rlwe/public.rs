//! Public keys.

use asanoha_ring::{Evaluation, Poly, Sampler, Seed, uniform_from_seed};

use crate::{KeyId, Level, OtherKey, RlweParams, SecretKey, key_switch_key::scaled_error};

/// An encryption of zero, (b, a) = (−a·s + f·e, a), modulo the primes of the highest level and the first special prime;
/// a is expanded from a seed.
#[derive(Clone, Debug)]
pub struct PublicKey {
    pub(crate) b: Poly<Evaluation>,
    pub(crate) a: Poly<Evaluation>,
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
}
