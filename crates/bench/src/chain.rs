//! Chains of squarings: the smallest parameters for a depth, and the time of a multiplication with them.

use std::time::Instant;

use asanoha_bfv::Bfv;
use asanoha_bgv::Bgv;
use asanoha_ckks::Ckks;
use asanoha_kernels::Backend;
use asanoha_lattice::{PublicKey, RlweParams, SecretKey};
use asanoha_ring::{Sampler, Seed, transforms};
use asanoha_scheme::{
    Ciphertext, Decryptor, Encoder, Encryptor, EvaluationKeysBuilder, Evaluator, Exact, GenerateKeys, Holds,
    ParametersBuilder, ParametersError, Parametrised, Scheme, SchemeError,
};
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use crate::{measure::best, memory};

/// The number of rotations that share one decomposition.
pub(crate) const ROTATIONS: usize = 15;
/// The largest ring degree that chains are searched in; the planner's default search ends at 2^17.
const LARGEST_RING_DEGREE: usize = 1 << 18;
const SEED: Seed = Seed([11; 32]);
/// The number that exact schemes square. The result is compared with its power.
const BASE: u32 = 3;
/// The numbers that CKKS squares.
const REAL_BASES: [f64; 3] = [1.0, -1.0, 0.875];
/// The precision of CKKS's results, in bits.
pub(crate) const PRECISION_BITS: f64 = 16.0;
/// The time in milliseconds above which a multiplication's chain is measured only once.
const LONG_MS: f64 = 1e3;

/// The schemes in which chains are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchemeName {
    /// BGV: the noise is a multiple of the plaintext modulus beside the message; modulus switching.
    Bgv,
    /// BFV: the message is scaled up and the noise is below it; scale-invariant products.
    Bfv,
    /// CKKS: approximate numbers; rescaling.
    Ckks,
}

impl SchemeName {
    /// All schemes.
    pub const ALL: [Self; 3] = [Self::Bgv, Self::Bfv, Self::Ckks];
    /// The schemes that compute exactly.
    pub const EXACT: [Self; 2] = [Self::Bgv, Self::Bfv];

    /// The name in a row.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bgv => "bgv",
            Self::Bfv => "bfv",
            Self::Ckks => "ckks",
        }
    }
}

/// A chain of squarings, and how it is measured.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) scheme: SchemeName,
    /// The number of squarings one after another.
    pub(crate) depth: usize,
    /// The plaintext modulus of exact schemes.
    pub(crate) plaintext_modulus: BigUint,
    /// The ring degree; if `None`, the smallest that holds the chain.
    pub(crate) ring_degree: Option<usize>,
    pub(crate) backend: Backend,
    /// The number of measurements.
    pub(crate) repeats: usize,
    /// Whether a rotation is measured too.
    pub(crate) rotation: bool,
}

/// The parameters of a chain, and its measurements.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) ring_degree: usize,
    pub(crate) log2_q: f64,
    pub(crate) log2_qp: f64,
    /// The numbers of ciphertext primes and of special primes.
    pub(crate) primes: [usize; 2],
    pub(crate) peak_memory_bytes: Option<u64>,
    pub(crate) timings: Timings,
    /// Operations apart from the chain; `None` without rotations.
    pub(crate) operations: Option<Operations>,
    pub(crate) rlwe: RlweParams,
    /// How many primes a product at the highest level drops.
    pub(crate) dropped: usize,
}

/// The shortest times of operations at the highest level, in milliseconds.
#[derive(Clone, Debug)]
#[allow(clippy::struct_field_names)] // The unit belongs to each name.
pub(crate) struct Operations {
    /// A secret key and a public one.
    pub(crate) key_pair_ms: f64,
    pub(crate) encode_ms: f64,
    /// Of two different ciphertexts.
    pub(crate) product_ms: f64,
    /// One of [`ROTATIONS`] hoisted ones.
    pub(crate) hoisted_rotation_ms: f64,
    /// The sum of [`SUMMED`] neighbouring slots.
    pub(crate) sum_ms: f64,
    /// How many transforms of one prime a product, a rotation and a hoisted one compute.
    pub(crate) transforms: [f64; 3],
}

/// The number of slots that are summed.
pub(crate) const SUMMED: usize = 128;

/// The shortest times, in milliseconds.
#[derive(Clone, Debug)]
#[allow(clippy::struct_field_names)] // The unit belongs to each name.
pub(crate) struct Timings {
    /// Each multiplication of the chain, the one at the highest level first. It's relinearised and, in BGV and CKKS,
    /// switched or rescaled.
    pub(crate) multiply_ms: Vec<f64>,
    /// The fastest pass over all multiplications.
    pub(crate) chain_ms: f64,
    /// A rotation; 0 if it isn't measured.
    pub(crate) rotate_ms: f64,
    pub(crate) encrypt_ms: f64,
    /// The fastest decryption of several in a row.
    pub(crate) decrypt_ms: f64,
}

/// Decryptions in a row: the first finds the caches full of the chain.
const HOT: usize = 3;

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64() * 1e3)
}

impl Chain {
    /// Measures the chain with the smallest parameters that hold it at 128 bits of security.
    ///
    /// # Errors
    /// If no ring holds the chain.
    ///
    /// # Panics
    /// If a result is wrong, or the noise exceeds what the parameters were made for: both are bugs.
    pub(crate) fn measure(&self) -> Result<Measured, ParametersError> {
        let t = &self.plaintext_modulus;
        match self.scheme {
            SchemeName::Bgv => {
                let params = self.build(|| self.numbers(Bgv::parameters().plaintext_modulus(t.clone())))?;
                Ok(self.exact(&params, |evaluator, a| evaluator.multiply(a, a)))
            }
            SchemeName::Bfv => {
                let params = self.build(|| self.numbers(Bfv::parameters().plaintext_modulus(t.clone())))?;
                Ok(self.exact(&params, Evaluator::square_exact))
            }
            SchemeName::Ckks => {
                let params = self.build(|| Ckks::parameters().precision_bits(PRECISION_BITS))?;
                Ok(self.real(&params))
            }
        }
    }

    /// Rotations are of slots; the powers of a constant are the same of coefficients, whatever the modulus.
    fn numbers<S: Parametrised + Exact>(&self, options: ParametersBuilder<S>) -> ParametersBuilder<S> {
        if self.rotation { options.slots(1) } else { options.coefficients(1) }
    }

    fn build<S: Parametrised>(
        &self,
        options: impl Fn() -> ParametersBuilder<S>,
    ) -> Result<S, ParametersError> {
        let options = || options().depth(self.depth).backend(self.backend);
        match self.ring_degree {
            Some(ring_degree) => options().ring_degree(ring_degree).build(),
            None => options().build().or_else(|_| options().ring_degree(LARGEST_RING_DEGREE).build()),
        }
    }

    fn exact<S: Exact>(
        &self,
        params: &S,
        square: impl Fn(&Evaluator<S>, &Ciphertext<S>) -> Result<Ciphertext<S>, SchemeError>,
    ) -> Measured {
        let (encoder, decryptor) = (Encoder::new(params), Decryptor::new(params));
        let t = &self.plaintext_modulus;
        let expected = BigUint::from(BASE).modpow(&(BigUint::from(1u32) << self.depth), t);
        let encode = || encoder.encode_constant(BASE, params.max_level());
        if let (Ok(t), Ok(expected)) = (u64::try_from(t), u64::try_from(&expected)) {
            let is_right =
                |found: &[i64], _: &_| i128::from(found[0]).rem_euclid(t.into()) == i128::from(expected);
            self.run(params, encode, square, |secret, a| decryptor.decrypt(secret, a), is_right)
        } else {
            let is_right = |found: &[BigUint], _: &_| found[0] == expected;
            self.run(params, encode, square, |secret, a| decryptor.decrypt_unsigned(secret, a), is_right)
        }
    }

    fn real(&self, params: &Ckks) -> Measured {
        self.run(
            params,
            || GenerateKeys::encode(params, REAL_BASES),
            Evaluator::square,
            |secret, a| -> Result<Vec<f64>, SchemeError> { params.decrypt(secret, a) },
            |found, result| {
                let bound = result.error_bound();
                assert!(bound <= (-PRECISION_BITS).exp2());
                let power = |base: f64| (0..self.depth).fold(base, |x, _| x * x);
                found.iter().zip(REAL_BASES).all(|(found, base)| (found - power(base)).abs() <= bound)
            },
        )
    }

    /// Squares numbers `repeats` times, or once if a multiplication takes a second.
    fn run<S: Scheme, T>(
        &self,
        params: &S,
        encode: impl Fn() -> Result<S::Plaintext, SchemeError>,
        square: impl Fn(&Evaluator<S>, &Ciphertext<S>) -> Result<Ciphertext<S>, SchemeError>,
        decrypt: impl Fn(&SecretKey, &Ciphertext<S>) -> Result<Vec<T>, SchemeError>,
        is_right: impl Fn(&[T], &Ciphertext<S>) -> bool,
    ) -> Measured {
        const FITS: &str = "the parameters were made for it";
        memory::mark();
        let mut sampler = Sampler::new(&SEED);
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
        let keys = EvaluationKeysBuilder::new(params, &secret).relinearise();
        let keys = if self.rotation { keys.rotate([1]) } else { keys };
        let keys = keys.build_with(&mut sampler).expect("rotations are asked where there are slots");
        let (encryptor, evaluator) = (Encryptor::new(params), Evaluator::new(params, keys));
        let mut encrypt = || encryptor.encrypt(&public, &encode().expect(FITS), &mut sampler).expect(FITS);
        let square = |a: &Ciphertext<S>| square(&evaluator, a).expect(FITS);
        // A first pass, since tables are made at the first use.
        drop(square(&encrypt()));
        let mut fastest: Option<Timings> = None;
        for _ in 0..self.repeats {
            let (fresh, encrypt_ms) = timed(&mut encrypt);
            let (mut value, first) = timed(|| square(&fresh));
            let mut multiply_ms = vec![first];
            for _ in 1..self.depth {
                let (next, ms) = timed(|| square(&value));
                value = next;
                multiply_ms.push(ms);
            }
            let decrypted = [(); HOT].map(|()| timed(|| decrypt(&secret, &value).expect(FITS)));
            let is_right = decrypted.iter().all(|(found, _)| is_right(found, &value));
            assert!(is_right, "a power is wrong: {}", params.describe());
            let decrypt_ms = decrypted.iter().map(|&(_, ms)| ms).fold(f64::INFINITY, f64::min);
            let rotate = || drop(evaluator.rotate(&fresh, 1).expect("the key is there"));
            let rotate_ms = if self.rotation { timed(rotate).1 } else { 0.0 };
            let chain_ms = multiply_ms.iter().sum();
            let one = Timings { multiply_ms, chain_ms, rotate_ms, encrypt_ms, decrypt_ms };
            fastest = Some(match fastest {
                None => one,
                Some(fastest) => fastest.min(&one),
            });
            if chain_ms > LONG_MS * self.depth as f64 {
                break;
            }
        }
        let (rlwe, peak_memory_bytes) = (params.rlwe(), memory::peak_bytes());
        let fresh = encrypt();
        Measured {
            ring_degree: rlwe.ring_degree(),
            log2_q: rlwe.q(rlwe.max_level()).log2_product(),
            log2_qp: rlwe.log2_qp(),
            primes: [rlwe.max_level().0 + 1, rlwe.p().len()],
            peak_memory_bytes,
            timings: fastest.expect("it is measured at least once"),
            // After the peak of memory: they need more keys.
            operations: self.rotation.then(|| self.operations(params, &secret, &encode, &evaluator, &fresh)),
            rlwe: rlwe.clone(),
            dropped: fresh.level().0 - square(&fresh).level().0,
        }
    }

    fn operations<S: Scheme>(
        &self,
        params: &S,
        secret: &SecretKey,
        encode: &impl Fn() -> Result<S::Plaintext, SchemeError>,
        evaluator_of_products: &Evaluator<S>,
        a: &Ciphertext<S>,
    ) -> Operations {
        const KEYS: &str = "the keys are there";
        let mut sampler = Sampler::new(&SEED);
        let (_, key_pair_ms) = best(self.repeats, || {
            let secret = SecretKey::generate(params.rlwe(), &mut sampler);
            PublicKey::generate(params.rlwe(), &secret, &mut sampler)
        });
        let (_, encode_ms) = best(self.repeats, encode);
        let b = evaluator_of_products.add(a, a).expect("the top has room");
        let (_, product_ms) = best(self.repeats, || evaluator_of_products.multiply(a, &b).expect(KEYS));
        let rotations: Vec<i64> = (1..=ROTATIONS as i64).collect();
        let keys = EvaluationKeysBuilder::new(params, secret).rotate(rotations.iter().copied()).sum(SUMMED);
        let keys = keys.build_with(&mut sampler).expect("rotations are asked where there are slots");
        let evaluator = Evaluator::new(params, keys);
        let (_, hoisted_ms) = best(self.repeats, || evaluator.rotate_many(a, &rotations).expect(KEYS));
        let (_, sum_ms) = best(self.repeats, || evaluator.sum(a, SUMMED).expect(KEYS));
        let hoisted_rotation_ms = hoisted_ms / ROTATIONS as f64;
        let counted = |work: &dyn Fn()| {
            let before = transforms();
            work();
            (transforms() - before) as f64
        };
        let transforms = [
            counted(&|| drop(evaluator_of_products.multiply(a, &b).expect(KEYS))),
            counted(&|| drop(evaluator.rotate(a, 1).expect(KEYS))),
            counted(&|| drop(evaluator.rotate_many(a, &rotations).expect(KEYS))) / ROTATIONS as f64,
        ];
        Operations { key_pair_ms, encode_ms, product_ms, hoisted_rotation_ms, sum_ms, transforms }
    }
}

impl Timings {
    fn min(&self, other: &Self) -> Self {
        let pairs = self.multiply_ms.iter().zip(&other.multiply_ms);
        Self {
            multiply_ms: pairs.map(|(a, b)| a.min(*b)).collect(),
            chain_ms: self.chain_ms.min(other.chain_ms),
            rotate_ms: self.rotate_ms.min(other.rotate_ms),
            encrypt_ms: self.encrypt_ms.min(other.encrypt_ms),
            decrypt_ms: self.decrypt_ms.min(other.decrypt_ms),
        }
    }
}
