//! The operations on secrets, and the classes of their inputs.
//!
//! An input of either class is made by the same steps and written to the same memory: else caches would tell the classes
//! apart.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use asanoha_bfv::BfvLiteral;
use asanoha_bgv::BgvLiteral;
use asanoha_ckks::CkksLiteral;
use asanoha_kernels::{Backend, primes_congruent_to_one};
use asanoha_lattice::{GlweSecretKey, KeyId, KeySwitchKey, PublicKey, RlweLiteral, RlweParams, SecretKey};
use asanoha_ring::{Sampler, TorusRing};
use asanoha_scheme::{EncodeFor, Encryptor, Holds, Scheme};
use asanoha_tfhe::{ClientKey, IntegerType, TfheLiteral, TfheParams};

use super::subject::Subject;
use crate::PLAINTEXT_MODULUS;

/// Small, so that many measurements take minutes, and insecure.
const RING_DEGREE: usize = 1 << 11;
/// The values that are sampled at a time.
const VALUES: usize = 1 << 10;
/// The weight of sparse secrets.
const WEIGHT: usize = 32;
/// Half of all values of a Gaussian are larger than so many deviations.
const MEDIAN: f64 = 0.674_489_750_196;
/// The deviation of TFHE's errors in words of 64 bits.
const DEVIATION: f64 = 52_000.0;

const SEEDS: [&str; 2] = ["fixed seed", "random seed"];
const SECRETS: [&str; 2] = ["fixed secret", "random secret"];
const MESSAGES: [&str; 2] = ["zero message", "random message"];

pub(super) fn all(backend: Backend) -> Vec<Subject> {
    let bgv = BgvLiteral::new(literal([46, 46, 46]), PLAINTEXT_MODULUS).check(backend);
    let bfv = BfvLiteral::new(literal([46, 46, 46]), PLAINTEXT_MODULUS).check(backend);
    let ckks = CkksLiteral::new(literal([46, 40, 40]), 40.0).check(backend);
    let tfhe = TfheLiteral::message_2_carry_2().check(backend).expect("the set is valid");
    let (bgv, bfv, ckks) =
        (bgv.expect("the set is valid"), bfv.expect("the set is valid"), ckks.expect("the set is valid"));
    let whole = |word: u64| (word % PLAINTEXT_MODULUS) as i64 - PLAINTEXT_MODULUS as i64 / 2;
    let mut subjects = sampling();
    subjects.extend(keys(bgv.rlwe()));
    subjects.extend(of_scheme("BGV", &bgv, whole));
    subjects.extend(of_scheme("BFV", &bfv, whole));
    subjects.extend(of_scheme("CKKS", &ckks, |word| word.cast_signed() as f64 / 2f64.powi(63)));
    subjects.extend(torus(&tfhe, backend));
    subjects
}

fn literal(bits: [u32; 3]) -> RlweLiteral {
    let mut primes: Vec<u64> = Vec::new();
    for bits in bits.into_iter().chain([60]) {
        let prime = primes_congruent_to_one(bits, 2 * RING_DEGREE as u64, 1, &primes);
        primes.extend(prime.expect("there are enough of this width"));
    }
    let special = primes.split_off(bits.len());
    RlweLiteral::new(RING_DEGREE, primes, special, bits.len()).insecure()
}

/// The time of some work, without that of dropping its result.
fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let result = black_box(work());
    let time = start.elapsed();
    drop(result);
    time
}

/// What is drawn from a fixed seed and from random ones.
fn of_seeds<T>(operation: &str, draw: impl Fn(&mut Sampler) -> T + 'static) -> Subject {
    let mut seeds = Sampler::from_os();
    let fixed = seeds.seed();
    Subject::new(operation, SEEDS, move |class| {
        let random = seeds.seed();
        let mut sampler = Sampler::new([&fixed, &random][usize::from(class)]);
        (class, timed(|| draw(&mut sampler)))
    })
}

/// One value of a Gaussian, whose class is known when it's drawn: how many candidates are refused before it is no secret.
fn gaussian(classes: [&'static str; 2], class: fn(i64) -> bool) -> Subject {
    let mut sampler = Sampler::from_os();
    Subject::new("rounded Gaussian", classes, move |_| {
        let mut value = 0;
        let time = timed(|| value = sampler.gaussian(1, DEVIATION)[0]);
        (class(value), time)
    })
}

fn sampling() -> Vec<Subject> {
    vec![
        of_seeds("errors", |sampler| sampler.error(VALUES)),
        of_seeds("ternary secret", |sampler| sampler.ternary(VALUES)),
        of_seeds("sparse secret", |sampler| sampler.sparse(VALUES, WEIGHT)),
        of_seeds("binary secret", |sampler| sampler.binary(VALUES)),
        gaussian(["small value", "large value"], |x| x.unsigned_abs() as f64 > MEDIAN * DEVIATION),
        gaussian(["positive value", "negative value"], |x| x < 0),
    ]
}

/// Secrets that key generation has accepted: their norms are no secret.
struct Secrets {
    rlwe: RlweParams,
    sampler: Sampler,
    id: KeyId,
    fixed: Vec<i64>,
}

impl Secrets {
    fn new(rlwe: &RlweParams) -> Self {
        let mut sampler = Sampler::from_os();
        let fixed = SecretKey::generate(rlwe, &mut sampler);
        Self { rlwe: rlwe.clone(), sampler, id: fixed.id(), fixed: fixed.coefficients().to_vec() }
    }

    fn coefficients(&mut self, random: bool) -> Vec<i64> {
        let drawn = SecretKey::generate(&self.rlwe, &mut self.sampler);
        [&self.fixed[..], drawn.coefficients()][usize::from(random)].to_vec()
    }

    fn key(&self, coefficients: &[i64]) -> SecretKey {
        SecretKey::from_checked_coefficients(&self.rlwe, self.id, coefficients).expect("it was accepted")
    }

    fn draw(&mut self, random: bool) -> SecretKey {
        let coefficients = self.coefficients(random);
        self.key(&coefficients)
    }
}

fn keys(rlwe: &RlweParams) -> [Subject; 3] {
    let of_secrets = |operation, run: fn(&RlweParams, &SecretKey, &mut Sampler) -> Duration| {
        let (mut secrets, mut sampler, rlwe) = (Secrets::new(rlwe), Sampler::from_os(), rlwe.clone());
        Subject::new(operation, SECRETS, move |class| {
            let secret = secrets.draw(class);
            (class, run(&rlwe, &secret, &mut sampler))
        })
        .rarely()
    };
    let mut secrets = Secrets::new(rlwe);
    let secret_key = Subject::new("secret key of coefficients", SECRETS, move |class| {
        let coefficients = secrets.coefficients(class);
        (class, timed(|| secrets.key(&coefficients)))
    });
    [
        secret_key.rarely(),
        of_secrets("public key", |rlwe, secret, sampler| {
            timed(|| PublicKey::generate(rlwe, secret, sampler))
        }),
        of_secrets("relinearisation key", |rlwe, secret, sampler| {
            timed(|| KeySwitchKey::relinearisation(rlwe, secret, sampler))
        }),
    ]
}

/// Plaintexts of zeros and of random values.
struct Messages<S: Scheme> {
    params: S,
    sampler: Sampler,
    value: fn(u64) -> S::Value,
}

impl<S> Messages<S>
where
    S: Holds<<S as Scheme>::Value>,
    S::Value: Clone + Default,
{
    fn draw(&mut self, random: bool) -> S::Plaintext {
        let drawn: Vec<S::Value> =
            self.sampler.uniform(self.params.slots()).iter().map(|&word| (self.value)(word)).collect();
        let zeros = vec![S::Value::default(); drawn.len()];
        let values = [&zeros, &drawn][usize::from(random)].clone();
        let purpose = EncodeFor::Fresh { level: self.params.max_level(), bound: Some(1.0) };
        self.params.encode_for(&values, purpose).expect("the values fit")
    }
}

fn of_scheme<S>(name: &str, params: &S, value: fn(u64) -> S::Value) -> [Subject; 3]
where
    S: Holds<<S as Scheme>::Value> + 'static,
    S::Value: Clone + Default,
{
    let messages = || Messages { params: params.clone(), sampler: Sampler::from_os(), value };
    let parts = || (params.clone(), Encryptor::new(params), Sampler::from_os());

    let (mut drawn, (scheme, encryptor, mut sampler)) = (messages(), parts());
    let secret = SecretKey::generate(scheme.rlwe(), &mut sampler);
    let public = PublicKey::generate(scheme.rlwe(), &secret, &mut sampler);
    let encryption = Subject::new(&format!("{name} encryption"), MESSAGES, move |class| {
        let plaintext = drawn.draw(class);
        (class, timed(|| encryptor.encrypt(&public, &plaintext, &mut sampler).expect("it has the level")))
    });

    let (mut drawn, (scheme, encryptor, mut sampler)) = (messages(), parts());
    let of_messages = Subject::new(&format!("{name} decryption"), MESSAGES, move |class| {
        let plaintext = drawn.draw(class);
        let ciphertext =
            encryptor.encrypt_secret(&secret, &plaintext, &mut sampler).expect("it has the level");
        (class, timed(|| scheme.decrypt(&secret, &ciphertext).expect("the noise is small")))
    });

    let (mut drawn, (scheme, encryptor, mut sampler)) = (messages(), parts());
    let mut secrets = Secrets::new(scheme.rlwe());
    let of_secrets = Subject::new(&format!("{name} decryption"), SECRETS, move |class| {
        let (secret, plaintext) = (secrets.draw(class), drawn.draw(true));
        let ciphertext =
            encryptor.encrypt_secret(&secret, &plaintext, &mut sampler).expect("it has the level");
        (class, timed(|| scheme.decrypt(&secret, &ciphertext).expect("the noise is small")))
    });
    [encryption.rarely(), of_messages.rarely(), of_secrets.rarely()]
}

fn torus(params: &TfheParams, backend: Backend) -> Vec<Subject> {
    let fresh = || (Sampler::from_os(), ClientKey::generate(params, &mut Sampler::from_os()));
    let scheme = params.clone();
    let client_key =
        of_seeds("TFHE client key", move |sampler| ClientKey::generate(&scheme, sampler)).rarely();

    let ring = TorusRing::new(RING_DEGREE, backend).expect("a power of two");
    let (mut sampler, fixed, message) = (Sampler::from_os(), Sampler::from_os().seed(), vec![0; RING_DEGREE]);
    let server_key = Subject::new("TFHE row of a server key", SECRETS, move |class| {
        let random = sampler.seed();
        let seed = [&fixed, &random][usize::from(class)];
        let secret = GlweSecretKey::generate(&ring, 1, &mut Sampler::new(seed));
        (class, timed(|| secret.encrypt(&message, 2f64.powi(-48), &mut sampler)))
    });

    let (mut sampler, client) = fresh();
    let encryption = Subject::new("TFHE encryption", MESSAGES, move |class| {
        let number = number(&mut sampler, class);
        (class, timed(|| client.encrypt(number, &mut sampler).expect("it has four bits")))
    });

    let (mut sampler, client) = fresh();
    let of_messages = Subject::new("TFHE decryption", MESSAGES, move |class| {
        let number = number(&mut sampler, class);
        let ciphertext = client.encrypt(number, &mut sampler).expect("it has four bits");
        (class, timed(|| client.decrypt(&ciphertext).expect("the noise is small")))
    });

    let (mut sampler, fixed, scheme) = (Sampler::from_os(), Sampler::from_os().seed(), params.clone());
    let of_secrets = Subject::new("TFHE decryption", SECRETS, move |class| {
        let random = sampler.seed();
        let seed = [&fixed, &random][usize::from(class)];
        let client = ClientKey::generate(&scheme, &mut Sampler::new(seed));
        let ciphertext = client.encrypt(number(&mut sampler, true), &mut sampler).expect("it has four bits");
        (class, timed(|| client.decrypt(&ciphertext).expect("the noise is small")))
    });

    let (mut sampler, client) = fresh();
    let integers = Subject::new("TFHE decryption of 8 bits", MESSAGES, move |class| {
        let value = i128::from(sampler.uniform(1)[0] as i8) * i128::from(class);
        let eight_bits = IntegerType::signed(4);
        let integer = client.encrypt_integer(value, eight_bits, &mut sampler).expect("it has eight bits");
        (class, timed(|| client.decrypt_integer(&integer).expect("the noise is small")))
    });
    vec![client_key, server_key.rarely(), encryption, of_messages, of_secrets.rarely(), integers.rarely()]
}

/// A number of four bits: zero or a random one.
fn number(sampler: &mut Sampler, random: bool) -> u64 {
    sampler.uniform(1)[0] % 16 * u64::from(random)
}
