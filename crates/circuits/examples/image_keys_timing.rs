//! Bytes of the keys that sums of products with images are switched with, the time on one thread and the noise, for every way of
//! switching 128 sums of a matrix product modulo 128 bits: `cargo run --release -p asanoha-circuits --example
//! image_keys_timing [rounds]`. Seconds are the least of interleaved rounds.

use std::{error::Error, num::NonZeroUsize, time::Instant};

use asanoha_lattice::{
    Embedding, EvaluationKeys, ImageKeys, ImageSteps, ImageSums, KeyLevels, Level, MasterKeys, NoiseFactor,
    PublicKey, RlweCiphertext, RlweLiteral, RlweParams, SecretKey,
};
use asanoha_ring::{Backend, FixingAutomorphisms, Poly, Sampler};
use asanoha_scheme::Primes;
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;

const RING_DEGREE: usize = 1 << 15;
const COUNT: usize = 128;
/// The prime that MP-SPDZ takes for 128 bits.
const MODULUS: &str = "170141183460469231731687303715885907969";
/// The primes of the lower level and those above it, and their sizes in bits: those of triples of 128 × 128 for two parties.
const LOW: (usize, f64) = (8, 48.1);
const DROPPED: (usize, f64) = (3, 48.7);
const LEVEL: Level = Level(LOW.0 - 1);
/// The ciphertext primes of a digit.
const DIGIT: usize = 4;
/// Factors of the number of sums: one key for each way to go on from the product of those before.
const FACTORS: [&[usize]; 5] = [&[128], &[32, 4], &[16, 8], &[8, 4, 4], &[2; 7]];

fn main() -> Result<(), Box<dyn Error>> {
    asanoha_ring::keep_unused_memory(4 << 30);
    let rounds: NonZeroUsize = std::env::args().nth(1).as_deref().unwrap_or("1").parse()?;
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let (params, special) = params()?;
    let mut sampler = Sampler::from_os();
    let secret = SecretKey::generate(&params, &mut sampler);
    let automorphisms = FixingAutomorphisms::new(RING_DEGREE, COUNT);
    let mut all = KeyLevels::default();
    (0..COUNT).for_each(|k| all.add_image_product(&params, automorphisms.element(k), LEVEL));
    let keys = EvaluationKeys::generate_levels(&params, &secret, &all, &mut sampler);
    let relinearisation = params.key_bytes(LEVEL);
    let model = params.noise();

    let composed: Vec<ImageSteps> =
        FACTORS.iter().map(|factors| ImageSteps::of_factors(automorphisms, factors)).collect();
    let derived = [
        ImageSteps::of_factors(automorphisms, &[16, 8]),
        ImageSteps::of_factors(automorphisms, &[2; 7]),
        ImageSteps::new(automorphisms, &[1]),
    ];
    let primes = LOW.0 + params.special(LEVEL).len();
    let master = params.of_master_keys(LEVEL, special, primes.div_ceil(DIGIT))?;
    println!(
        "N = 2^15, log2(QP) = {:.0} and of master keys {:.0}: {} and {} bits of security",
        params.log2_qp(),
        master.log2_qp(),
        params.security_bits(),
        master.security_bits(),
    );
    let mut masters = Vec::new();
    for steps in derived {
        let count = steps.steps().len();
        masters.push((count, MasterKeys::generate(master.clone(), steps, &secret, &mut sampler)?));
    }
    let start = Instant::now();
    let kept = masters[1].1.derive(&params, LEVEL)?;
    println!("all keys derived from seven in {:.2} s", start.elapsed().as_secs_f64());

    // Each way with the bytes of the keys that are sent and that are held, and the bound on its noise.
    let mut ways = vec![(
        "two keys for each".to_string(),
        [all.bytes(&params) as usize; 2],
        params.image_product_noise(model, LEVEL),
        ImageKeys::All(&keys),
    )];
    for (factors, steps) in FACTORS.iter().zip(&composed) {
        let bytes = steps.keys(&params, LEVEL).bytes(&params) as usize;
        let noise = steps.noise(&params, model, LEVEL);
        ways.push((format!("composed of {factors:?}"), [bytes; 2], noise, ImageKeys::Composed(steps, &keys)));
    }
    for (count, master) in &masters {
        let bytes = relinearisation + master.keys().bytes();
        let noise = master.noise(&params, model, LEVEL);
        ways.push((format!("derived from {count}"), [bytes; 2], noise, ImageKeys::Derived(master, &keys)));
    }
    let (_, master) = &masters[1];
    let bytes = [relinearisation + master.keys().bytes(), relinearisation + kept.bytes()];
    let noise = master.noise(&params, model, LEVEL);
    ways.push(("derived from 7 and kept".into(), bytes, noise, ImageKeys::Kept(&kept, &keys)));

    let public = PublicKey::generate(&params, &secret, &mut sampler);
    let zero = Poly::zero(params.q(params.max_level()));
    let terms = [(); 2].map(|()| [public.encrypt(&params, &zero, &mut sampler)]);
    let mut seconds = vec![f64::INFINITY; ways.len()];
    let mut norms = vec![0.0; ways.len()];
    // The first round finds the memory that the others use again, and its sums are decrypted.
    for round in 0..=rounds.get() {
        for (place, (.., keys)) in ways.iter().enumerate() {
            let sums = ImageSums::new(automorphisms, &terms[0], &terms[1], None);
            let start = Instant::now();
            let sums = sums.switch_with(&params, LEVEL, *keys)?;
            if round > 0 {
                seconds[place] = start.elapsed().as_secs_f64().min(seconds[place]);
            } else {
                let norms_of_some = sums.iter().step_by(9).map(|sum| norm(&params, &secret, sum));
                norms[place] = norms_of_some.fold(0.0, f64::max);
            }
        }
    }
    println!(
        "{:28} {:>9} {:>9} {:>8} {:>7} {:>10} {:>10}",
        "keys", "MB sent", "MB held", "seconds", "ratio", "noise bits", "bound bits"
    );
    for (place, (name, [sent, held], bound, _)) in ways.iter().enumerate() {
        println!(
            "{name:28} {:>9.1} {:>9.1} {:>8.2} {:>7.2} {:>10.1} {:>10.1}",
            // Halves a are sent as seeds.
            *sent as f64 / 2e6,
            *held as f64 / 1e6,
            seconds[place],
            seconds[place] / seconds[0],
            norms[place].log2(),
            bound.log2(),
        );
    }
    Ok(())
}

/// The parameters, and special primes for their master keys.
fn params() -> Result<(RlweParams, Vec<u64>), Box<dyn Error>> {
    let mut primes = Primes::new(RING_DEGREE, &[]);
    let sizes = [LOW, DROPPED].into_iter().flat_map(|(count, bits)| vec![bits; count]);
    let q = sizes.map(|bits| primes.at_most(bits, 1)).collect::<Result<Vec<_>, _>>()?;
    let p = primes.special(DIGIT as f64 * LOW.1)?;
    let master = primes.special(log2(&p))?;
    let mut literal = RlweLiteral::new(RING_DEGREE, q.clone(), p, q.len().div_ceil(DIGIT));
    literal.noise_factor = NoiseFactor::from(MODULUS.parse::<BigUint>()?);
    Ok((literal.check(Backend::detect()?)?, master))
}

fn log2(primes: &[u64]) -> f64 {
    primes.iter().map(|&prime| (prime as f64).log2()).sum()
}

/// The norm of an encryption of zero, in units of t.
fn norm(params: &RlweParams, secret: &SecretKey, ciphertext: &RlweCiphertext) -> f64 {
    let (q, t) = (BigInt::from(params.q(LEVEL).product()), BigInt::from(params.noise_factor().clone()));
    let centred = |c: BigInt| if &c * 2 > q { c - &q } else { c };
    let noise = secret.decrypt(ciphertext).to_integers().into_iter().map(|c| {
        let c = centred(c);
        assert!(&c % &t == BigInt::ZERO, "what is decrypted is zero modulo t");
        (c / &t).to_f64().expect("a finite number")
    });
    Embedding::new(RING_DEGREE).norm(&noise.collect::<Vec<_>>())
}
