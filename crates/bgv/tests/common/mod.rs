//! BGV as the suites of testkit see it, and a party of a few words for tests of its own.
#![allow(dead_code)] // Each test crate uses a part.

use asanoha_bgv::{
    BgvCiphertext, BgvLiteral, BgvParams, Decryptor, Encoder, Encryptor, Evaluator, PublicKey, SecretKey,
    measure,
};
use asanoha_kernels::primes_congruent_to_one;
use asanoha_lattice::Level;
use asanoha_ring::{Backend, Sampler};
use asanoha_scheme::{Encoding, Exact, Scheme, batching_primes};
use asanoha_testkit::{ExactSubject, Party, Subject, TestIntegers, log2_values, rsa_modulus};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive};

type ShapeOf = asanoha_testkit::LiteralShape<BigUint>;

/// BGV under test.
pub(crate) struct Bgv;

impl ExactSubject for Bgv {
    type Scheme = BgvParams;
    type Modulus = BigUint;

    fn params(shape: &ShapeOf, backend: Backend) -> BgvParams {
        literal_of(shape).check(backend).unwrap()
    }

    fn shapes() -> Vec<ShapeOf> {
        let coefficients = Some(Encoding::Coefficients);
        let mut shapes: Vec<ShapeOf> = [17, 10, 30, 60].map(|bits| ShapeOf::of(batching(bits))).into();
        // One slot, few slots, and none.
        shapes.extend([67u64, 97].map(|t| ShapeOf { encoding: Some(Encoding::Slots), ..ShapeOf::of(t) }));
        shapes.extend([2u64, 65537].map(|t| ShapeOf { encoding: coefficients, ..ShapeOf::of(t) }));
        shapes.push(ShapeOf::of(batching_primes(70, 1 << 6, 1).remove(0)));
        // Key switching in one digit, and in one for each prime.
        shapes.extend([1, 6].map(|digits| ShapeOf { digits, ..ShapeOf::of(65537u64) }));
        // Other rings.
        for (ring_degree, bits) in [(1 << 3, 5), (1 << 8, 30), (1 << 10, 17), (1 << 10, 60)] {
            let modulus = batching_in(ring_degree, bits);
            shapes.push(ShapeOf { ring_degree, ..ShapeOf::of(modulus) });
        }
        shapes
    }

    fn circuits() -> Vec<(ShapeOf, u64)> {
        // Primes for about three products.
        let shape = |modulus: BigUint, encoding| {
            let primes = (4 * (modulus.bits() as usize + 34)).div_ceil(46).max(4);
            ShapeOf { ring_degree: 1 << 4, primes, encoding, ..ShapeOf::of(modulus) }
        };
        let two = |bits: u32| BigUint::one() << bits;
        let (slots, coefficients) = (Some(Encoding::Slots), Some(Encoding::Coefficients));
        let mut circuits = Vec::new();
        for t in [2u32, 3, 4, 5, 6, 17, 97, 256, 257, 65537] {
            circuits.push((shape(t.into(), coefficients), 3));
        }
        for t in [2u32, 3, 5, 17, 97, 17 * 97, 65537] {
            circuits.push((shape(t.into(), slots), 6));
        }
        let mersenne = two(61) - 1u32;
        circuits.extend([(shape(mersenne.clone(), coefficients), 6), (shape(mersenne, slots), 3)]);
        circuits.extend([32, 61, 63, 64, 65, 128].map(|bits| (shape(two(bits), coefficients), 3)));
        let batching = |bits| batching_primes(bits, 16, 1).remove(0);
        circuits.extend([61, 62, 64, 128].map(|bits| (shape(batching(bits), slots), 3)));
        circuits.push((shape(batching(128), coefficients), 3));
        // The field of the curve P-256, of which a ciphertext holds one value; and p of Curve25519, with two slots, as p − 1
        // is 4 times an odd number.
        let p256 = two(256) - two(224) + two(192) + two(96) - 1u32;
        circuits.extend([(shape(p256.clone(), coefficients), 3), (shape(p256, slots), 3)]);
        circuits.push((shape(two(255) - 19u32, slots), 3));
        circuits.push((ShapeOf { ring_degree: 1 << 3, ..shape(rsa_modulus(), coefficients) }, 3));
        // Larger rings, of moduli between words and all of a slot's bits.
        for bits in [9, 10, 17, 30, 60] {
            circuits.push((ShapeOf { ring_degree: 1 << 6, ..shape(self::batching(bits), None) }, 6));
        }
        circuits
    }

    fn noise_bits(secret: &SecretKey, ciphertext: &BgvCiphertext) -> f64 {
        let v = secret.decrypt(ciphertext.rlwe()).to_integers();
        log2_values(&v).into_iter().fold(f64::NEG_INFINITY, f64::max)
    }

    fn measured_bits(secret: &SecretKey, ciphertext: &BgvCiphertext) -> f64 {
        measure(secret, ciphertext)
    }
}

fn literal_of(shape: &ShapeOf) -> BgvLiteral {
    let words = shape.modulus.to_u64_digits();
    let rlwe = shape.rlwe(if words.len() == 1 { &words } else { &[] });
    BgvLiteral { encoding: shape.encoding, ..BgvLiteral::new(rlwe, shape.modulus.clone()) }
}

/// The largest prime of so many bits that batches in rings of so many coefficients: 65537 of those of 17.
fn batching_in(ring_degree: usize, bits: u32) -> BigUint {
    match bits {
        17 => 65537u32.into(),
        bits => primes_congruent_to_one(bits, 2 * ring_degree as u64, 1, &[]).unwrap()[0].into(),
    }
}

fn batching(bits: u32) -> BigUint {
    batching_in(1 << 6, bits)
}

/// What a literal is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LiteralShape {
    pub(crate) ring_degree: usize,
    pub(crate) prime_bits: u32,
    pub(crate) primes: usize,
    pub(crate) digits: usize,
    /// The width of the plaintext modulus, a prime that batches.
    pub(crate) plaintext_bits: u32,
}

pub(crate) fn literal(shape: LiteralShape) -> BgvLiteral {
    let LiteralShape { ring_degree, prime_bits, primes, digits, plaintext_bits } = shape;
    let modulus = batching_in(ring_degree, plaintext_bits);
    literal_of(&ShapeOf { ring_degree, prime_bits, primes, digits, ..ShapeOf::of(modulus) })
}

/// A party whose values are words.
pub(crate) struct Fixture {
    pub(crate) params: BgvParams,
    pub(crate) secret: SecretKey,
    pub(crate) public: PublicKey,
    pub(crate) sampler: Sampler,
    pub(crate) encoder: Encoder,
    pub(crate) encryptor: Encryptor,
    pub(crate) evaluator: Evaluator,
    pub(crate) decryptor: Decryptor,
}

impl Fixture {
    pub(crate) fn new(shape: LiteralShape, seed: u64) -> Self {
        Self::of(literal(shape).check(Backend::detect().unwrap()).unwrap(), seed)
    }

    pub(crate) fn of(params: BgvParams, seed: u64) -> Self {
        let Party::<Bgv> { params, secret, public, sampler, encryptor, evaluator, .. } =
            Party::new(params, seed);
        let (encoder, decryptor) = (Encoder::new(&params), Decryptor::new(&params));
        Self { params, secret, public, sampler, encoder, encryptor, evaluator, decryptor }
    }

    pub(crate) fn top(&self) -> Level {
        self.params.max_level()
    }

    /// Random values for all slots.
    pub(crate) fn values(&self, integers: &mut TestIntegers) -> Vec<i64> {
        Bgv::values(&self.params, integers).iter().map(|value| value.to_i64().unwrap()).collect()
    }

    pub(crate) fn encrypt(&mut self, values: &[i64]) -> BgvCiphertext {
        self.encrypt_at(values, self.top())
    }

    pub(crate) fn encrypt_at(&mut self, values: &[i64], level: Level) -> BgvCiphertext {
        let plain = self.encoder.encode(values, level).unwrap();
        self.encryptor.encrypt(&self.public, &plain, &mut self.sampler).unwrap()
    }

    /// Slot by slot on integers, modulo t.
    pub(crate) fn zip(&self, a: &[i64], b: &[i64], f: impl Fn(i128, i128) -> i128) -> Vec<i64> {
        let result = |(&a, &b): (&i64, &i64)| f(a.into(), b.into()).into();
        a.iter().zip(b).map(|pair| self.params.centred(&result(pair)).to_i64().unwrap()).collect()
    }

    /// log2 of the actual canonical norm of v, by the definition.
    pub(crate) fn norm_bits(&self, ciphertext: &BgvCiphertext) -> f64 {
        Bgv::noise_bits(&self.secret, ciphertext)
    }

    /// A ciphertext decrypts to these values and its actual norm is within its bound.
    pub(crate) fn expect(&self, ciphertext: &BgvCiphertext, values: &[i64], what: &str) {
        let values: Vec<BigInt> = values.iter().map(|&value| value.into()).collect();
        let excess = Bgv::excess_bits(&self.secret, ciphertext, &values, what);
        assert!(excess <= 1e-9, "{what}: {excess:.2} bits above the bound");
    }
}
