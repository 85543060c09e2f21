//! One who holds all keys.

use asanoha_lattice::{EvaluationKeys, Level, PublicKey, SecretKey};
use asanoha_ring::{Backend, Sampler};
use asanoha_scheme::{Ciphertext, Encryptor, EvaluationKeysBuilder, Evaluator, Scheme};

use crate::{Subject, TestIntegers};

/// A ciphertext and the values that it should hold.
pub type Known<T> = (Ciphertext<<T as Subject>::Scheme>, Vec<<T as Subject>::Value>);

/// The same, lent.
pub type Operand<'k, T> = (&'k Ciphertext<<T as Subject>::Scheme>, &'k [<T as Subject>::Value]);

/// Somebody who encrypts, computes and decrypts, all from one seed.
#[derive(Debug)]
pub struct Party<T: Subject> {
    /// The parameters.
    pub params: T::Scheme,
    /// The secret key.
    pub secret: SecretKey,
    /// Its public key.
    pub public: PublicKey,
    /// Where the randomness of encryption comes from.
    pub sampler: Sampler,
    /// Where random values come from.
    pub integers: TestIntegers,
    /// Encrypts.
    pub encryptor: Encryptor<T::Scheme>,
    /// Computes, with keys for products, the subject's rotations and the swap of rows.
    pub evaluator: Evaluator<T::Scheme>,
}

impl<T: Subject> Party<T> {
    /// A party with the rotations of the subject.
    pub fn new(params: T::Scheme, seed: u64) -> Self {
        let rotations: &[i64] = if params.row_slots().is_some() { &T::ROTATIONS } else { &[] };
        Self::with_rotations(params, rotations, seed)
    }

    /// A party with keys for these rotations.
    pub fn with_rotations(params: T::Scheme, rotations: &[i64], seed: u64) -> Self {
        println!("seed {seed}");
        let mut sampler = T::sampler(seed);
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
        let keys = EvaluationKeysBuilder::new(&params, &secret).relinearise();
        let has_slots = params.row_slots().is_some();
        let keys = if has_slots { keys.rotate(rotations.iter().copied()).swap_rows() } else { keys };
        let keys = keys.build_with(&mut sampler).expect("the keys can be made");
        Self {
            encryptor: Encryptor::new(&params),
            evaluator: Evaluator::new(&params, keys),
            integers: TestIntegers(seed),
            params,
            secret,
            public,
            sampler,
        }
    }

    /// A party for every kind of plaintexts, by the fastest kernels.
    pub fn of_all_kinds(seed: u64) -> Vec<Self> {
        let backend = Backend::detect().expect("there are kernels");
        T::kinds(backend).into_iter().map(|params| Self::new(params, seed)).collect()
    }

    /// A party with slots.
    pub fn with_slots(seed: u64) -> Self {
        let backend = Backend::detect().expect("there are kernels");
        let params =
            T::kinds(backend).into_iter().find(|params| params.row_slots().is_some_and(|row| row > 8));
        Self::new(params.expect("a kind with slots"), seed)
    }

    /// An evaluator without keys.
    pub fn without_keys(&self) -> Evaluator<T::Scheme> {
        Evaluator::new(&self.params, EvaluationKeys::default())
    }

    /// The level of fresh ciphertexts.
    pub fn top(&self) -> Level {
        self.params.max_level()
    }

    /// Random values.
    pub fn values(&mut self) -> Vec<T::Value> {
        T::values(&self.params, &mut self.integers)
    }

    /// Encodes values for a level.
    pub fn encode(&self, values: &[T::Value], level: Level) -> <T::Scheme as Scheme>::Plaintext {
        T::encode(&self.params, values, level).expect("the values fit")
    }

    /// Encrypts values for a level.
    pub fn encrypt_at(&mut self, values: &[T::Value], level: Level) -> Ciphertext<T::Scheme> {
        let plain = self.encode(values, level);
        self.encryptor.encrypt(&self.public, &plain, &mut self.sampler).expect("the level is high enough")
    }

    /// Encrypts values.
    pub fn encrypt(&mut self, values: &[T::Value]) -> Ciphertext<T::Scheme> {
        self.encrypt_at(values, self.top())
    }

    /// Random values and their encryption.
    pub fn random(&mut self) -> Known<T> {
        let values = self.values();
        (self.encrypt(&values), values)
    }

    /// The values of a ciphertext.
    pub fn decrypt(&self, ciphertext: &Ciphertext<T::Scheme>) -> Vec<T::Value> {
        T::decrypt(&self.params, &self.secret, ciphertext).expect("it decrypts")
    }

    /// Holds a ciphertext against its values and its noise against the bound; gives how many bits it is below.
    pub fn expect(&self, ciphertext: &Ciphertext<T::Scheme>, values: &[T::Value], what: &str) -> f64 {
        let excess = T::excess_bits(&self.secret, ciphertext, values, what);
        assert!(excess <= 1e-9, "{what}: the noise is {excess:.2} bits above its bound");
        -excess
    }

    /// a + b.
    pub fn sum(&self, a: &[T::Value], b: &[T::Value]) -> Vec<T::Value> {
        T::sum(&self.params, a, b)
    }

    /// a − b.
    pub fn difference(&self, a: &[T::Value], b: &[T::Value]) -> Vec<T::Value> {
        T::difference(&self.params, a, b)
    }

    /// a·b.
    pub fn product(&self, a: &[T::Value], b: &[T::Value]) -> Vec<T::Value> {
        T::product(&self.params, a, b)
    }

    /// A constant as plain values.
    pub fn constant(&self, constant: i64) -> Vec<T::Value> {
        T::constant(&self.params, constant)
    }

    /// k·a.
    pub fn times(&self, a: &[T::Value], factor: i64) -> Vec<T::Value> {
        self.product(a, &self.constant(factor))
    }

    /// Each row rotated to the left.
    pub fn rotated(&self, values: &[T::Value], rotation: i64) -> Vec<T::Value> {
        T::rotated(&self.params, values, rotation)
    }

    /// The rows swapped, or the conjugates.
    pub fn swapped(&self, values: &[T::Value]) -> Vec<T::Value> {
        T::swapped(&self.params, values)
    }
}
