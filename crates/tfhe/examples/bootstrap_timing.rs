//! Times of key generation, the key switch and programmable bootstrapping on one thread: `bootstrap_timing [ROUNDS]`.

use std::time::Instant;

use asanoha_kernels::Backend;
use asanoha_ring::Sampler;
use asanoha_tfhe::{ClientKey, TfheLiteral};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rounds = std::env::args().nth(1).map_or(Ok(50), |text| text.parse())?;
    let params = TfheLiteral::message_2_carry_2().check(Backend::detect()?)?;
    let start = Instant::now();
    let client = ClientKey::generate(&params, &mut Sampler::from_os());
    let server = client.server_key(&mut Sampler::from_os());
    println!("keys {:.3} s", start.elapsed().as_secs_f64());
    let table = params.table(|x| (5 * x + 3) % 16)?;
    let mut number = client.encrypt(3, &mut Sampler::from_os())?;
    let mut times = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        number = server.apply(&table, &number)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    println!("bootstrap, ms: least {:.3}, median {:.3}", times[0], times[times.len() / 2]);
    Ok(())
}
