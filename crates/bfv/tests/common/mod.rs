//! BFV as the suites of testkit see it, and a party for tests of its own.
#![allow(dead_code)] // Each test crate uses a part.

use asanoha_bfv::{
    BfvCiphertext, BfvLiteral, BfvModulus, BfvParams, BfvPlaintext, Decryptor, Encoder, Encryptor, Evaluator,
    PublicKey, SecretKey, measure,
};
use asanoha_lattice::Level;
use asanoha_ring::{Backend, Sampler};
use asanoha_scheme::{Encoding, Scheme, batching_primes};
use asanoha_testkit::{
    ExactSubject, Party, Subject, TestIntegers, centred, log2_values, negacyclic_product, product,
    rsa_modulus,
};
use num_bigint::{BigInt, BigUint};
use num_traits::Zero;

pub(crate) type LiteralShape = asanoha_testkit::LiteralShape<BfvModulus>;

/// BFV under test.
pub(crate) struct Bfv;

impl ExactSubject for Bfv {
    type Scheme = BfvParams;
    type Modulus = BfvModulus;

    fn params(shape: &LiteralShape, backend: Backend) -> BfvParams {
        literal(shape).check(backend).unwrap()
    }

    fn shapes() -> Vec<LiteralShape> {
        let wide = batching_primes(70, 1 << 6, 1).remove(0);
        // All slots, words and more; few slots, or one number; coefficients.
        let mut shapes = vec![
            LiteralShape::of(65537),
            LiteralShape::of(wide),
            LiteralShape::of(97),
            LiteralShape::of((1 << 61) - 1),
        ];
        shapes.extend([binomial(16, 4), binomial(1, 2)].map(LiteralShape::of));
        let coefficients = Some(Encoding::Coefficients);
        // Key switching in one digit, and in one for each prime.
        shapes.extend([1, 6].map(|digits| LiteralShape { digits, ..LiteralShape::of(65537) }));
        shapes.extend([2, 65537].map(|t| LiteralShape { encoding: coefficients, ..LiteralShape::of(t) }));
        shapes
    }

    fn circuits() -> Vec<(LiteralShape, u64)> {
        moduli().into_iter().map(|modulus| (roomy(modulus), 6)).collect()
    }

    fn noise_bits(secret: &SecretKey, ciphertext: &BfvCiphertext) -> f64 {
        noise_bits(secret, ciphertext)
    }

    fn measured_bits(secret: &SecretKey, ciphertext: &BfvCiphertext) -> f64 {
        let (measured, model) = (measure(secret, ciphertext), ciphertext.scheme().rlwe().noise());
        // The bound on coefficients is in proportion.
        assert!(measured <= ciphertext.noise().log2() + model.coefficient().log2() + 1e-9);
        measured
    }

    fn wrap(params: &BfvParams) -> i64 {
        match params.literal().plaintext_modulus {
            BfvModulus::Integer(_) => -1,
            BfvModulus::Binomial { base, .. } => base as i64,
        }
    }
}

/// A small ring with primes enough for three products, or one of wide numbers.
pub(crate) fn roomy(modulus: BfvModulus) -> LiteralShape {
    let bits = match &modulus {
        BfvModulus::Integer(t) => t.0.bits() as usize,
        BfvModulus::Binomial { base, .. } => (base + 1).ilog2() as usize + 1,
    };
    let products = if bits > 256 { 1 } else { 3 };
    // Whether wide numbers are prime isn't asked for coefficients.
    let encoding = (bits > 256).then_some(Encoding::Coefficients);
    // A product takes log2(t·2α) bits, α = 2^8 for this ring; decryption log2(2t).
    let needed = 16 + bits + 2 + products * (bits + 10);
    LiteralShape {
        ring_degree: 1 << 4,
        primes: needed.div_ceil(45).max(3),
        encoding,
        ..LiteralShape::of(modulus)
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
    let batching = batching_primes(128, 1 << 4, 1).remove(0);
    let p256 = hex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff");
    let mut moduli = vec![2.into(), 3.into(), 65537.into(), ((1 << 61) - 1).into()];
    moduli.extend([batching.into(), p256, rsa_modulus().into()]);
    moduli.extend([binomial(1, 2), binomial(4, 6), binomial(8, 4), binomial(16, 1000)]);
    moduli
}

pub(crate) fn literal(shape: &LiteralShape) -> BfvLiteral {
    BfvLiteral { encoding: shape.encoding, ..BfvLiteral::new(shape.rlwe(&[]), shape.modulus.clone()) }
}

/// log2 of the actual canonical norm of e = v − Q/t·m, by the definition: with δ = t·v modulo Q, centred, t·e = δ
/// for a representative m of the message, the one that decryption finds.
fn noise_bits(secret: &SecretKey, ciphertext: &BfvCiphertext) -> f64 {
    let params = ciphertext.scheme();
    let v = secret.decrypt(ciphertext.rlwe()).to_integers();
    let n = v.len();
    let q = product(params.rlwe().q(ciphertext.level()).primes());
    let t: Vec<BigInt> = match &params.literal().plaintext_modulus {
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

/// A party that is given its random integers.
pub(crate) struct Fixture {
    pub(crate) params: BfvParams,
    pub(crate) secret: SecretKey,
    pub(crate) public: PublicKey,
    pub(crate) sampler: Sampler,
    pub(crate) encoder: Encoder,
    pub(crate) encryptor: Encryptor,
    pub(crate) evaluator: Evaluator,
    pub(crate) decryptor: Decryptor,
}

impl Fixture {
    pub(crate) fn new(shape: &LiteralShape, seed: u64) -> Self {
        Self::of(literal(shape).check(Backend::detect().unwrap()).unwrap(), seed)
    }

    pub(crate) fn of(params: BfvParams, seed: u64) -> Self {
        let Party::<Bfv> { params, secret, public, sampler, encryptor, evaluator, .. } =
            Party::new(params, seed);
        let (encoder, decryptor) = (Encoder::new(&params), Decryptor::new(&params));
        Self { params, secret, public, sampler, encoder, encryptor, evaluator, decryptor }
    }

    pub(crate) fn top(&self) -> Level {
        self.params.max_level()
    }

    /// Random values.
    pub(crate) fn values(&self, integers: &mut TestIntegers) -> Vec<BigInt> {
        Bfv::values(&self.params, integers)
    }

    pub(crate) fn encode(&self, values: &[BigInt], level: Level) -> BfvPlaintext {
        self.encoder.encode_integers(values, level).unwrap()
    }

    pub(crate) fn encrypt(&mut self, values: &[BigInt]) -> BfvCiphertext {
        let plain = self.encode(values, self.top());
        self.encryptor.encrypt(&self.public, &plain, &mut self.sampler).unwrap()
    }

    pub(crate) fn decrypt(&self, ciphertext: &BfvCiphertext) -> Vec<BigInt> {
        self.decryptor.decrypt_integers(&self.secret, ciphertext).unwrap()
    }

    /// The product in the plaintext space.
    pub(crate) fn product(&self, a: &[BigInt], b: &[BigInt]) -> Vec<BigInt> {
        Bfv::product(&self.params, a, b)
    }

    /// log2 of the actual canonical norm of the noise, by the definition.
    pub(crate) fn noise_bits(&self, ciphertext: &BfvCiphertext) -> f64 {
        noise_bits(&self.secret, ciphertext)
    }

    /// A ciphertext decrypts to these values and its actual noise is within its bound, in norm and in coefficients.
    pub(crate) fn expect(&self, ciphertext: &BfvCiphertext, values: &[BigInt], what: &str) {
        let excess = Bfv::excess_bits(&self.secret, ciphertext, values, what);
        assert!(excess <= 1e-9, "{what}: {excess:.2} bits above the bound");
    }
}
