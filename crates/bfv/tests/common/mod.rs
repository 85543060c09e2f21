//! Small parameters, keys and the plain oracle.
#![allow(dead_code)] // Each test crate uses a part.

use std::sync::Arc;

use asanoha_bfv::{
    BfvCiphertext, BfvLiteral, BfvModulus, BfvParams, BfvPlaintext, Decryptor, Encoder, Encryptor, Evaluator,
    PublicKey, SecretKey,
};
use asanoha_kernels::primes_congruent_to_one;
use asanoha_lattice::{Level, RlweLiteral};
use asanoha_ring::{Backend, Sampler, Seed};
use asanoha_scheme::{Encoding, EvaluationKeysBuilder, Exact, Scheme};
use asanoha_testkit::{TestIntegers, centred, log2_values, negacyclic_product, rotated_rows, rsa_modulus};
use num_bigint::{BigInt, BigUint};
use num_traits::Zero;

/// The rotations that there are keys for, where there are slots.
pub(crate) const ROTATIONS: [i64; 4] = [1, 2, 5, -3];

/// What a literal is made of.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) ring_degree: usize,
    pub(crate) prime_bits: u32,
    pub(crate) primes: usize,
    pub(crate) digits: usize,
    pub(crate) modulus: BfvModulus,
    pub(crate) encoding: Option<Encoding>,
}

impl Shape {
    /// A small ring with primes enough for three products, or one of wide numbers.
    pub(crate) fn of(modulus: BfvModulus) -> Self {
        let ring_degree = 1 << 4;
        let bits = match &modulus {
            BfvModulus::Integer(t) => t.0.bits() as usize,
            BfvModulus::Binomial { base, .. } => (base + 1).ilog2() as usize + 1,
        };
        let products = if bits > 256 { 1 } else { 3 };
        // Whether wide numbers are prime isn't asked for coefficients.
        let encoding = (bits > 256).then_some(Encoding::Coefficients);
        // A product takes log2(t·2α) bits, α = 2^8 for this ring; decryption log2(2t).
        let needed = 16 + bits + 2 + products * (bits + 10);
        let primes = needed.div_ceil(45).max(3);
        Self { ring_degree, prime_bits: 46, primes, digits: primes.min(3), modulus, encoding }
    }
}

/// X^k − b.
pub(crate) fn binomial(exponent: usize, base: u64) -> BfvModulus {
    BfvModulus::Binomial { exponent, base }
}

/// A hexadecimal integer.
pub(crate) fn hex(digits: &str) -> BfvModulus {
    BigUint::parse_bytes(digits.as_bytes(), 16).unwrap().into()
}

/// Moduli of all kinds: tiny ones, words, one that batches with 128 bits, a curve's, an RSA
/// modulus, and polynomials.
pub(crate) fn moduli() -> Vec<BfvModulus> {
    let batching = asanoha_scheme::batching_primes(128, 1 << 4, 1).remove(0);
    let p256 = hex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff");
    let mut moduli = vec![2.into(), 3.into(), 65537.into(), ((1 << 61) - 1).into()];
    moduli.extend([batching.into(), p256, rsa_modulus().into()]);
    moduli.extend([binomial(1, 2), binomial(4, 6), binomial(8, 4), binomial(16, 1000)]);
    moduli
}

pub(crate) fn literal(shape: &Shape) -> BfvLiteral {
    let step = 2 * shape.ring_degree as u64;
    let special = shape.primes.div_ceil(shape.digits) + 1;
    let mut q_primes = primes_congruent_to_one(shape.prime_bits, step, shape.primes + special, &[]).unwrap();
    let p_primes = q_primes.split_off(shape.primes);
    let rlwe = RlweLiteral::new(shape.ring_degree, q_primes, p_primes, shape.digits).insecure();
    BfvLiteral { encoding: shape.encoding, ..BfvLiteral::new(rlwe, shape.modulus.clone()) }
}

/// One party that holds everything.
pub(crate) struct House {
    pub(crate) params: BfvParams,
    pub(crate) secret: SecretKey,
    pub(crate) public: PublicKey,
    pub(crate) sampler: Sampler,
    pub(crate) encoder: Encoder,
    pub(crate) encryptor: Encryptor,
    pub(crate) evaluator: Evaluator,
    pub(crate) decryptor: Decryptor,
}

impl House {
    pub(crate) fn new(shape: &Shape, seed: u64) -> Self {
        Self::on(shape, seed, Backend::detect().unwrap())
    }

    pub(crate) fn on(shape: &Shape, seed: u64, backend: Backend) -> Self {
        Self::of(literal(shape).check(backend).unwrap(), seed)
    }

    pub(crate) fn of(params: BfvParams, seed: u64) -> Self {
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

    pub(crate) fn plaintext_modulus(&self) -> BigInt {
        BigInt::from(self.params.plaintext_modulus().clone())
    }

    /// Random values.
    pub(crate) fn values(&self, integers: &mut TestIntegers) -> Vec<BigInt> {
        integers.vector(self.params.slots(), &self.plaintext_modulus())
    }

    pub(crate) fn encode(&self, values: &[BigInt], level: Level) -> BfvPlaintext {
        self.encoder.encode_integers(values, level).unwrap()
    }

    pub(crate) fn encrypt(&mut self, values: &[BigInt]) -> BfvCiphertext {
        self.encrypt_at(values, self.top())
    }

    pub(crate) fn encrypt_at(&mut self, values: &[BigInt], level: Level) -> BfvCiphertext {
        let plain = self.encode(values, level);
        self.encryptor.encrypt(&self.public, &plain, &mut self.sampler).unwrap()
    }

    pub(crate) fn decrypt(&self, ciphertext: &BfvCiphertext) -> Vec<BigInt> {
        self.decryptor.decrypt_integers(&self.secret, ciphertext).unwrap()
    }

    /// Value by value.
    pub(crate) fn zip(
        &self,
        a: &[BigInt],
        b: &[BigInt],
        f: impl Fn(&BigInt, &BigInt) -> BigInt,
    ) -> Vec<BigInt> {
        let modulus = self.plaintext_modulus();
        a.iter().zip(b).map(|(a, b)| centred(&f(a, b), &modulus)).collect()
    }

    /// The product in the plaintext space: of slots, of polynomials modulo X^N + 1, or of those modulo X^k − b.
    pub(crate) fn product(&self, a: &[BigInt], b: &[BigInt]) -> Vec<BigInt> {
        let modulus = self.plaintext_modulus();
        if self.params.row_slots().is_some() {
            return self.zip(a, b, |a, b| a * b);
        }
        let product = match self.params.literal().plaintext_modulus {
            BfvModulus::Integer(_) => negacyclic_product(a, b),
            BfvModulus::Binomial { exponent, base } => {
                let mut product = vec![BigInt::zero(); exponent];
                for (i, x) in a.iter().enumerate() {
                    for (j, y) in b.iter().enumerate() {
                        let wrap = if i + j < exponent { 1 } else { base };
                        product[(i + j) % exponent] += x * y * wrap;
                    }
                }
                product
            }
        };
        product.iter().map(|x| centred(x, &modulus)).collect()
    }

    /// a + c for a constant.
    pub(crate) fn plus_constant(&self, a: &[BigInt], constant: &BigInt) -> Vec<BigInt> {
        let all = if self.params.row_slots().is_some() { a.len() } else { 1 };
        let constants: Vec<BigInt> =
            (0..a.len()).map(|i| if i < all { constant.clone() } else { BigInt::zero() }).collect();
        self.zip(a, &constants, |a, c| a + c)
    }

    /// Both rows rotated to the left.
    pub(crate) fn rotated(&self, values: &[BigInt], rotation: i64) -> Vec<BigInt> {
        rotated_rows(values, self.params.row_slots().unwrap(), rotation)
    }

    pub(crate) fn swapped(&self, values: &[BigInt]) -> Vec<BigInt> {
        let (first, second) = values.split_at(self.params.row_slots().unwrap());
        [second, first].concat()
    }

    /// log2 of the actual canonical norm of e = v − Q/t·m, by the definition: with δ = t·v modulo Q, centred, t·e = δ
    /// for a representative m of the message, the one that decryption finds.
    pub(crate) fn noise_bits(&self, ciphertext: &BfvCiphertext) -> f64 {
        let v = self.secret.decrypt(ciphertext.rlwe()).to_integers();
        let n = v.len();
        let q = asanoha_testkit::product(self.params.rlwe().q(ciphertext.level()).primes());
        let t: Vec<BigInt> = match &self.params.literal().plaintext_modulus {
            BfvModulus::Integer(t) => {
                (0..n).map(|i| if i == 0 { t.0.clone().into() } else { BigInt::zero() }).collect()
            }
            &BfvModulus::Binomial { exponent, base } => {
                let mut t = vec![BigInt::zero(); n];
                t[0] -= base;
                // X^N = −1.
                t[exponent % n] += if exponent == n { -1 } else { 1 };
                t
            }
        };
        let rest: Vec<BigInt> = negacyclic_product(&v, &t).iter().map(|x| centred(x, &q)).collect();
        let quotients = log2_values(&rest).into_iter().zip(log2_values(&t)).map(|(rest, t)| rest - t);
        quotients.fold(f64::NEG_INFINITY, f64::max)
    }

    /// A ciphertext decrypts to these values and its actual noise is within its bound, in norm and in coefficients.
    pub(crate) fn expect(&self, ciphertext: &BfvCiphertext, values: &[BigInt], what: &str) {
        assert_eq!(self.decrypt(ciphertext), values, "{what}");
        let (measured, bound) = (self.noise_bits(ciphertext), ciphertext.noise().log2());
        assert!(measured <= bound + 1e-9, "{what}: measured 2^{measured:.2}, predicted 2^{bound:.2}");
        let (measured, bound) = (
            asanoha_bfv::measure(&self.secret, ciphertext),
            bound + self.params.rlwe().noise().coefficient().log2(),
        );
        assert!(measured <= bound + 1e-9, "{what}: coefficients 2^{measured:.2}, predicted 2^{bound:.2}");
    }
}
