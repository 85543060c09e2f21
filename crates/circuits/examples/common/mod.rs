//! One party with parameters of 128-bit security whose primes suit a circuit.

use std::{error::Error, time::Duration};

use asanoha_bgv::{
    BgvCiphertext, BgvLiteral, BgvParams, Decryptor, Encoder, Encryptor, EvaluationKeysBuilder, Evaluator,
    PublicKey, Scheme, SecretKey,
};
use asanoha_kernels::is_prime;
use asanoha_lattice::RlweLiteral;
use asanoha_ring::{Backend, Sampler};

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

pub(crate) const PLAINTEXT_MODULUS: u64 = 65537;

/// The sizes of the primes, as log2: those dropped last first.
pub(crate) struct Sizes {
    pub(crate) ring_degree: usize,
    pub(crate) ciphertext: Vec<f64>,
    pub(crate) special: Vec<f64>,
}

impl Sizes {
    fn params(&self) -> Result<BgvParams> {
        let mut taken = vec![PLAINTEXT_MODULUS];
        let step = 2 * self.ring_degree as u64;
        let mut primes = |sizes: &[f64]| -> Vec<u64> {
            sizes.iter().map(|&size| largest_prime(size, step, &mut taken)).collect()
        };
        let q_primes = primes(&self.ciphertext);
        let (digits, p_primes) = (q_primes.len(), primes(&self.special));
        let rlwe = RlweLiteral::new(self.ring_degree, q_primes, p_primes, digits);
        Ok(BgvLiteral::new(rlwe, PLAINTEXT_MODULUS).check(Backend::detect()?)?)
    }
}

/// The largest prime below 2^size that is 1 modulo `step` and not taken yet.
fn largest_prime(size: f64, step: u64, taken: &mut Vec<u64>) -> u64 {
    let mut candidate = size.exp2() as u64 / step * step + 1;
    while taken.contains(&candidate) || !is_prime(candidate) {
        candidate -= step;
    }
    taken.push(candidate);
    candidate
}

pub(crate) struct Party {
    pub(crate) params: BgvParams,
    pub(crate) evaluator: Evaluator,
    secret: SecretKey,
    public: PublicKey,
    sampler: Sampler,
}

impl Party {
    pub(crate) fn new(sizes: &Sizes) -> Result<Self> {
        let params = sizes.params()?;
        let mut sampler = Sampler::from_os();
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
        let keys = EvaluationKeysBuilder::new(&params, &secret).relinearise();
        let keys = keys.build_with(&mut sampler)?;
        Ok(Self { evaluator: Evaluator::new(&params, keys), params, secret, public, sampler })
    }

    pub(crate) fn encrypt(&mut self, values: &[i64], public: bool) -> Result<BgvCiphertext> {
        let plain = Encoder::new(&self.params).encode(values, self.params.max_level())?;
        let encryptor = Encryptor::new(&self.params);
        Ok(if public {
            encryptor.encrypt(&self.public, &plain, &mut self.sampler)?
        } else {
            encryptor.encrypt_secret(&self.secret, &plain, &mut self.sampler)?
        })
    }

    pub(crate) fn decrypt(&self, ciphertext: &BgvCiphertext) -> Result<Vec<i64>> {
        Ok(Decryptor::new(&self.params).decrypt(&self.secret, ciphertext)?)
    }

    pub(crate) fn describe(&self) -> String {
        let rlwe = self.params.rlwe();
        let (log2_n, log2_qp) = (rlwe.ring_degree().ilog2(), rlwe.log2_qp());
        let (security, levels) = (rlwe.security_bits(), self.params.max_level().0);
        format!("N = 2^{log2_n}, log2(QP) {log2_qp:.1}, {security} security, {levels} levels")
    }
}

pub(crate) fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
