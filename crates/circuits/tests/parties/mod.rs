//! What the tests share: matrices, the plain product, and one party of any scheme that holds everything.
#![allow(dead_code)] // Each test file uses a part.

use asanoha_bfv::{Bfv, BfvLiteral};
use asanoha_bgv::{Bgv, BgvLiteral};
use asanoha_ckks::{Ckks, CkksCiphertext, CkksLiteral, Complex64};
use asanoha_kernels::primes_congruent_to_one;
use asanoha_lattice::{PublicKey, RlweLiteral, SecretKey};
use asanoha_ring::{Backend, Sampler, Seed};
use asanoha_scheme::{
    Ciphertext, Decryptor, Encoder, Encryptor, EvaluationKeysBuilder, Evaluator, Exact, Scheme,
};
use asanoha_testkit::{TestIntegers, centred};
use num_bigint::{BigInt, BigUint};

/// A matrix with the given entries, those of which `nonzero` isn't true being the default.
pub(crate) fn matrix<V: Default>(
    (outputs, inputs): (usize, usize),
    nonzero: impl Fn(usize, usize) -> bool,
    mut entry: impl FnMut() -> V,
) -> Vec<Vec<V>> {
    let mut row = |i: usize| {
        (0..inputs).map(|j| if nonzero(i, j) { entry() } else { V::default() }).collect::<Vec<V>>()
    };
    (0..outputs).map(&mut row).collect()
}

/// A vector as it must stand in the slots: a block of a power of two, filled with the default, repeated.
pub(crate) fn spread<V: Clone + Default>(vector: &[V], slots: usize) -> Vec<V> {
    let mut block = vector.to_vec();
    block.resize(vector.len().next_power_of_two(), V::default());
    (0..slots).map(|slot| block[slot % block.len()].clone()).collect()
}

fn sampler(seed: u64) -> Sampler {
    println!("seed {seed}");
    let mut bytes = [7; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    Sampler::new(&Seed(bytes))
}

/// Holds everything.
pub(crate) struct Party<S> {
    pub(crate) params: S,
    pub(crate) secret: SecretKey,
    pub(crate) public: PublicKey,
    pub(crate) sampler: Sampler,
    pub(crate) integers: TestIntegers,
}

impl<S: Scheme> Party<S> {
    fn of(params: S, seed: u64) -> Self {
        let mut sampler = sampler(seed);
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
        Self { params, secret, public, sampler, integers: TestIntegers(seed) }
    }

    pub(crate) fn evaluator(&mut self, rotations: &[i64]) -> Evaluator<S> {
        let keys = EvaluationKeysBuilder::new(&self.params, &self.secret).rotate(rotations.iter().copied());
        Evaluator::new(&self.params, keys.build_with(&mut self.sampler).unwrap())
    }

    /// An evaluator that only multiplies.
    pub(crate) fn multiplier(&mut self) -> Evaluator<S> {
        let keys = EvaluationKeysBuilder::new(&self.params, &self.secret).relinearise();
        Evaluator::new(&self.params, keys.build_with(&mut self.sampler).unwrap())
    }

    fn encrypt_plain(&mut self, plain: &S::Plaintext) -> Ciphertext<S> {
        Encryptor::new(&self.params).encrypt(&self.public, plain, &mut self.sampler).unwrap()
    }
}

/// An exact scheme with its parameters' checks and its measure of noise.
pub(crate) trait TestedExact: Exact {
    fn check(rlwe: RlweLiteral, t: BigUint, backend: Backend) -> Self;
    fn measure(secret: &SecretKey, ciphertext: &Ciphertext<Self>) -> f64;
}

impl TestedExact for Bgv {
    fn check(rlwe: RlweLiteral, t: BigUint, backend: Backend) -> Self {
        BgvLiteral::new(rlwe, t).check(backend).unwrap()
    }
    fn measure(secret: &SecretKey, ciphertext: &Ciphertext<Self>) -> f64 {
        asanoha_bgv::measure(secret, ciphertext)
    }
}

impl TestedExact for Bfv {
    fn check(rlwe: RlweLiteral, t: BigUint, backend: Backend) -> Self {
        BfvLiteral::new(rlwe, t).check(backend).unwrap()
    }
    fn measure(secret: &SecretKey, ciphertext: &Ciphertext<Self>) -> f64 {
        asanoha_bfv::measure(secret, ciphertext)
    }
}

impl<S: TestedExact> Party<S> {
    /// Of so many 46-bit primes in so many digits, t = 65537.
    pub(crate) fn new(ring_degree: usize, primes: usize, digits: usize, seed: u64) -> Self {
        Self::on(Backend::detect().unwrap(), 65537u32.into(), ring_degree, (primes, digits), seed)
    }

    pub(crate) fn on(
        backend: Backend,
        t: BigUint,
        ring_degree: usize,
        (primes, digits): (usize, usize),
        seed: u64,
    ) -> Self {
        let special = primes.div_ceil(digits) + 1;
        let mut q_primes =
            primes_congruent_to_one(46, 2 * ring_degree as u64, primes + special, &[]).unwrap();
        let p_primes = q_primes.split_off(primes);
        let rlwe = RlweLiteral::new(ring_degree, q_primes, p_primes, digits).insecure();
        Self::of(S::check(rlwe, t, backend), seed)
    }

    pub(crate) fn value(&mut self) -> BigInt {
        self.integers.below(&self.params.plaintext_modulus().clone().into())
    }

    pub(crate) fn vector(&mut self, length: usize) -> Vec<BigInt> {
        (0..length).map(|_| self.value()).collect()
    }

    /// The slots of two vectors, one in each row.
    fn slots(&self, rows: [&[BigInt]; 2]) -> Vec<BigInt> {
        rows.map(|row| spread(row, self.params.row_slots().unwrap())).concat()
    }

    /// Two vectors, one in each row.
    pub(crate) fn encrypt(&mut self, rows: [&[BigInt]; 2]) -> Ciphertext<S> {
        let encoder = Encoder::new(&self.params);
        self.encrypt_plain(&encoder.encode_integers(&self.slots(rows), self.params.max_level()).unwrap())
    }

    /// The product modulo t.
    pub(crate) fn product(&self, rows: &[Vec<BigInt>], v: &[BigInt]) -> Vec<BigInt> {
        let t = BigInt::from(self.params.plaintext_modulus().clone());
        let sum = |row: &Vec<BigInt>| row.iter().zip(v).map(|(a, b)| a * b).sum::<BigInt>();
        rows.iter().map(sum).map(|sum| centred(&sum, &t)).collect()
    }

    /// A ciphertext decrypts to two vectors, one in each row, within its bound; how many bits the bound is above the
    /// largest coefficient.
    pub(crate) fn expect(&self, ciphertext: &Ciphertext<S>, rows: [&[BigInt]; 2], what: &str) -> f64 {
        let found = Decryptor::new(&self.params).decrypt_integers(&self.secret, ciphertext).unwrap();
        assert_eq!(found, self.slots(rows), "{what}");
        let (bound, measured) = (ciphertext.noise().log2(), S::measure(&self.secret, ciphertext));
        assert!(measured <= bound, "{what}: {measured} > {bound}");
        bound - measured
    }
}

impl Party<Ckks> {
    /// Of a prime of 50 bits and so many of 40, a digit each.
    pub(crate) fn with_levels(ring_degree: usize, levels: usize, seed: u64) -> Self {
        let step = 2 * ring_degree as u64;
        let base = primes_congruent_to_one(50, step, 1, &[]).unwrap();
        let rlwe = RlweLiteral::new(
            ring_degree,
            [base, primes_congruent_to_one(40, step, levels, &[]).unwrap()].concat(),
            primes_congruent_to_one(55, step, 1, &[]).unwrap(),
            levels + 1,
        )
        .insecure();
        let literal = CkksLiteral::new(rlwe, 40.0);
        Self::of(literal.check(Backend::detect().unwrap()).unwrap(), seed)
    }

    /// A complex number of absolute value at most 1.
    pub(crate) fn complex(&mut self) -> Complex64 {
        let mut part = || std::f64::consts::FRAC_1_SQRT_2 * self.integers.real();
        Complex64::new(part(), part())
    }

    pub(crate) fn complex_vector(&mut self, length: usize) -> Vec<Complex64> {
        (0..length).map(|_| self.complex()).collect()
    }

    pub(crate) fn encrypt_complex(&mut self, vector: &[Complex64]) -> CkksCiphertext {
        let slots = spread(vector, self.params.slots());
        let level = self.params.max_level();
        let encoder = asanoha_ckks::Encoder::new(&self.params);
        self.encrypt_plain(&encoder.encode(&slots, 1.5, level, self.params.scale_at(level)).unwrap())
    }

    pub(crate) fn complex_product(rows: &[Vec<Complex64>], v: &[Complex64]) -> Vec<Complex64> {
        let sum =
            |row: &Vec<Complex64>| row.iter().zip(v).fold(Complex64::default(), |sum, (&a, &b)| sum + a * b);
        rows.iter().map(sum).collect()
    }

    /// A ciphertext decrypts to a vector within its bounds; how many bits its noise bound is above what's found.
    pub(crate) fn expect_complex(
        &self,
        ciphertext: &CkksCiphertext,
        vector: &[Complex64],
        what: &str,
    ) -> f64 {
        let expected = spread(vector, self.params.slots());
        assert!(expected.iter().all(|value| value.abs() <= ciphertext.bound()), "{what}");
        let measured = asanoha_ckks::measure(&self.secret, ciphertext, &expected).unwrap();
        let bound = ciphertext.noise().to_f64();
        assert!(measured <= bound, "{what}: {measured:e} > {bound:e}");
        (bound / measured).log2()
    }
}
