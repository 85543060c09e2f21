//! The inner product of two encrypted vectors of integers, under BGV.
//!
//! `cargo run --release -p asanoha --example bgv`

use asanoha::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let x: Vec<i64> = (0..1024).map(|i| i % 7).collect();
    let y = vec![5_i64; 1024];

    let params = Bgv::parameters().depth(1).plaintext_modulus(65537).slots(4096).build()?;
    let (secret, public) = params.generate_keys();
    let keys = secret.evaluation_keys().relinearise().sum(1024).build()?;
    let evaluator = params.evaluator(keys);

    let (a, b) = (public.encrypt(&x)?, public.encrypt(&y)?);
    let dot = evaluator.sum(&evaluator.multiply(&a, &b)?, 1024)?;
    println!("{}", secret.decrypt(&dot)?[0]);
    Ok(())
}
