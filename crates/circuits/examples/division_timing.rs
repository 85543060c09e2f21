//! Times of encrypted division of 16384 pairs at once, at 128-bit security, operands encrypted under the secret key or
//! under a public one: `cargo run --release -p asanoha-circuits --example division_timing [bits …]`. The number of
//! threads is RAYON_NUM_THREADS.

mod common;

use std::time::Instant;

use asanoha_circuits::{Domain, Output, Powers, TwoVariableTable, division::quotient};
use asanoha_ring::Modulus;
use common::{PLAINTEXT_MODULUS, Party, Result, Sizes, milliseconds};

const RING_DEGREE: usize = 1 << 14;
const RUNS: usize = 3;

/// For operands of so many bits: a form of 4^bits terms with weights of about t/4, on noise of 2^34.5; a prime for each
/// product before; and one for the first, whose operands are fresh. Public-key encryption has 4 bits more noise than
/// that of the secret key, and its larger modulus allows only a smaller P, and so only smaller primes.
fn sizes(bits: u32, public: bool) -> Sizes {
    let form = 2.0 * f64::from(bits) + 84.0;
    let products = vec![35.4; bits as usize - 1];
    let (ciphertext, special) = if public {
        ([vec![form / 3.0 + 0.4; 3], products, vec![34.0]].concat(), vec![39.5])
    } else {
        ([vec![form / 2.0; 2], products, vec![26.0]].concat(), vec![form / 4.0 + 2.1; 2])
    };
    Sizes { ring_degree: RING_DEGREE, ciphertext, special }
}

fn time_division(bits: u32, public: bool) -> Result<()> {
    let mut party = Party::new(&sizes(bits, public))?;
    let domain = Domain::integers(&Modulus::new(PLAINTEXT_MODULUS)?, 0..=(1 << bits) - 1)?;
    let start = Instant::now();
    let table = TwoVariableTable::new(&domain, &domain, &Output::Integer, quotient)?;
    let key = if public { "public" } else { "secret" };
    let table_time = milliseconds(start.elapsed());
    println!("{bits} bits, {key} key: {}; the table took {table_time:.0} ms", party.describe());

    let operand = |factor: i64| -> Vec<i64> {
        (0..RING_DEGREE as i64).map(|i| i * factor / 1000 % domain.len() as i64).collect()
    };
    let (a, d) = (operand(1000), operand(1_000_000 >> bits));
    let (x, y) = (party.encrypt(&a, public)?, party.encrypt(&d, public)?);
    for _ in 0..RUNS {
        let start = Instant::now();
        let xs = Powers::new(&party.evaluator, &x, domain.len())?;
        let ys = Powers::new(&party.evaluator, &y, domain.len())?;
        let powers = start.elapsed();
        let quotients = table.evaluate(&party.evaluator, &xs, &ys)?;
        let all = start.elapsed();
        println!(
            "  {:>7.1} ms: powers {:>7.1}, form {:>6.1}; {} levels used, {:.1} bits of noise budget left",
            milliseconds(all),
            milliseconds(powers),
            milliseconds(all.saturating_sub(powers)),
            x.level().0 - quotients.level().0,
            quotients.noise_budget_bits(),
        );
        assert!(a.iter().zip(&d).map(|(&a, &d)| quotient(a, d)).eq(party.decrypt(&quotients)?));
    }
    Ok(())
}

fn main() -> Result<()> {
    let asked: Vec<u32> =
        std::env::args().skip(1).map(|bits| bits.parse()).collect::<std::result::Result<_, _>>()?;
    let widths = if asked.is_empty() { vec![4, 5, 6, 7, 8] } else { asked };
    for bits in widths {
        time_division(bits, false)?;
        time_division(bits, true)?;
    }
    Ok(())
}
