//! Seconds and bytes of products of two encrypted 128 × 128 matrices modulo 128 bits, by every way of rotating, on one
//! thread: `cargo run --release -p asanoha-circuits --example square_timing [group …]`.

use std::{error::Error, time::Instant};

use asanoha_bgv::{BgvLiteral, BgvParams, BgvPredictor, Decryptor, Encryptor, Evaluator};
use asanoha_circuits::matrix::{Keep, MatrixBatch, Rotations, SquareOptions, SquareProduct};
use asanoha_lattice::{EvaluationKeys, KeyTier, Level, PublicKey, SecretKey, largest_log2_modulus};
use asanoha_ring::{Backend, Sampler, WideModulus};
use asanoha_scheme::{Exact, Primes, Scheme, batching_primes, with_digits};

const RING_DEGREE: usize = 1 << 15;
const SIDE: usize = 128;
/// The ciphertext primes: seven hold the products' noise, and two bring down that of masked rotations.
const PRIMES: usize = 9;
const PRIME_BITS: f64 = 50.0;
/// The digits of key switching: one would take a modulus beyond 128-bit security.
const DIGITS: usize = 2;
/// Keys of the level of products, in two digits too.
const TIER: KeyTier = KeyTier { level: Level(6), special: 5, digit_primes: 4 };

fn main() -> Result<(), Box<dyn Error>> {
    let groups: Vec<usize> = std::env::args().skip(1).map(|group| group.parse()).collect::<Result<_, _>>()?;
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let params = params()?;
    let rlwe = params.rlwe();
    println!(
        "N = 2^15, t of {} bits, log2(QP) = {:.0}, {}-bit security",
        params.plaintext_modulus().bits(),
        rlwe.log2_qp(),
        rlwe.security_bits()
    );
    println!(
        "{:32} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>10} {:>10} {:>10}",
        "rotations",
        "keys MiB",
        "encrypt s",
        "RotA s",
        "RotB s",
        "Multiply",
        "total s",
        "s a triple",
        "peak MiB",
        "predicted"
    );
    let hoisted_reused = groups.into_iter().map(|group| Rotations::HoistedReused { group });
    for rotations in
        [Rotations::Hoisted, Rotations::Reused, Rotations::Plain].into_iter().chain(hoisted_reused)
    {
        row(&params, rotations)?;
    }
    Ok(())
}

/// The fewest primes that the noise allows, and special ones.
fn params() -> Result<BgvParams, Box<dyn Error>> {
    let t = batching_primes(128, 1 << 16, 1).remove(0);
    let mut primes = Primes::new(RING_DEGREE, &[]);
    let q = (0..PRIMES).map(|_| primes.at_most(PRIME_BITS, 1)).collect::<Result<Vec<_>, _>>()?;
    let largest = largest_log2_modulus(RING_DEGREE, 128).expect("in the table");
    let mut rlwe = with_digits(&q, &primes, largest.into(), DIGITS)?.ok_or("the modulus is too large")?;
    rlwe.tiers = vec![TIER];
    Ok(BgvLiteral::new(rlwe, t).check(Backend::detect()?)?)
}

fn row(params: &BgvParams, rotations: Rotations) -> Result<(), Box<dyn Error>> {
    let rlwe = params.rlwe();
    let predictor = BgvPredictor::new(params);
    let fresh = predictor.model().fresh_public(params.max_level(), &())?;
    let options = SquareOptions { rotations, ..SquareOptions::default() };
    let plan = SquareProduct::new(&predictor, [SIDE; 3], SIDE, options, [&fresh, &fresh], 0.0)?;
    plan.prepare();
    let mut sampler = Sampler::from_os();
    let secret = SecretKey::generate(rlwe, &mut sampler);
    let public = PublicKey::generate(rlwe, &secret, &mut sampler);
    let keys = EvaluationKeys::generate_levels(rlwe, &secret, &plan.keys(), &mut sampler);
    let evaluator = Evaluator::new(params, keys);

    let modulus = WideModulus::new(params.plaintext_modulus()).ok_or("no modulus")?;
    let mut matrices = || {
        let mut matrices = MatrixBatch::zero(&modulus, [SIDE; 2], plan.packing().batch());
        let words = sampler.uniform(matrices.words().len());
        // Words of half the width are below the modulus.
        matrices.words_mut().iter_mut().zip(&*words).for_each(|(entry, word)| *entry = word >> 1);
        matrices
    };
    let (a, b) = (matrices(), matrices());
    let expected = a.product(&modulus, &b);

    // The first run finds the memory that the second uses again.
    for _ in 0..2 {
        reset_peak();
        let mut clock = Clock::new();
        let encryptor = Encryptor::new(params);
        let mut encrypt = |blocks: Vec<_>| {
            let encrypt = |block| encryptor.encrypt(&public, block, &mut sampler);
            blocks.iter().map(encrypt).collect::<Result<Vec<_>, _>>()
        };
        let left = encrypt(plan.encode_left(&a)?)?;
        let right = encrypt(plan.encode_right(&b)?)?;
        let encryption = clock.seconds();
        let lefts = plan.left_rotations(&evaluator, &left)?;
        let rotation_left = clock.seconds();
        let rights = plan.right_rotations(&evaluator, &right)?;
        let rotation_right = clock.seconds();
        let products = plan.multiply_rotations(&evaluator, &lefts, &rights)?;
        let multiplication = clock.seconds();
        let total = encryption + rotation_left + rotation_right + multiplication;
        let peak = peak_bytes();

        let decryptor = Decryptor::new(params);
        let slots = products.iter().map(|product| decryptor.decrypt_unsigned(&secret, product));
        let found = plan.decode(&slots.collect::<Result<Vec<_>, _>>()?, a.count())?;
        assert!(found == expected, "the products are right");
        println!(
            "{:32} {:>9} {encryption:>9.3} {rotation_left:>8.3} {rotation_right:>8.3} {multiplication:>8.3} {total:>8.3} {:>10.3} {:>10} {:>10}",
            format!("{rotations:?}"),
            plan.cost().key_bytes >> 20,
            total / plan.packing().batch() as f64,
            peak >> 20,
            plan.cost().bytes() >> 20,
        );
        drop((lefts, rights));
        // As above, but with few rotations in memory at a time.
        let options = SquareOptions { images: Keep::Recomputed, ..*plan.options() };
        let plan = SquareProduct::new(&predictor, [SIDE; 3], SIDE, options, [&fresh, &fresh], 0.0)?;
        plan.prepare();
        reset_peak();
        let mut clock = Clock::new();
        plan.multiply(&evaluator, &left, &right)?;
        let (seconds, peak) = (clock.seconds(), peak_bytes());
        println!(
            "{:32} {:>9} {:>9} {:>8} {:>8} {:>8} {seconds:>8.3} {:>10.3} {:>10} {:>10}",
            "  a few rotations at a time",
            "",
            "",
            "",
            "",
            "",
            seconds / plan.packing().batch() as f64,
            peak >> 20,
            plan.cost().bytes() >> 20,
        );
    }
    Ok(())
}

/// Tells the seconds since it was last asked.
struct Clock(Instant);

impl Clock {
    fn new() -> Self {
        Self(Instant::now())
    }

    fn seconds(&mut self) -> f64 {
        let before = std::mem::replace(&mut self.0, Instant::now());
        (self.0 - before).as_secs_f64()
    }
}

/// The most memory that the process has taken since the last reset, in bytes; 0 where the system doesn't say.
fn peak_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).map_or(0, |kib: usize| kib << 10)
}

fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
