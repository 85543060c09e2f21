//! Small parameters, keys and the plain oracle.
#![allow(dead_code)] // Each test crate uses a part.

use std::sync::Arc;

use asanoha_bgv::{
    BgvCiphertext, BgvLiteral, BgvParams, Decryptor, Encoder, Encryptor, Evaluator, PublicKey, SecretKey,
};
use asanoha_kernels::primes_congruent_to_one;
use asanoha_lattice::{Level, RlweLiteral};
use asanoha_ring::{Backend, Sampler, Seed};
use asanoha_scheme::{EvaluationKeysBuilder, Exact, Scheme};
use asanoha_testkit::{TestIntegers, centred, log2_values, rotated_rows};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// The rotations that there are keys for.
pub(crate) const ROTATIONS: [i64; 4] = [1, 2, 5, -3];

/// What a literal is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) ring_degree: usize,
    pub(crate) prime_bits: u32,
    pub(crate) primes: usize,
    pub(crate) digits: usize,
    /// The width of the plaintext modulus.
    pub(crate) plaintext_bits: u32,
}

pub(crate) fn literal(shape: Shape) -> BgvLiteral {
    let step = 2 * shape.ring_degree as u64;
    // 65537 is the usual one of its width.
    let plaintext_modulus = match shape.plaintext_bits {
        17 => 65537,
        bits => primes_congruent_to_one(bits, step, 1, &[]).unwrap()[0],
    };
    let special = shape.primes.div_ceil(shape.digits) + 1;
    let mut q_primes =
        primes_congruent_to_one(shape.prime_bits, step, shape.primes + special, &[plaintext_modulus])
            .unwrap();
    let p_primes = q_primes.split_off(shape.primes);
    let rlwe = RlweLiteral::new(shape.ring_degree, q_primes, p_primes, shape.digits).insecure();
    BgvLiteral::new(rlwe, plaintext_modulus)
}

/// One party that holds everything.
pub(crate) struct House {
    pub(crate) params: BgvParams,
    pub(crate) secret: SecretKey,
    pub(crate) public: PublicKey,
    pub(crate) sampler: Sampler,
    pub(crate) encoder: Encoder,
    pub(crate) encryptor: Encryptor,
    pub(crate) evaluator: Evaluator,
    pub(crate) decryptor: Decryptor,
}

impl House {
    pub(crate) fn new(shape: Shape, seed: u64) -> Self {
        Self::on(shape, seed, Backend::detect().unwrap())
    }

    pub(crate) fn on(shape: Shape, seed: u64, backend: Backend) -> Self {
        Self::of(literal(shape).check(backend).unwrap(), seed)
    }

    pub(crate) fn of(params: BgvParams, seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let mut sampler = Sampler::new(&Seed(bytes));
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
        let keys = EvaluationKeysBuilder::new(&params, &secret).relinearise();
        let has_slots = params.row_slots().is_some();
        let keys = if has_slots { keys.rotate(ROTATIONS).swap_rows() } else { keys };
        let keys = keys.build_with(&mut sampler).unwrap();
        Self {
            encoder: Encoder::new(&params),
            encryptor: Encryptor::new(&params),
            evaluator: Evaluator::new(&params, Arc::new(keys)),
            decryptor: Decryptor::new(&params),
            params,
            secret,
            public,
            sampler,
        }
    }

    pub(crate) fn top(&self) -> Level {
        self.params.max_level()
    }

    /// (t − 1)/2.
    pub(crate) fn largest_value(&self) -> i64 {
        self.params.integers().largest_value().to_i64().unwrap()
    }

    /// Random values for all slots.
    pub(crate) fn values(&self, integers: &mut TestIntegers) -> Vec<i64> {
        let t = BigInt::from(self.params.plaintext_modulus().clone());
        integers.vector(self.params.slots(), &t).iter().map(|value| value.to_i64().unwrap()).collect()
    }

    pub(crate) fn encrypt(&mut self, values: &[i64]) -> BgvCiphertext {
        self.encrypt_at(values, self.top())
    }

    pub(crate) fn encrypt_at(&mut self, values: &[i64], level: Level) -> BgvCiphertext {
        let plain = self.encoder.encode(values, level).unwrap();
        self.encryptor.encrypt(&self.public, &plain, &mut self.sampler).unwrap()
    }

    pub(crate) fn decrypt(&self, ciphertext: &BgvCiphertext) -> Vec<i64> {
        self.decryptor.decrypt(&self.secret, ciphertext).unwrap()
    }

    /// Slot by slot on integers, modulo t.
    pub(crate) fn zip(&self, a: &[i64], b: &[i64], f: impl Fn(i128, i128) -> i128) -> Vec<i64> {
        a.iter().zip(b).map(|(&a, &b)| self.reduce(f(i128::from(a), i128::from(b)))).collect()
    }

    /// The residue in (−t/2, t/2).
    pub(crate) fn reduce(&self, x: i128) -> i64 {
        let t = BigInt::from(self.params.plaintext_modulus().clone());
        centred(&BigInt::from(x), &t).to_i64().unwrap()
    }

    /// Both rows rotated to the left.
    pub(crate) fn rotated(&self, values: &[i64], rotation: i64) -> Vec<i64> {
        rotated_rows(values, self.params.row_slots().unwrap(), rotation)
    }

    pub(crate) fn swapped(&self, values: &[i64]) -> Vec<i64> {
        let (first, second) = values.split_at(self.params.row_slots().unwrap());
        [second, first].concat()
    }

    /// log2 of the actual canonical norm of v, by the definition.
    pub(crate) fn norm_bits(&self, ciphertext: &BgvCiphertext) -> f64 {
        let v = self.secret.decrypt(ciphertext.rlwe()).to_integers();
        log2_values(&v).into_iter().fold(f64::NEG_INFINITY, f64::max)
    }

    /// A ciphertext decrypts to these values and its actual norm is within its bound.
    pub(crate) fn expect(&self, ciphertext: &BgvCiphertext, values: &[i64], what: &str) {
        assert_eq!(self.decrypt(ciphertext), values, "{what}");
        self.expect_noise(ciphertext, what);
    }

    /// The actual norm of a ciphertext is within its bound.
    pub(crate) fn expect_noise(&self, ciphertext: &BgvCiphertext, what: &str) {
        let (measured, bound) = (self.norm_bits(ciphertext), ciphertext.noise().log2());
        assert!(measured <= bound + 1e-9, "{what}: measured 2^{measured:.2}, predicted 2^{bound:.2}");
    }
}
