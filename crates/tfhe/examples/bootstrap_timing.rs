//! Times of key generation, and of programmable bootstrapping one by one and in batches, on the threads of rayon's pool:
//! `bootstrap_timing [ROUNDS] [BATCH]`.

use std::time::Instant;

use asanoha_kernels::Backend;
use asanoha_ring::Sampler;
use asanoha_tfhe::{ClientKey, TfheLiteral};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let number = |at: usize, default| std::env::args().nth(at).map_or(Ok(default), |text| text.parse());
    let (rounds, batch) = (number(1, 50)?, number(2, 1)?);
    let params = TfheLiteral::message_2_carry_2().check(Backend::detect()?)?;
    let start = Instant::now();
    let client = ClientKey::generate(&params, &mut Sampler::from_os());
    let server = client.server_key(&mut Sampler::from_os());
    println!("keys {:.3} s", start.elapsed().as_secs_f64());
    let table = params.table(|x| (5 * x + 3) % 16)?;
    let mut numbers = vec![client.encrypt(3, &mut Sampler::from_os())?; batch];
    let mut times = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        numbers = server.apply_many(&numbers.iter().map(|number| (&table, number)).collect::<Vec<_>>())?;
        times.push(start.elapsed().as_secs_f64() * 1e3 / batch as f64);
    }
    times.sort_by(f64::total_cmp);
    println!("bootstrap, ms each: least {:.3}, median {:.3}", times[0], times[times.len() / 2]);
    Ok(())
}
