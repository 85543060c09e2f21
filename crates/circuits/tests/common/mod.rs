//! Small parameters and one party that holds everything.
#![allow(dead_code)] // Each test crate uses a part.

use asanoha_bgv::{
    BgvCiphertext, BgvLiteral, BgvParams, Decryptor, Encoder, Encryptor, EvaluationKeysBuilder, Evaluator,
    SecretKey,
};
use asanoha_kernels::primes_congruent_to_one;
use asanoha_lattice::RlweLiteral;
use asanoha_ring::{Backend, Sampler, Seed};
use asanoha_scheme::Scheme;

pub(crate) struct Fixture {
    pub(crate) params: BgvParams,
    pub(crate) evaluator: Evaluator,
    secret: SecretKey,
    sampler: Sampler,
}

impl Fixture {
    /// t = 65537 and levels for so many products, each of one prime, where the last may be a bilinear form.
    pub(crate) fn new(ring_degree: usize, depth: usize, seed: u8) -> Self {
        Self::with_modulus(ring_degree, depth, 65537, seed)
    }

    /// The same for another plaintext modulus of at most 17 bits.
    pub(crate) fn with_modulus(ring_degree: usize, depth: usize, plaintext_modulus: u64, seed: u8) -> Self {
        let step = 2 * ring_degree as u64;
        let mut q_primes = primes_congruent_to_one(50, step, 2, &[]).unwrap();
        q_primes.extend(primes_congruent_to_one(33, step, depth - 1, &[]).unwrap());
        let (digits, p_primes) = (q_primes.len(), primes_congruent_to_one(28, step, 2, &[]).unwrap());
        let rlwe = RlweLiteral::new(ring_degree, q_primes, p_primes, digits).insecure();
        let params = BgvLiteral::new(rlwe, plaintext_modulus).check(Backend::detect().unwrap()).unwrap();
        let mut sampler = Sampler::new(&Seed([seed; 32]));
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let keys = EvaluationKeysBuilder::new(&params, &secret).relinearise();
        let keys = keys.build_with(&mut sampler).unwrap();
        Self { evaluator: Evaluator::new(&params, keys), params, secret, sampler }
    }

    pub(crate) fn slots(&self) -> usize {
        self.params.slots()
    }

    pub(crate) fn encrypt(&mut self, values: &[i64]) -> BgvCiphertext {
        let plain = Encoder::new(&self.params).encode(values, self.params.max_level()).unwrap();
        Encryptor::new(&self.params).encrypt_secret(&self.secret, &plain, &mut self.sampler).unwrap()
    }

    pub(crate) fn decrypt(&self, ciphertext: &BgvCiphertext) -> Vec<i64> {
        assert!(ciphertext.noise_budget_bits() > 0.0);
        Decryptor::new(&self.params).decrypt(&self.secret, ciphertext).unwrap()
    }
}
