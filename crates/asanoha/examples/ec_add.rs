//! Arithmetic under an imposed modulus: points of the curve P-256 are added while their coordinates are encrypted.
//!
//! The plaintext modulus t is the curve's own prime, which allows no slots: a coordinate is the constant coefficient of
//! a plaintext. The formulas are the complete projective ones of Renes, Costello and Batina (2016, Algorithm 4, a = −3):
//! 12 products and two by the curve's constant b, without a branch, right for all points, equal, opposite or
//! infinite. They have depth two, and the products by b take about as much modulus as one more level.
//!
//! ```sh
//! cargo run --release -p asanoha --example ec_add
//! ```

use std::{error::Error, sync::Arc, time::Instant};

use asanoha::{
    bgv::{BgvCiphertext, BgvLiteral, BgvParams, Decryptor, Encoder, Encryptor, Evaluator},
    kernels::{Backend, primes_congruent_to_one},
    lattice::{EvaluationKeys, Level, PublicKey, RlweLiteral, SecretKey},
    ring::Sampler,
    scheme::{Scheme, SchemeError},
};
use num_bigint::{BigInt, BigUint};

const RING_DEGREE: usize = 1 << 16;
const PRIME_BITS: u32 = 48;
/// Primes of fresh ciphertexts, of products of them, and of what is multiplied again.
const PRIMES: [usize; 3] = [24, 18, 12];
const DIGITS: usize = 3;
/// P exceeds a digit of eight primes by one.
const SPECIAL_PRIMES: usize = 9;

const P: &str = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";
const B: &str = "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b";
/// The base point G, 2G and 3G, as published with the curve's test vectors.
const MULTIPLES: [[&str; 2]; 3] = [
    [
        "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
    ],
    [
        "7cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978",
        "07775510db8ed040293d9ac69f7430dbba7dade63ce982299e04b79d227873d1",
    ],
    [
        "5ecbe4d1a6330a44c8f7ef951d4bf165e6c6b721efada985fb41661bc6e7fd6c",
        "8734640c4998ff7e374b06ce1a64a2ecd82ab036384fb83d9a79b127a27d5032",
    ],
];

fn hex(digits: &str) -> BigUint {
    BigUint::parse_bytes(digits.as_bytes(), 16).expect("hexadecimal constants")
}

fn params() -> Result<BgvParams, Box<dyn Error>> {
    let mut q_primes =
        primes_congruent_to_one(PRIME_BITS, 2 * RING_DEGREE as u64, PRIMES[0] + SPECIAL_PRIMES, &[])?;
    let p_primes = q_primes.split_off(PRIMES[0]);
    let rlwe = RlweLiteral::new(RING_DEGREE, q_primes, p_primes, DIGITS);
    Ok(BgvLiteral::new(rlwe, hex(P)).check(Backend::detect()?)?)
}

/// An encrypted point (X : Y : Z).
struct Point([BgvCiphertext; 3]);

/// P + Q: numbers in comments are the algorithm's steps. All ciphertexts of a depth take the same way down, so that their
/// correction factors are equal and sums cost no noise.
fn add(e: &Evaluator, p: &Point, q: &Point) -> Result<Point, SchemeError> {
    let ([x1, y1, z1], [x2, y2, z2]) = (&p.0, &q.0);
    let [_, product, second] = PRIMES.map(|primes| Level(primes - 1));
    let mul = |a: &BgvCiphertext, b: &BgvCiphertext| e.switch_to(&e.multiply_exact(a, b)?, product);
    let triple = |a: &BgvCiphertext| e.mul_constant_exact(a, 3);
    let times_b = |a: &BgvCiphertext| e.mul_constant_exact(a, hex(B));
    let down = |a: BgvCiphertext| e.switch_to(&a, second);

    let (t0, t1, t2) = (mul(x1, x2)?, mul(y1, y2)?, mul(z1, z2)?); // 1–3
    let cross = |a1: &BgvCiphertext, a2: &BgvCiphertext, b1: &BgvCiphertext, b2: &BgvCiphertext| {
        mul(&e.add(a1, b1)?, &e.add(a2, b2)?)
    };
    let t3 = e.sub(&cross(x1, x2, y1, y2)?, &e.add(&t0, &t1)?)?; // 4–8: X₁Y₂ + X₂Y₁
    let t4 = e.sub(&cross(y1, y2, z1, z2)?, &e.add(&t1, &t2)?)?; // 9–13: Y₁Z₂ + Y₂Z₁
    let y3 = e.sub(&cross(x1, x2, z1, z2)?, &e.add(&t0, &t2)?)?; // 14–18: X₁Z₂ + X₂Z₁

    let x3 = triple(&e.sub(&y3, &times_b(&t2)?)?)?; // 19–22
    let (z3, x3) = (down(e.sub(&t1, &x3)?)?, down(e.add(&t1, &x3)?)?); // 23, 24
    let three_t2 = triple(&t2)?; // 26, 27
    let y3 = triple(&e.sub(&e.sub(&times_b(&y3)?, &three_t2)?, &t0)?)?; // 25, 28–31
    let t0 = e.sub(&triple(&t0)?, &three_t2)?; // 32–34
    let (y3, t0, t3, t4) = (down(y3)?, down(t0)?, down(t3)?, down(t4)?);

    let tensor = |a: &BgvCiphertext, b: &BgvCiphertext| e.multiply_without_relinearise(a, b);
    Ok(Point([
        e.relinearise(e.sub(&tensor(&t3, &x3)?, &tensor(&t4, &y3)?)?)?, // 35, 39, 40
        e.relinearise(e.add(&tensor(&x3, &z3)?, &tensor(&t0, &y3)?)?)?, // 36–38
        e.relinearise(e.add(&tensor(&t4, &z3)?, &tensor(&t3, &t0)?)?)?, // 41–43
    ]))
}

/// The affine coordinates, `None` at infinity.
fn affine([x, y, z]: &[BigUint; 3]) -> Option<[BigUint; 2]> {
    let p = hex(P);
    // By Fermat: 0 to the power p − 2 is 0, and only infinity has Z = 0.
    let inverse = z.modpow(&(&p - 2u32), &p);
    (inverse != BigUint::ZERO).then(|| [x, y].map(|w| w * &inverse % &p))
}

fn main() -> Result<(), Box<dyn Error>> {
    let params = params()?;
    let rlwe = params.rlwe();
    let mut sampler = Sampler::from_os();
    let secret = SecretKey::generate(rlwe, &mut sampler);
    let public = PublicKey::generate(rlwe, &secret, &mut sampler);
    let keys = EvaluationKeys::generate(rlwe, &secret, [], true, &mut sampler);
    let (encoder, encryptor) = (Encoder::new(&params), Encryptor::new(&params));
    let (evaluator, decryptor) = (Evaluator::new(&params, Arc::new(keys)), Decryptor::new(&params));
    println!(
        "t = the prime of P-256; N = {RING_DEGREE}, log QP = {:.0}, {}-bit security",
        rlwe.log2_qp(),
        rlwe.security_bits()
    );

    let [g, double, triple] = MULTIPLES.map(|point| point.map(hex));
    let opposite = [g[0].clone(), hex(P) - &g[1]];
    let cases = [
        ("G + 2G", [&g, &double], Some(triple)),
        ("G + G", [&g, &g], Some(double.clone())),
        ("G + (−G)", [&g, &opposite], None),
    ];
    for (name, points, expected) in cases {
        let mut encrypt = |point: &[BigUint; 2]| -> Result<Point, SchemeError> {
            let mut coordinate = |value: &BigUint| {
                let plain = encoder.encode_constant(BigInt::from(value.clone()), params.max_level())?;
                encryptor.encrypt(&public, &plain, &mut sampler)
            };
            Ok(Point([coordinate(&point[0])?, coordinate(&point[1])?, coordinate(&1u32.into())?]))
        };
        let (p, q) = (encrypt(points[0])?, encrypt(points[1])?);
        let start = Instant::now();
        let sum = add(&evaluator, &p, &q)?;
        let seconds = start.elapsed().as_secs_f64();
        let [x, y, z] = &sum.0;
        let constant = |coordinate: &BgvCiphertext| -> Result<BigUint, SchemeError> {
            Ok(decryptor.decrypt_unsigned(&secret, coordinate)?.swap_remove(0))
        };
        let found = affine(&[constant(x)?, constant(y)?, constant(z)?]);
        let shown = found.as_ref().map_or("infinity".to_owned(), |[x, _]| format!("x = {x:x}"));
        println!("{name} = {shown}; {seconds:.2} s, {:.0} bits of noise budget left", x.noise_budget_bits());
        if found != expected {
            return Err(format!("{name} isn't what the published test vector says").into());
        }
    }
    println!("all equal to the published multiples of G");
    Ok(())
}
