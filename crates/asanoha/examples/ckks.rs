//! The inner product of two encrypted vectors of real numbers, under CKKS.
//!
//! `cargo run --release -p asanoha --example ckks`

use asanoha::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let x: Vec<f64> = (0..1024).map(|i| f64::from(i) / 1024.0).collect();
    let y = vec![0.5; 1024];

    let params = Ckks::parameters().depth(1).precision_bits(30).slots(4096).build()?;
    let (secret, public) = params.generate_keys();
    let keys = secret.evaluation_keys().relinearise().sum(1024).build()?;
    let evaluator = params.evaluator(keys);

    let (a, b) = (public.encrypt(&x)?, public.encrypt(&y)?);
    let dot = evaluator.sum(&evaluator.multiply(&a, &b)?, 1024)?;
    println!("{} ± {:e}", secret.decrypt(&dot)?[0], dot.error_bound());
    Ok(())
}
