//! Times matrix-vector products under CKKS with 128-bit security: every method, with its keys' bytes.
//!
//! `cargo run --release -p asanoha-circuits --example linear_transform_timing`

use std::{error::Error, time::Instant};

use asanoha_circuits::linear_transform::{LinearTransform, Method, Repeated};
use asanoha_ckks::{
    CkksLiteral, CkksParams, Encoder, Encryptor, EvaluationKeysBuilder, Evaluator, PublicKey, Scheme,
    SecretKey,
};
use asanoha_kernels::primes_congruent_to_one;
use asanoha_lattice::RlweLiteral;
use asanoha_ring::{Backend, Sampler};

/// How often a product is computed; the fastest counts.
const REPEATS: usize = 3;

/// Q of 46 + 7·40 bits in two digits and P of 4·45, at N = 2^15; or Q of 46 + 4·40 bits in three and P of 2·46, at 2^14.
fn params(log2_n: u32) -> Result<CkksParams, Box<dyn Error>> {
    let (levels, digits, special_bits, special) = if log2_n == 15 { (7, 2, 45, 4) } else { (4, 3, 46, 2) };
    let step = 2 << log2_n;
    let base = primes_congruent_to_one(46, step, 1, &[])?;
    let p_primes = primes_congruent_to_one(special_bits, step, special, &base)?;
    let q_primes = [base, primes_congruent_to_one(40, step, levels, &[])?].concat();
    let rlwe = RlweLiteral::new(1 << log2_n, q_primes, p_primes, digits);
    Ok(CkksLiteral::new(rlwe, 40.0).check(Backend::detect()?)?)
}

fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("threads: {}", std::thread::available_parallelism()?);
    println!("   N  matrix      method     time    keys  key MiB  plaintext MiB  worst error");
    for log2_n in [14, 15] {
        let params = params(log2_n)?;
        let level = params.max_level();
        let mut sampler = Sampler::from_os();
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
        for size in [128, 1024] {
            let entry = |i: usize, j: usize| ((i * 31 + j * 17) % 101) as f64 / 101.0 - 0.5;
            let rows: Vec<Vec<f64>> = (0..size).map(|i| (0..size).map(|j| entry(i, j)).collect()).collect();
            let matrix = LinearTransform::from_rows(&rows)?;
            let vector: Vec<f64> = (0..size).map(|j| (j as f64).sin()).collect();
            let v = Repeated::slots(&vector, &params)?.try_map(|slots| {
                let plain = Encoder::new(&params).encode_real(&slots, 1.0, level, params.scale_at(level))?;
                Encryptor::new(&params).encrypt(&public, &plain, &mut sampler)
            })?;
            for method in Method::ALL {
                let plan = matrix.plan(&params, level, method)?;
                let cost = plan.cost();
                if megabytes(cost.key_bytes + cost.plaintext_bytes) > 6000.0 {
                    println!("2^{log2_n} {size:>7} {method:?}: {:.0} MiB of keys", megabytes(cost.key_bytes));
                    continue;
                }
                let keys = EvaluationKeysBuilder::new(&params, &secret).rotate(plan.rotations());
                let evaluator = Evaluator::new(&params, keys.build_with(&mut sampler)?);
                let prime = params.rlwe().q(level).modulus(level.0).value() as f64;
                let prepared = plan.encode(&params, prime)?;
                let mut seconds = f64::INFINITY;
                let mut product = v.clone();
                for _ in 0..REPEATS {
                    let start = Instant::now();
                    product = prepared.apply(&evaluator, &v)?;
                    seconds = seconds.min(start.elapsed().as_secs_f64());
                }
                let product = evaluator.rescale(product.value())?;
                let found = asanoha_ckks::Decryptor::new(&params).decrypt_real(&secret, &product)?;
                let error = rows.iter().zip(&found).map(|(row, found)| {
                    let expected: f64 = row.iter().zip(&vector).map(|(a, b)| a * b).sum();
                    (expected - found).abs()
                });
                println!(
                    "2^{log2_n} {size:>7} {:>11} {:>7.1} ms {:>6} {:>8.1} {:>14.1}      {:.1e}",
                    format!("{method:?}"),
                    seconds * 1e3,
                    cost.keys,
                    megabytes(cost.key_bytes),
                    megabytes(prepared.bytes()),
                    error.fold(0.0, f64::max),
                );
            }
        }
    }
    Ok(())
}
