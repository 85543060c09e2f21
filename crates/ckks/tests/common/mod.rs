//! What the tests share.
#![allow(dead_code)] // Each test file uses a part.

use std::sync::Arc;

use asanoha_ckks::{
    CkksCiphertext, CkksLiteral, CkksParams, CkksPlaintext, CkksState, Complex64, Decryptor, Encoder,
    Encryptor, EvaluationKeys, Evaluator, PublicKey, SecretKey, measure,
};
use asanoha_kernels::primes_congruent_to_one;
use asanoha_lattice::{Level, RlweLiteral};
use asanoha_ring::{Backend, Sampler, Seed};
use asanoha_scheme::{EvaluationKeysBuilder, Scheme};
use asanoha_testkit::TestIntegers;

/// The bound that the tests announce; their values are at most 1.
pub(crate) const BOUND: f64 = 1.5;

/// Insecure parameters: a prime of `log2_scale` + 5 bits, `levels` primes of `log2_scale` bits, a digit a prime.
pub(crate) fn literal(ring_degree: usize, levels: usize, log2_scale: u32) -> CkksLiteral {
    let step = 2 * ring_degree as u64;
    let base = primes_congruent_to_one(log2_scale + 5, step, 1, &[]).unwrap();
    let scales = primes_congruent_to_one(log2_scale, step, levels, &[]).unwrap();
    let rlwe = RlweLiteral::new(
        ring_degree,
        [base, scales].concat(),
        primes_congruent_to_one(log2_scale + 10, step, 1, &[]).unwrap(),
        levels + 1,
    )
    .insecure();
    CkksLiteral { rlwe, log2_scale: f64::from(log2_scale) }
}

pub(crate) fn params(ring_degree: usize, levels: usize, log2_scale: u32) -> CkksParams {
    literal(ring_degree, levels, log2_scale).check(Backend::detect().unwrap()).unwrap()
}

pub(crate) fn sampler(seed: u64) -> Sampler {
    println!("seed {seed}");
    let mut bytes = [7; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    Sampler::new(&Seed(bytes))
}

/// Everything that a test needs, all from one seed.
pub(crate) struct Case {
    pub(crate) params: CkksParams,
    pub(crate) secret: SecretKey,
    pub(crate) public: PublicKey,
    pub(crate) evaluator: Evaluator,
    pub(crate) sampler: Sampler,
    pub(crate) integers: TestIntegers,
}

impl Case {
    pub(crate) fn new(params: CkksParams, rotations: &[i64], seed: u64) -> Self {
        let mut sampler = sampler(seed);
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
        let keys = EvaluationKeysBuilder::new(&params, &secret)
            .rotate(rotations.iter().copied())
            .swap_rows()
            .relinearise()
            .build_with(&mut sampler)
            .unwrap();
        let evaluator = Evaluator::new(&params, Arc::new(keys));
        Self { params, secret, public, evaluator, sampler, integers: TestIntegers(seed) }
    }

    pub(crate) fn without_keys(&self) -> Evaluator {
        Evaluator::new(&self.params, Arc::new(EvaluationKeys::default()))
    }

    /// Random complex numbers of absolute value at most 1.
    pub(crate) fn values(&mut self) -> Vec<Complex64> {
        let half_diagonal = std::f64::consts::FRAC_1_SQRT_2;
        let mut part = || half_diagonal * self.integers.real();
        (0..self.params.slots()).map(|_| Complex64::new(part(), part())).collect()
    }

    /// The same ciphertext, of which something else is known.
    pub(crate) fn with_state(&self, a: &CkksCiphertext, state: CkksState) -> CkksCiphertext {
        CkksCiphertext::from_checked_parts(&self.params, a.rlwe().clone(), state).unwrap()
    }

    /// At the level's canonical scale.
    pub(crate) fn encode(&self, values: &[Complex64], level: Level) -> CkksPlaintext {
        let scale = self.params.scale_at(level);
        Encoder::new(&self.params).encode(values, BOUND, level, scale).unwrap()
    }

    pub(crate) fn encrypt_at(&mut self, values: &[Complex64], level: Level) -> CkksCiphertext {
        let plain = self.encode(values, level);
        Encryptor::new(&self.params).encrypt(&self.public, &plain, &mut self.sampler).unwrap()
    }

    pub(crate) fn encrypt(&mut self, values: &[Complex64]) -> CkksCiphertext {
        self.encrypt_at(values, self.params.max_level())
    }

    /// Random values and their encryption.
    pub(crate) fn random(&mut self) -> (Vec<Complex64>, CkksCiphertext) {
        let values = self.values();
        let ciphertext = self.encrypt(&values);
        (values, ciphertext)
    }

    pub(crate) fn decrypt(&self, ciphertext: &CkksCiphertext) -> Vec<Complex64> {
        Decryptor::new(&self.params).decrypt(&self.secret, ciphertext).unwrap()
    }

    /// Holds the measured error against the predicted one, the values against the bound; gives how many bits the
    /// prediction is above the measurement.
    pub(crate) fn assert_close(&self, ciphertext: &CkksCiphertext, expected: &[Complex64]) -> f64 {
        assert!(expected.iter().all(|value| value.abs() <= ciphertext.bound()));
        let measured = measure(&self.secret, ciphertext, expected).unwrap();
        let predicted = ciphertext.noise().to_f64();
        assert!(measured <= predicted, "measured {measured:e}, predicted {predicted:e}");
        (predicted / measured).log2()
    }
}

pub(crate) fn zip(
    a: &[Complex64],
    b: &[Complex64],
    f: impl Fn(Complex64, Complex64) -> Complex64,
) -> Vec<Complex64> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

pub(crate) fn rotated(a: &[Complex64], places: i64) -> Vec<Complex64> {
    let n = a.len() as i64;
    (0..n).map(|j| a[(j + places).rem_euclid(n) as usize]).collect()
}
