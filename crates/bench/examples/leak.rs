//! Compares the times of operations on secrets: `leak [MEASUREMENTS]`. It fails if one depends on the secrets. `cargo xtask leak`
//! calls it.

use std::process::ExitCode;

use asanoha_bench::{LeakRow, LeakVerdict, leak};
use asanoha_kernels::Backend;

const MEASUREMENTS: usize = 100_000;
const FEWEST: usize = 5000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let measurements = match &*arguments {
        [] => Some(MEASUREMENTS),
        [count] => count.parse().ok().filter(|&count| count >= FEWEST),
        _ => None,
    };
    let Some(measurements) = measurements else {
        eprintln!("error: usage: leak [MEASUREMENTS], at least {FEWEST}");
        return ExitCode::from(2);
    };
    let backend = match Backend::detect() {
        Ok(backend) => backend,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    println!("{}", LeakRow::HEAD);
    let rows = leak(measurements, backend, |row| println!("{row}"));
    let leaks = rows.iter().filter(|row| row.verdict() == LeakVerdict::Leaks).count();
    if leaks == 0 {
        return ExitCode::SUCCESS;
    }
    eprintln!("error: the time of {leaks} of {} operations depends on secrets (|t| > 10)", rows.len());
    ExitCode::FAILURE
}
