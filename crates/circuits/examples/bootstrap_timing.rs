use std::time::Instant;
use asanoha_circuits::bootstrap::{Bootstrapper, SlotKind};
use asanoha_ckks::{BootstrapSet, Complex64};
use asanoha_lattice::EvaluationKeys;
use asanoha_ring::{Backend, Sampler, Seed};
use asanoha_scheme::{GenerateKeys, Scheme, Model};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    asanoha_ring::keep_unused_memory(4 << 30);
    let mut args = std::env::args().skip(1);
    let log2: u32 = args.next().map_or(11, |a| a.parse().unwrap());
    let set = if args.next().as_deref() == Some("a45") { BootstrapSet::A45 } else { BootstrapSet::A42 };
    let slots: usize = args.next().map_or(1 << (log2 - 1), |a| a.parse().unwrap());
    let literal = set.with_ring_degree(1 << log2)?;
    println!("tiers {:?} p {}", literal.rlwe.tiers, literal.rlwe.p_primes.len());
    let params = literal.check(Backend::detect()?)?;
    println!("logQP {:.1} primes {} fresh {:?}", params.rlwe().log2_qp(), params.rlwe().max_level().0 + 1, params.max_level());
    let t = Instant::now();
    let boot = Bootstrapper::new(&params, slots, 1.0)?;
    println!("prepare {:?} bytes {} MB", t.elapsed(), boot.bytes() >> 20);
    let levels = boot.keys();
    println!("{} keys, {} MB", levels.iter().len(), levels.bytes(params.rlwe()) >> 20);
    let mut sampler = Sampler::new(&Seed([7; 32]));
    let (secret, public) = params.generate_keys_with(&mut sampler);
    let t = Instant::now();
    let keys = EvaluationKeys::generate_levels(params.rlwe(), secret.key(), &levels, &mut sampler);
    println!("keys {:?}", t.elapsed());
    let evaluator = params.evaluator(keys);
    let model = Model::new(&params);
    for what in ["random", "constant", "alternating"] {
        let values: Vec<Complex64> = (0..params.slots()).map(|j| { let j = j % slots; match what {
            "random" => Complex64::new((j as f64 * 1.7).sin() * 0.7, (j as f64 * j as f64 * 0.31).cos() * 0.7),
            "constant" => Complex64::new(0.7, 0.7),
            _ => Complex64::new(if j % 2 == 0 { 0.7 } else { -0.7 }, if j % 2 == 0 { -0.7 } else { 0.7 }),
        }}).collect();
        let a = public.encrypt_with(&values[..], &mut sampler)?;
        let low = evaluator.adjust_to(&a, asanoha_lattice::Level(3))?;
        let values: Vec<Complex64> = secret.decrypt_as(&low)?;
        let t = Instant::now();
        let b = boot.bootstrap(&evaluator, &low, SlotKind::Complex)?;
        let elapsed = t.elapsed();
        let foreseen = boot.bootstrap(&model, low.state(), SlotKind::Complex)?;
        assert_eq!(&foreseen, b.state());
        let found: Vec<Complex64> = secret.decrypt_as(&b)?;
        let errors: Vec<f64> = found.iter().zip(&values).map(|(f, v)| (f.re - v.re).abs().max((f.im - v.im).abs())).collect();
        let worst = errors.iter().copied().fold(0.0, f64::max);
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        println!("{what}: {elapsed:?} level {:?} worst 2^{:.2} mean 2^{:.2} predicted 2^{:.2}", b.level(), worst.log2(), mean.log2(), b.error_bound().log2());
    }
    Ok(())
}
