//! Times of encrypted division of 16384 pairs at once, at 128-bit security, operands encrypted under the secret key or
//! under a public one: `cargo run --release -p asanoha-circuits --example division_timing [bits …]`. The number of
//! threads is RAYON_NUM_THREADS.

use std::{
    error::Error,
    sync::Arc,
    time::{Duration, Instant},
};

use asanoha_bgv::{
    BgvCiphertext, BgvLiteral, BgvParams, Decryptor, Encoder, Encryptor, Evaluator, PublicKey, SecretKey,
    budget_bits, generate_evaluation_keys,
};
use asanoha_circuits::{Domain, Output, Powers, TwoVariableTable, division::quotient};
use asanoha_kernels::is_prime;
use asanoha_lattice::RlweLiteral;
use asanoha_ring::{Backend, Modulus, Sampler};

const RING_DEGREE: usize = 1 << 14;
const PLAINTEXT_MODULUS: u64 = 65537;
const RUNS: usize = 3;

/// The sizes of the primes, as log2.
struct Sizes {
    /// For the bilinear form, and what is left after it.
    last: Vec<f64>,
    /// For each product but the first.
    product: f64,
    /// For the first product, whose operands are fresh.
    first: Vec<f64>,
    special: Vec<f64>,
}

impl Sizes {
    /// For operands of so many bits: a form of 4^bits terms with weights of about t/4, on noise of 2^34.5. Public-key
    /// encryption has 8 bits more noise than that of the secret key, and its larger modulus allows only a smaller P,
    /// and so only smaller primes.
    fn new(bits: u32, public: bool) -> Self {
        let form = 2.0 * f64::from(bits) + 83.6;
        if public {
            Self {
                last: vec![form / 3.0 + 0.45; 3],
                product: 35.4,
                first: vec![20.8; 2],
                special: vec![39.5],
            }
        } else {
            Self {
                last: vec![form / 2.0; 2],
                product: 35.4,
                first: vec![26.0],
                special: vec![form / 4.0 + 2.1; 2],
            }
        }
    }

    fn params(&self, bits: u32) -> Result<BgvParams, Box<dyn Error>> {
        let mut taken = vec![PLAINTEXT_MODULUS];
        let mut primes = |sizes: &[f64]| -> Vec<u64> {
            sizes.iter().map(|&size| largest_prime(size, &mut taken)).collect()
        };
        let products = vec![self.product; bits as usize - 1];
        let q_primes = [primes(&self.last), primes(&products), primes(&self.first)].concat();
        let rlwe = RlweLiteral {
            ring_degree: RING_DEGREE,
            digits: q_primes.len(),
            q_primes,
            p_primes: primes(&self.special),
            noise_factor: String::new(),
            insecure: false,
        };
        Ok(BgvLiteral::new(rlwe, PLAINTEXT_MODULUS).check(Backend::detect()?)?)
    }
}

/// The largest prime below 2^size that is 1 modulo 2N and not taken yet.
fn largest_prime(size: f64, taken: &mut Vec<u64>) -> u64 {
    let step = 2 * RING_DEGREE as u64;
    let mut candidate = size.exp2() as u64 / step * step + 1;
    while taken.contains(&candidate) || !is_prime(candidate) {
        candidate -= step;
    }
    taken.push(candidate);
    candidate
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn time_division(bits: u32, public: bool) -> Result<(), Box<dyn Error>> {
    let params = Sizes::new(bits, public).params(bits)?;
    let mut sampler = Sampler::from_os();
    let secret = SecretKey::generate(params.rlwe(), &mut sampler);
    let public_key = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
    let keys = generate_evaluation_keys(&params, &secret, &[], false, true, &mut sampler);
    let evaluator = Evaluator::new(&params, Arc::new(keys));

    let domain = Domain::integers(&Modulus::new(PLAINTEXT_MODULUS)?, 0..=(1 << bits) - 1)?;
    let start = Instant::now();
    let table = TwoVariableTable::new(&domain, &domain, &Output::Integer, quotient)?;
    println!(
        "{bits} bits, {} key: log2(QP) {:.1}, {} security, {} levels; the table took {:.0} ms",
        if public { "public" } else { "secret" },
        params.rlwe().log2_qp(),
        params.rlwe().security_bits(),
        params.max_level().0,
        milliseconds(start.elapsed()),
    );

    let operand = |factor: i64| -> Vec<i64> {
        (0..RING_DEGREE as i64).map(|i| i * factor / 1000 % domain.len() as i64).collect()
    };
    let (a, d) = (operand(1000), operand(1_000_000 >> bits));
    let mut encrypt = |values: &[i64]| -> Result<BgvCiphertext, Box<dyn Error>> {
        let plain = Encoder::new(&params).encode(values, params.max_level())?;
        let encryptor = Encryptor::new(&params);
        Ok(if public {
            encryptor.encrypt(&public_key, &plain, &mut sampler)?
        } else {
            encryptor.encrypt_secret(&secret, &plain, &mut sampler)?
        })
    };
    let (x, y) = (encrypt(&a)?, encrypt(&d)?);
    for _ in 0..RUNS {
        let start = Instant::now();
        let xs = Powers::new(&evaluator, &x, domain.len())?;
        let ys = Powers::new(&evaluator, &y, domain.len())?;
        let powers = start.elapsed();
        let quotients = table.evaluate(&evaluator, &xs, &ys)?;
        let all = start.elapsed();
        println!(
            "  {:>7.1} ms: powers {:>7.1}, form {:>6.1}; {} levels used, {:.1} bits of noise budget left",
            milliseconds(all),
            milliseconds(powers),
            milliseconds(all.saturating_sub(powers)),
            x.level().0 - quotients.level().0,
            budget_bits(&params, &quotients),
        );
        let decrypted = Decryptor::new(&params).decrypt(&secret, &quotients)?;
        assert!(a.iter().zip(&d).map(|(&a, &d)| quotient(a, d)).eq(decrypted));
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let asked: Vec<u32> = std::env::args().skip(1).map(|bits| bits.parse()).collect::<Result<_, _>>()?;
    let widths = if asked.is_empty() { vec![4, 5, 6, 7, 8] } else { asked };
    for bits in widths {
        time_division(bits, false)?;
        time_division(bits, true)?;
    }
    Ok(())
}
