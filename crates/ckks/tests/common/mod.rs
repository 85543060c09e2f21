//! CKKS as the suites of testkit see it, and a party for tests of its own.
#![allow(dead_code)] // Each test file uses a part.

use std::num::NonZeroU64;

use asanoha_ckks::{
    CkksCiphertext, CkksLiteral, CkksParams, CkksPlaintext, CkksState, CkksTransform, Complex64, Decryptor,
    Encoder, Evaluator, PublicKey, ScaledConstant, SecretKey, measure,
};
use asanoha_kernels::primes_congruent_to_one;
use asanoha_lattice::{DiagonalSteps, Level, RlweLiteral};
use asanoha_ring::{Backend, Sampler, Seed};
use asanoha_scheme::{Scheme, SchemeError};
use asanoha_testkit::{Party, Refusals, Subject, TestIntegers};

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
    CkksLiteral::new(rlwe, f64::from(log2_scale))
}

pub(crate) fn params(ring_degree: usize, levels: usize, log2_scale: u32) -> CkksParams {
    literal(ring_degree, levels, log2_scale).check(Backend::detect().unwrap()).unwrap()
}

/// CKKS under test.
pub(crate) struct Ckks;

/// All slots the same.
fn everywhere(params: &CkksParams, value: f64) -> Vec<Complex64> {
    vec![Complex64::from(value); params.slots()]
}

impl Subject for Ckks {
    type Scheme = CkksParams;
    type Value = Complex64;

    fn sampler(seed: u64) -> Sampler {
        let mut bytes = [7; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Sampler::new(&Seed(bytes))
    }

    fn kinds(backend: Backend) -> Vec<CkksParams> {
        let literals = [literal(1 << 6, 5, 40), literal(1 << 6, 5, 50), literal(1 << 9, 5, 40)];
        literals.into_iter().map(|literal| literal.check(backend).unwrap()).collect()
    }

    fn differing() -> Vec<CkksParams> {
        let own = literal(1 << 6, 2, 40);
        let others = [literal(1 << 6, 2, 41), literal(1 << 7, 2, 40)];
        let scale = CkksLiteral { log2_scale: 39.5, ..own.clone() };
        let all = [own, scale].into_iter().chain(others);
        all.map(|literal| literal.check(Backend::detect().unwrap()).unwrap()).collect()
    }

    fn deep() -> CkksParams {
        params(1 << 5, 8, 40)
    }

    /// Random complex numbers of absolute value at most 1.
    fn values(params: &CkksParams, integers: &mut TestIntegers) -> Vec<Complex64> {
        let mut part = || std::f64::consts::FRAC_1_SQRT_2 * integers.real();
        (0..params.slots()).map(|_| Complex64::new(part(), part())).collect()
    }

    fn constant(params: &CkksParams, constant: i64) -> Vec<Complex64> {
        everywhere(params, constant as f64)
    }

    fn addend(constant: i64) -> f64 {
        constant as f64
    }

    fn factor(constant: i64) -> ScaledConstant {
        (constant as f64, 1.0).into()
    }

    /// At the level's canonical scale.
    fn encode(params: &CkksParams, values: &[Complex64], level: Level) -> Result<CkksPlaintext, SchemeError> {
        let scale = params.scale_at(level.min(params.max_level()));
        Encoder::new(params).encode(values, BOUND, level, scale)
    }

    fn decode(params: &CkksParams, plaintext: &CkksPlaintext) -> Result<Vec<Complex64>, SchemeError> {
        Encoder::new(params).decode(plaintext)
    }

    fn decrypt(
        params: &CkksParams,
        secret: &SecretKey,
        ciphertext: &CkksCiphertext,
    ) -> Result<Vec<Complex64>, SchemeError> {
        Decryptor::new(params).decrypt(secret, ciphertext)
    }

    /// The error is the noise: values that are wrong are far beyond it.
    fn excess_bits(secret: &SecretKey, ciphertext: &CkksCiphertext, values: &[Complex64], what: &str) -> f64 {
        assert!(values.iter().all(|value| value.abs() <= ciphertext.bound()), "{what}");
        let measured = measure(secret, ciphertext, values).unwrap();
        // What was multiplied by zero has no noise, and a bound of none.
        if measured == 0.0 { f64::NEG_INFINITY } else { (measured / ciphertext.noise().to_f64()).log2() }
    }

    fn sum(_: &CkksParams, a: &[Complex64], b: &[Complex64]) -> Vec<Complex64> {
        zip(a, b, |a, b| a + b)
    }

    fn difference(_: &CkksParams, a: &[Complex64], b: &[Complex64]) -> Vec<Complex64> {
        zip(a, b, |a, b| a - b)
    }

    fn product(_: &CkksParams, a: &[Complex64], b: &[Complex64]) -> Vec<Complex64> {
        zip(a, b, |a, b| a * b)
    }

    fn swapped(_: &CkksParams, values: &[Complex64]) -> Vec<Complex64> {
        values.iter().map(|value| value.conjugate()).collect()
    }

    fn settled_product(
        evaluator: &Evaluator,
        a: &CkksCiphertext,
        b: &CkksCiphertext,
    ) -> Result<CkksCiphertext, SchemeError> {
        evaluator.multiply(a, b)
    }

    fn brought_to(
        evaluator: &Evaluator,
        a: &CkksCiphertext,
        level: Level,
    ) -> Result<CkksCiphertext, SchemeError> {
        evaluator.adjust_to(a, level)
    }

    fn transform(
        params: &CkksParams,
        steps: &DiagonalSteps,
        level: Level,
    ) -> Result<CkksTransform, SchemeError> {
        Encoder::new(params).encode_transform(steps, level, 1024.0, |_| vec![1.0.into()])
    }

    fn decryptions(params: &CkksParams, secret: &SecretKey, a: &CkksCiphertext) -> Refusals {
        let decryptor = Decryptor::new(params);
        vec![
            ("decrypt", decryptor.decrypt(secret, a).map(drop)),
            ("decrypt_real", decryptor.decrypt_real(secret, a).map(drop)),
        ]
    }

    fn own_operations(party: &Party<Self>, a: &CkksCiphertext) -> Refusals {
        let e = &party.evaluator;
        let published = Decryptor::new(&party.params).publish(&party.secret, a, NonZeroU64::MIN, 30);
        vec![
            ("rescale", e.rescale(a).map(drop)),
            ("rescale_to", e.rescale_to(a, Level(1)).map(drop)),
            ("adjust_to", e.adjust_to(a, Level(1)).map(drop)),
            ("conjugate", e.conjugate(a).map(drop)),
            ("publish", published.map(drop)),
        ]
    }
}

/// Everything that a test of its own needs, all from one seed.
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
        let Party::<Ckks> { params, secret, public, sampler, integers, evaluator, .. } =
            Party::with_rotations(params, rotations, seed);
        Self { params, secret, public, evaluator, sampler, integers }
    }

    /// Random complex numbers of absolute value at most 1.
    pub(crate) fn values(&mut self) -> Vec<Complex64> {
        Ckks::values(&self.params, &mut self.integers)
    }

    /// The same ciphertext, of which something else is known.
    pub(crate) fn with_state(&self, a: &CkksCiphertext, state: CkksState) -> CkksCiphertext {
        CkksCiphertext::from_checked_parts(&self.params, a.rlwe().clone(), state).unwrap()
    }

    /// At the level's canonical scale.
    pub(crate) fn encode(&self, values: &[Complex64], level: Level) -> CkksPlaintext {
        Ckks::encode(&self.params, values, level).unwrap()
    }

    pub(crate) fn encrypt_at(&mut self, values: &[Complex64], level: Level) -> CkksCiphertext {
        let plain = self.encode(values, level);
        asanoha_ckks::Encryptor::new(&self.params).encrypt(&self.public, &plain, &mut self.sampler).unwrap()
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
        let excess = Ckks::excess_bits(&self.secret, ciphertext, expected, "values beyond their bound");
        assert!(excess <= 0.0, "{excess:.2} bits above the bound");
        -excess
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
