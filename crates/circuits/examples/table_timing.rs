//! Times of an 8-bit comparison and a 16-bit table of all slots at once, at 128-bit security, operands encrypted under the
//! secret key: `cargo run --release -p asanoha-circuits --example table_timing`. The number of threads is
//! RAYON_NUM_THREADS.

mod common;

use std::time::Instant;

use asanoha_bgv::{BgvCiphertext, Scheme};
use asanoha_circuits::{BinaryFunction, Comparison, Domain, OneVariableTable, Output, Schedule};
use asanoha_ring::Modulus;
use common::{PLAINTEXT_MODULUS, Party, Result, Sizes, milliseconds};

const RUNS: usize = 2;

/// At N = 2^15: primes for so many products, and two for the last.
fn sizes(products: usize, last: f64) -> Sizes {
    let ciphertext = [vec![last; 2], vec![36.7; products - 1], vec![27.0]].concat();
    Sizes { ring_degree: 1 << 15, ciphertext, special: vec![last.max(36.7) / 2.0 + 2.4; 2] }
}

/// Times a circuit and holds its result to what is expected.
fn time(
    party: &Party,
    input: &BgvCiphertext,
    expected: impl Fn(usize) -> i64,
    circuit: impl Fn() -> Result<BgvCiphertext>,
) -> Result<()> {
    for _ in 0..RUNS {
        let start = Instant::now();
        let result = circuit()?;
        println!(
            "  {:>7.1} ms; {} levels used, {:.1} bits of noise budget left",
            milliseconds(start.elapsed()),
            input.level().0 - result.level().0,
            result.noise_budget_bits(),
        );
        let t = PLAINTEXT_MODULUS as i64;
        for (slot, value) in party.decrypt(&result)?.into_iter().enumerate() {
            assert_eq!(value.rem_euclid(t), expected(slot).rem_euclid(t), "slot {slot}");
        }
    }
    Ok(())
}

fn values(party: &Party, factor: usize, count: usize) -> Vec<i64> {
    (0..party.params.slots()).map(|slot| (slot * factor / 64 % count) as i64).collect()
}

fn time_comparison(modulus: &Modulus) -> Result<()> {
    let mut party = Party::new(&sizes(10, 40.0))?;
    println!("8-bit comparison by the difference: {}", party.describe());
    let (a, b) = (values(&party, 64, 256), values(&party, 65, 256));
    let (x, y) = (party.encrypt(&a, false)?, party.encrypt(&b, false)?);
    let less = Comparison::new(&Domain::integers(modulus, 0..=255)?, BinaryFunction::Less)?;
    time(
        &party,
        &x,
        |slot| i64::from(a[slot] < b[slot]),
        || Ok(less.apply(&party.evaluator, &x, &y, Schedule::LeastDepth)?),
    )
}

fn time_table(modulus: &Modulus) -> Result<()> {
    let mut party = Party::new(&sizes(17, 50.0))?;
    println!("16-bit table of one variable: {}", party.describe());
    let domain = Domain::integers(modulus, 0..=65535)?;
    let f = |x: i64| (x as f64).sqrt() as i64;
    let table = OneVariableTable::new(&domain, &Output::Integer, f)?;
    let a = values(&party, 200, 65536);
    let x = party
        .encrypt(&a.iter().map(|&a| domain.encode(a)).collect::<std::result::Result<Vec<_>, _>>()?, false)?;
    time(&party, &x, |slot| f(a[slot]), || Ok(table.apply(&party.evaluator, &x, Schedule::LeastWork)?))
}

fn main() -> Result<()> {
    let modulus = Modulus::new(PLAINTEXT_MODULUS)?;
    time_comparison(&modulus)?;
    time_table(&modulus)
}
