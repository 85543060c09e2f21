//! Fixed-point arithmetic without rounding: a 256-bit plaintext modulus holds every bit of a polynomial's value.
//!
//! The logistic function is near ½ + x/4 − x³/48 + x⁵/480 for |x| < 2. With X = x·S for S = 2^40 fractional parts,
//! 480·S⁵·y = X·(X²·(X² − 10·S²) + 120·S⁴) + 240·S⁵ is a whole number below 2^230: computed modulo a prime of 256
//! bits, the same for every slot, it comes out exactly. Only sums with constants occur beside three products, and those
//! cost no noise to speak of.
//!
//! ```sh
//! cargo run --release -p asanoha --example fixed_point
//! ```

use std::{error::Error, sync::Arc, time::Instant};

use asanoha::{
    bgv::{BgvCiphertext, BgvLiteral, BgvParams, Decryptor, Encoder, Encryptor, Evaluator},
    kernels::{Backend, primes_congruent_to_one},
    lattice::{EvaluationKeys, Level, PublicKey, RlweLiteral, SecretKey},
    ring::Sampler,
    scheme::{Scheme, SchemeError, batching_primes},
};
use num_bigint::BigInt;

const RING_DEGREE: usize = 1 << 16;
const PLAINTEXT_BITS: u64 = 256;
const FRACTIONAL_BITS: u32 = 40;
const PRIME_BITS: u32 = 48;
/// Primes after so many products: six hold a prime of 256 bits and the noise of a level.
const PRIMES: [usize; 4] = [24, 18, 12, 6];
const DIGITS: usize = 3;
/// P exceeds a digit of eight primes by one.
const SPECIAL_PRIMES: usize = 9;

fn params() -> Result<BgvParams, Box<dyn Error>> {
    let mut q_primes =
        primes_congruent_to_one(PRIME_BITS, 2 * RING_DEGREE as u64, PRIMES[0] + SPECIAL_PRIMES, &[])?;
    let p_primes = q_primes.split_off(PRIMES[0]);
    let rlwe = RlweLiteral::new(RING_DEGREE, q_primes, p_primes, DIGITS);
    let t = batching_primes(PLAINTEXT_BITS, RING_DEGREE, 1).swap_remove(0);
    Ok(BgvLiteral::new(rlwe, t).check(Backend::detect()?)?)
}

/// c·S^power.
fn constant(c: u32, power: u32) -> BigInt {
    BigInt::from(c) << (FRACTIONAL_BITS * power)
}

/// 480·S⁵·y of encrypted X.
fn logistic(e: &Evaluator, x: &BgvCiphertext) -> Result<BgvCiphertext, SchemeError> {
    let [_, once, twice, thrice] = PRIMES.map(|primes| Level(primes - 1));
    let square = e.switch_to(&e.square_exact(x)?, once)?;
    let inner = e.multiply_exact(&square, &e.add_constant(&square, -constant(10, 2))?)?;
    let inner = e.add_constant(&e.switch_to(&inner, twice)?, constant(120, 4))?;
    let product = e.multiply_exact(&e.switch_to(x, twice)?, &inner)?;
    e.add_constant(&e.switch_to(&product, thrice)?, constant(240, 5))
}

fn main() -> Result<(), Box<dyn Error>> {
    let params = params()?;
    let rlwe = params.rlwe();
    let mut sampler = Sampler::from_os();
    let secret = SecretKey::generate(rlwe, &mut sampler);
    let public = PublicKey::generate(rlwe, &secret, &mut sampler);
    let keys = EvaluationKeys::generate(rlwe, &secret, [], true, &mut sampler);
    let evaluator = Evaluator::new(&params, Arc::new(keys));
    println!(
        "{} numbers with {FRACTIONAL_BITS} fractional bits; t of {PLAINTEXT_BITS} bits, N = {RING_DEGREE}, log QP = {:.0}, {}-bit security",
        params.slots(),
        rlwe.log2_qp(),
        rlwe.security_bits()
    );

    let scale = f64::from(FRACTIONAL_BITS).exp2();
    let inputs: Vec<BigInt> = (0..params.slots())
        .map(|slot| BigInt::from((2.0 * (slot as f64).sin() * scale).round() as i64))
        .collect();
    let start = Instant::now();
    let plain = Encoder::new(&params).encode_integers(&inputs, params.max_level())?;
    let encrypted = Encryptor::new(&params).encrypt(&public, &plain, &mut sampler)?;
    let encrypted_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let result = logistic(&evaluator, &encrypted)?;
    let evaluated_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let found = Decryptor::new(&params).decrypt_integers(&secret, &result)?;
    let decrypted_s = start.elapsed().as_secs_f64();

    for (found, x) in found.iter().zip(&inputs) {
        let square = x * x;
        let exact = x * (&square * (&square - constant(10, 2)) + constant(120, 4)) + constant(240, 5);
        if *found != exact {
            return Err(format!("{x}: found {found}, exactly it is {exact}").into());
        }
    }
    println!(
        "encode and encrypt {encrypted_s:.2} s, evaluate {evaluated_s:.2} s, decrypt and decode {decrypted_s:.2} s; {:.0} bits of noise budget left",
        result.noise_budget_bits()
    );
    println!(
        "all {} results exact, to the last of their {} fractional bits",
        found.len(),
        5 * FRACTIONAL_BITS
    );
    Ok(())
}
