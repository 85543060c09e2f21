//! A comparison and a table of encrypted integers of 8 bits, under TFHE.
//!
//! `cargo run --release -p asanoha --example tfhe`

use std::time::Instant;

use asanoha::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (x, y) = (100, 37);
    let [byte, half_byte] = [4, 2].map(IntegerType::unsigned); // digits of two bits

    let params = TfheLiteral::message_2_carry_2().check(Backend::detect()?)?;
    let mut sampler = Sampler::from_os();
    let client = ClientKey::generate(&params, &mut sampler);
    let server = client.server_key(&mut sampler);
    let integers = Integers::new(&server)?;

    let a = client.encrypt_integer(x, byte, &mut sampler)?;
    let b = client.encrypt_integer(y, byte, &mut sampler)?;
    let start = Instant::now();
    let less = integers.lt(&a, &b)?;
    let less_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let root = integers.table(&a, half_byte, i128::isqrt)?;
    let root_s = start.elapsed().as_secs_f64();

    let (less, root) = (client.decrypt_bit(&less)?, client.decrypt_integer(&root)?);
    println!("{x} < {y}: {less}, {less_s:.2} s");
    println!("square root of {x}: {root}, {root_s:.2} s");
    assert_eq!((less, root), (x < y, x.isqrt()));
    Ok(())
}
