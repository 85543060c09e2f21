//! BGV with a plaintext modulus of 128 bits, at the parameters that matrix triples are made with.

use std::sync::Arc;

use asanoha_bgv::{
    BgvCiphertext, BgvLiteral, Decryptor, Encoder, Encryptor, EvaluationKeys, Evaluator, PublicKey, SecretKey,
};
use asanoha_kernels::{Backend, primes_congruent_to_one};
use asanoha_lattice::{Level, RlweLiteral};
use asanoha_ring::{GaloisElement, Sampler, Seed};
use asanoha_scheme::{Exact, Scheme, batching_primes};
use num_bigint::BigInt;
use serde::Serialize;

use crate::{RING_DEGREE, best, chain::ROTATIONS};

const LOG2_T: u64 = 128;
/// The number of primes, of 46 bits each: log2(q) is nearly 600.
const PRIMES: usize = 13;
const PRIME_BITS: u32 = 46;
/// The number of primes that modulus switching after a product drops, with the noise of one level.
const DROPPED: usize = 4;
const DIGITS: usize = 3;
const SPECIAL_BITS: u32 = 47;
const SPECIAL_PRIMES: usize = 5;

/// Times at these parameters, in milliseconds.
#[derive(Clone, Debug, Serialize)]
pub struct WideRow {
    /// log2 of the plaintext modulus.
    pub log2_t: u64,
    /// The ring degree.
    pub ring_degree: usize,
    /// log2 of the ciphertext modulus.
    pub log2_q: f64,
    /// The security in bits, by the table of 2024.
    pub security_bits: u32,
    /// One rotation.
    pub rotate_ms: f64,
    /// One of 15 hoisted rotations of a ciphertext, each with a result of its own.
    pub hoisted_rotation_ms: f64,
    /// A multiplication with relinearisation.
    pub multiply_ms: f64,
    /// The modulus switch of its result by a level.
    pub switch_ms: f64,
    /// An encryption of as many values as there are slots, without the encoding.
    pub encrypt_ms: f64,
    /// The encoding of these values.
    pub encode_ms: f64,
    /// A decryption with the decoding.
    pub decrypt_ms: f64,
}

/// Measures on the threads of the current pool.
///
/// # Panics
/// Never: the parameters are valid.
pub(crate) fn wide(backend: Backend, repeats: usize) -> WideRow {
    let step = 2 * RING_DEGREE as u64;
    let q_primes = primes_congruent_to_one(PRIME_BITS, step, PRIMES, &[]).expect("there are enough");
    let p_primes = primes_congruent_to_one(SPECIAL_BITS, step, SPECIAL_PRIMES, &[]).expect("as above");
    let rlwe = RlweLiteral::new(RING_DEGREE, q_primes, p_primes, DIGITS);
    let t = batching_primes(LOG2_T, RING_DEGREE, 1).swap_remove(0);
    let params = BgvLiteral::new(rlwe, t).check(backend).expect("the set is valid");
    let mut sampler = Sampler::new(&Seed([13; 32]));
    let secret = SecretKey::generate(params.rlwe(), &mut sampler);
    let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
    let elements = (1..=ROTATIONS as i64).map(|k| GaloisElement::rotation(RING_DEGREE, k));
    let keys = EvaluationKeys::generate(params.rlwe(), &secret, elements, true, &mut sampler);
    let evaluator = Evaluator::new(&params, Arc::new(keys));
    let (encoder, encryptor, decryptor) =
        (Encoder::new(&params), Encryptor::new(&params), Decryptor::new(&params));

    let values: Vec<BigInt> = (0..RING_DEGREE as u64).map(|i| (BigInt::from(i) << 80u32) + i * i).collect();
    let (plain, encode_ms) =
        best(repeats, || encoder.encode_integers(&values, params.max_level()).expect("they fit"));
    // From the operating system: from a given seed, encryption would digest its message first.
    let mut sampler = Sampler::from_os();
    let (a, encrypt_ms) =
        best(repeats, || encryptor.encrypt(&public, &plain, &mut sampler).expect("the top has room"));
    let (_, rotate_ms) = best(repeats, || evaluator.rotate(&a, 1).expect("the key is there"));
    let places: Vec<i64> = (1..=ROTATIONS as i64).collect();
    let (_, hoisted_ms) = best(repeats, || evaluator.rotate_many(&a, &places).expect("as above"));
    let (product, multiply_ms): (BgvCiphertext, f64) =
        best(repeats, || evaluator.square_exact(&a).expect("one product fits"));
    let level = Level(PRIMES - 1 - DROPPED);
    let (switched, switch_ms) =
        best(repeats, || evaluator.switch_to(&product, level).expect("the noise fits"));
    let (found, decrypt_ms) =
        best(repeats, || decryptor.decrypt_integers(&secret, &switched).expect("as above"));
    let t = BigInt::from(params.plaintext_modulus().clone());
    let wrong = found.iter().zip(&values).any(|(found, value)| (found - value * value) % &t != BigInt::ZERO);
    assert!(!wrong, "a square is wrong");
    WideRow {
        log2_t: LOG2_T,
        ring_degree: RING_DEGREE,
        log2_q: params.rlwe().q(params.max_level()).log2_product(),
        security_bits: params.rlwe().security_bits(),
        rotate_ms,
        hoisted_rotation_ms: hoisted_ms / ROTATIONS as f64,
        multiply_ms,
        switch_ms,
        encrypt_ms,
        encode_ms,
        decrypt_ms,
    }
}
