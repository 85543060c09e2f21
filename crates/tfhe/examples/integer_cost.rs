//! The cost of operations on integers in bootstrappings and layers, and their time: `integer_cost [fast]`. With `fast`,
//! parameters are small and insecure, for the counts alone. The threads are those of `RAYON_NUM_THREADS`.

use std::time::Instant;

use asanoha_kernels::Backend;
use asanoha_ring::Sampler;
use asanoha_tfhe::{
    ClientKey, EncryptedInteger, GadgetLiteral, IntegerType, Integers, TfheError, TfheLiteral,
};

type Operation = (&'static str, fn(&Integers, &EncryptedInteger, &EncryptedInteger) -> Result<(), TfheError>);

const OPERATIONS: &[Operation] = &[
    ("a + b", |i, a, b| i.add(a, b).map(drop)),
    ("a - b", |i, a, b| i.sub(a, b).map(drop)),
    ("-a", |i, a, _| i.neg(a).map(drop)),
    ("a * b", |i, a, b| i.mul(a, b).map(drop)),
    ("a * b, wide", |i, a, b| i.mul_wide(a, b).map(drop)),
    ("a // b, a % b", |i, a, b| i.div_rem(a, b).map(drop)),
    ("a & b", |i, a, b| i.and(a, b).map(drop)),
    ("a == b", |i, a, b| i.eq(a, b).map(drop)),
    ("a < b", |i, a, b| i.lt(a, b).map(drop)),
    ("min(a, b)", |i, a, b| i.min(a, b).map(drop)),
    ("where(a < b, …)", |i, a, b| i.select(&i.lt(a, b)?, a, b).map(drop)),
    ("a << 1", |i, a, _| i.shift_left(a, 1).map(drop)),
    ("a << b", |i, a, b| i.shift_left_by(a, b).map(drop)),
    ("sum of 16", |i, a, _| i.sum(&[a; 16], IntegerType::unsigned(a.blocks().len() + 2)).map(drop)),
    ("a + 99", |i, a, _| i.add(a, &i.trivial(99, a.integer_type())?).map(drop)),
    ("a * 99", |i, a, _| i.mul(a, &i.trivial(99, a.integer_type())?).map(drop)),
    ("a // 10, a % 10", |i, a, _| i.div_rem(a, &i.trivial(10, a.integer_type())?).map(drop)),
    ("a // 10", |i, a, _| i.div(a, &i.trivial(10, a.integer_type())?).map(drop)),
    ("a == 99", |i, a, _| i.eq(a, &i.trivial(99, a.integer_type())?).map(drop)),
    ("a < 99", |i, a, _| i.lt(a, &i.trivial(99, a.integer_type())?).map(drop)),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let standard = TfheLiteral::message_2_carry_2();
    let literal = match std::env::args().nth(1).as_deref() {
        Some("fast") => TfheLiteral {
            lwe_dimension: 24,
            lwe_standard_deviation: 2f64.powi(-30),
            ring_degree: 512,
            glwe_standard_deviation: 2f64.powi(-48),
            bootstrap: GadgetLiteral { digit_bits: 12, levels: 2 },
            insecure: true,
            ..standard
        },
        _ => standard,
    };
    let params = literal.check(Backend::detect()?)?;
    let client = ClientKey::generate(&params, &mut Sampler::from_os());
    let server = client.server_key(&mut Sampler::from_os());
    println!("bootstrappings / layers, s, for 8, 16 and 32 bits");
    for (name, operation) in OPERATIONS {
        print!("{name:16}");
        for bits in [8, 16, 32] {
            let unsigned = IntegerType::unsigned(bits / 2);
            // Results of bootstrappings, not fresh encryptions.
            let integers = Integers::new(&server)?;
            let [a, b] = [99, 7].map(|x| client.encrypt_integer(x, unsigned, &mut Sampler::from_os()));
            let [a, b] = [integers.add(&a?, &integers.trivial(1, unsigned)?)?, integers.neg(&b?)?];
            let before = integers.cost();
            let start = Instant::now();
            operation(&integers, &a, &b)?;
            let (after, seconds) = (integers.cost(), start.elapsed().as_secs_f64());
            print!(
                "  {:>5} / {:<3} {seconds:8.3}",
                after.bootstraps - before.bootstraps,
                after.layers - before.layers
            );
        }
        println!();
    }
    Ok(())
}
