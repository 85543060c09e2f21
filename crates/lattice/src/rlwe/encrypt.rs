//! Encryption.

use asanoha_ring::{Coefficient, Encryption, Evaluation, Poly, Sampler, Scalar, Seed, uniform_from_seed};

use crate::{KeyId, Level, PublicKey, RlweCiphertext, RlweParams, SecretKey, key_switch_key::scaled_error};

/// The randomness of one encryption. If the sampler comes from a given seed, it depends on the key and on all that is
/// encrypted, so that no two messages are hidden by the same values; otherwise it's fresh anyway.
fn randomness(params: &RlweParams, key: KeyId, message: &[u64], sampler: &mut Sampler) -> Option<Sampler> {
    sampler.is_seeded().then(|| {
        let message = blake3::hash(bytemuck::cast_slice(message));
        sampler.branch("encryption", &[params.digest().as_bytes(), key.as_bytes(), message.as_bytes()])
    })
}

impl PublicKey {
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
}

impl SecretKey {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RlweLiteral;
    use asanoha_kernels::primes_congruent_to_one;
    use asanoha_ring::Backend;

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
