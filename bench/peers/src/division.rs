//! Division of encrypted integers by `tfhe`, one at a time and on one thread.

use std::time::Instant;

use serde::Serialize;
use tfhe::{
    ClientKey, ConfigBuilder, FheUint4, FheUint8, ServerKey, prelude::*, set_server_key,
    shortint::parameters::PARAM_MESSAGE_2_CARRY_2_KS32_PBS_TUNIFORM_2M128,
};

const REPEATS: usize = 3;

/// The shortest time of a division, in the words of `asanoha bench division`.
#[derive(Serialize)]
pub(crate) struct Row {
    method: &'static str,
    encryption: &'static str,
    bits: u32,
    plaintext_modulus: Option<u64>,
    levels: Option<usize>,
    slots: usize,
    seconds: f64,
    seconds_per_division: f64,
    security_bits: u32,
    threads: usize,
}

/// Divisions of 4 and 8 bits with the fastest of the crate's sets of 128-bit security whose failure probability is
/// 2^-128, the shortest of three times each.
///
/// # Panics
/// If a quotient is wrong.
pub(crate) fn rows(quick: bool) -> Vec<Row> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("nothing ran before");
    let config = ConfigBuilder::with_custom_parameters(PARAM_MESSAGE_2_CARRY_2_KS32_PBS_TUNIFORM_2M128);
    let client = ClientKey::generate(config);
    set_server_key(ServerKey::new(&client));
    let four = fastest(quick, |a: u8, b: u8| {
        let (x, y) = (FheUint4::encrypt(a & 15, &client), FheUint4::encrypt(b & 15, &client));
        let start = Instant::now();
        let quotient = &x / &y;
        let seconds = start.elapsed().as_secs_f64();
        let found: u8 = quotient.decrypt(&client);
        assert_eq!(found, (a & 15) / (b & 15));
        seconds
    });
    let eight = fastest(quick, |a: u8, b: u8| {
        let (x, y) = (FheUint8::encrypt(a, &client), FheUint8::encrypt(b, &client));
        let start = Instant::now();
        let quotient = &x / &y;
        let seconds = start.elapsed().as_secs_f64();
        let found: u8 = quotient.decrypt(&client);
        assert_eq!(found, a / b);
        seconds
    });
    vec![row("tfhe FheUint4", 4, four), row("tfhe FheUint8", 8, eight)]
}

/// The shortest of the times that a few divisions take.
fn fastest(quick: bool, time: impl Fn(u8, u8) -> f64) -> f64 {
    let operands = [(237, 11), (109, 7), (255, 3)];
    let repeats = if quick { 1 } else { REPEATS };
    operands.into_iter().take(repeats).map(|(a, b)| time(a, b)).fold(f64::INFINITY, f64::min)
}

fn row(method: &'static str, bits: u32, seconds: f64) -> Row {
    Row {
        method,
        encryption: "client_key",
        bits,
        plaintext_modulus: None,
        levels: None,
        slots: 1,
        seconds,
        seconds_per_division: seconds,
        security_bits: 128,
        threads: 1,
    }
}

/// A table for readers.
pub(crate) fn table(rows: &[Row]) -> String {
    let line = |row: &Row| format!("{:14} {:>8.3} s a division\n", row.method, row.seconds_per_division);
    rows.iter().map(line).collect()
}
