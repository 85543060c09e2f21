//! A scheme as the suites see it, and one who holds all its keys.

use std::fmt::Debug;

use asanoha_lattice::{DiagonalSteps, EvaluationKeys, Level, PublicKey, SecretKey};
use asanoha_ring::{Backend, Sampler, Seed};
use asanoha_scheme::{
    Ciphertext, Encryptor, EvaluationKeysBuilder, Evaluator, Scheme, SchemeError, Transform,
};

use crate::{TestIntegers, rotated_rows};

/// What came of something that must be refused, by its name.
pub type Refusals = Vec<(&'static str, Result<(), SchemeError>)>;

/// A scheme under test: parameters to test it with, and the plain numbers that its ciphertexts are held against.
pub trait Subject: Sized + 'static {
    /// The scheme.
    type Scheme: Scheme;
    /// What a ciphertext holds many of.
    type Value: Clone + Debug + PartialEq + Send + Sync;

    /// The rotations that parties have keys for, where there are slots.
    const ROTATIONS: [i64; 4] = [1, 2, 5, -3];

    /// The randomness of a number.
    fn sampler(seed: u64) -> Sampler {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Sampler::new(&Seed(bytes))
    }

    /// Parameters for each kind of plaintexts, with six levels each. The first has a ring of 64 coefficients and as many
    /// slots as that can have.
    fn kinds(backend: Backend) -> Vec<Self::Scheme>;

    /// Parameters, and others that differ from the first: of the same ring and other plaintexts, of other primes, of
    /// another degree; all with the same number of levels.
    fn differing() -> Vec<Self::Scheme>;

    /// Parameters of the smallest ring and many levels.
    fn deep() -> Self::Scheme;

    /// Random values for a whole ciphertext.
    fn values(scheme: &Self::Scheme, integers: &mut TestIntegers) -> Vec<Self::Value>;

    /// One value wherever a constant of operations stands: in every slot, or in the constant coefficient.
    fn constant(scheme: &Self::Scheme, constant: i64) -> Vec<Self::Value>;

    /// A constant for sums.
    fn addend(constant: i64) -> <Self::Scheme as Scheme>::Constant;

    /// A constant for products.
    fn factor(constant: i64) -> <Self::Scheme as Scheme>::Factor;

    /// Encodes values for a level.
    ///
    /// # Errors
    /// The encoder's.
    fn encode(
        scheme: &Self::Scheme,
        values: &[Self::Value],
        level: Level,
    ) -> Result<<Self::Scheme as Scheme>::Plaintext, SchemeError>;

    /// The values of a plaintext.
    ///
    /// # Errors
    /// The encoder's.
    fn decode(
        scheme: &Self::Scheme,
        plaintext: &<Self::Scheme as Scheme>::Plaintext,
    ) -> Result<Vec<Self::Value>, SchemeError>;

    /// The values of a ciphertext.
    ///
    /// # Errors
    /// The decryptor's.
    fn decrypt(
        scheme: &Self::Scheme,
        secret: &SecretKey,
        ciphertext: &Ciphertext<Self::Scheme>,
    ) -> Result<Vec<Self::Value>, SchemeError>;

    /// How many bits the noise of a ciphertext of these values is above its bound: a negative number, or the bound is
    /// wrong.
    ///
    /// # Panics
    /// If it decrypts to other values.
    fn excess_bits(
        secret: &SecretKey,
        ciphertext: &Ciphertext<Self::Scheme>,
        values: &[Self::Value],
        what: &str,
    ) -> f64;

    /// a + b.
    fn sum(scheme: &Self::Scheme, a: &[Self::Value], b: &[Self::Value]) -> Vec<Self::Value>;

    /// a − b.
    fn difference(scheme: &Self::Scheme, a: &[Self::Value], b: &[Self::Value]) -> Vec<Self::Value>;

    /// a·b, of slots or of polynomials.
    fn product(scheme: &Self::Scheme, a: &[Self::Value], b: &[Self::Value]) -> Vec<Self::Value>;

    /// Each row rotated to the left.
    fn rotated(scheme: &Self::Scheme, values: &[Self::Value], rotation: i64) -> Vec<Self::Value> {
        rotated_rows(values, scheme.row_slots().expect("there are slots"), rotation)
    }

    /// The rows swapped, or the conjugates.
    fn swapped(scheme: &Self::Scheme, values: &[Self::Value]) -> Vec<Self::Value>;

    /// A product brought to the level, and the scale, that suit it.
    ///
    /// # Errors
    /// The evaluator's.
    fn settled_product(
        evaluator: &Evaluator<Self::Scheme>,
        a: &Ciphertext<Self::Scheme>,
        b: &Ciphertext<Self::Scheme>,
    ) -> Result<Ciphertext<Self::Scheme>, SchemeError>;

    /// A ciphertext as it's added to those that came down to a level by products.
    ///
    /// # Errors
    /// The evaluator's.
    fn brought_to(
        evaluator: &Evaluator<Self::Scheme>,
        a: &Ciphertext<Self::Scheme>,
        level: Level,
    ) -> Result<Ciphertext<Self::Scheme>, SchemeError>;

    /// A linear transform of ones.
    ///
    /// # Errors
    /// The encoder's.
    fn transform(
        scheme: &Self::Scheme,
        steps: &DiagonalSteps,
        level: Level,
    ) -> Result<Transform<Self::Scheme>, SchemeError>;

    /// What every way to decrypt makes of a ciphertext.
    fn decryptions(
        scheme: &Self::Scheme,
        secret: &SecretKey,
        ciphertext: &Ciphertext<Self::Scheme>,
    ) -> Refusals;

    /// What the operations that this scheme has beyond all schemes' make of a ciphertext.
    fn own_operations(party: &Party<Self>, ciphertext: &Ciphertext<Self::Scheme>) -> Refusals;

    /// A step of circuits that repeat their own values, by operations that this scheme has beyond all schemes': of the
    /// ciphertexts x, a and b of one level; none where there's no such operation.
    ///
    /// # Errors
    /// The evaluator's.
    fn own_step(
        _party: &Party<Self>,
        _choice: u64,
        _operands: [Operand<'_, Self>; 3],
    ) -> Result<Option<Known<Self>>, SchemeError> {
        Ok(None)
    }
}

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
