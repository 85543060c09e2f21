//! Our kernels beside those of other libraries: the same primes, the same words, in turns, on one thread.
//!
//! `peers [--quick] [--json]` runs transforms, `peers division [--quick] [--json]` the divisions of `tfhe`, which
//! `asanoha bench division --peer` sets beside ours, and `peers tfhe` one operation of `tfhe` for every line that
//! `asanoha bench tfhe --peer` writes to it. Of the transforms, both sides take canonical residues and give canonical residues, in place. Our inverse
//! transform includes 1/N; `tfhe-ntt`'s leaves it out and is measured so, and once more with its own `normalize`
//! behind it.

mod division;
mod fft;
mod in_turns;
mod ntt;

use std::process::ExitCode;

use asanoha_bench::{Effort, Machine};
use asanoha_kernels::Backend;
use serde::Serialize;

const TFHE: &str = "tfhe 1.8.2";

#[derive(Serialize)]
struct Report {
    machine: Machine,
    versions: [&'static str; 2],
    ntt: Vec<ntt::Row>,
    fft: Vec<fft::Row>,
}

#[derive(Serialize)]
struct DivisionReport {
    machine: Machine,
    version: &'static str,
    rows: Vec<division::Row>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let known = ["tfhe", "division", "--quick", "--json"];
    if let Some(unknown) = arguments.iter().find(|argument| !known.contains(&argument.as_str())) {
        eprintln!("error: {unknown}: the only arguments are tfhe, division, --quick and --json");
        return ExitCode::from(2);
    }
    let given = |name: &str| arguments.iter().any(|argument| argument == name);
    if given("tfhe") {
        return match in_turns::answer(TFHE) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        };
    }
    if given("division") {
        let report = DivisionReport {
            machine: Machine::this(&Backend::available()),
            version: TFHE,
            rows: division::rows(given("--quick")),
        };
        if given("--json") {
            println!("{}", serde_json::to_string(&report).expect("reports are plain data"));
        } else {
            println!("{}, one thread; {}\n", report.machine.cpu, report.version);
            print!("{}", division::table(&report.rows));
        }
        return ExitCode::SUCCESS;
    }
    let effort = if given("--quick") { Effort::QUICK } else { Effort::FULL };
    let report = Report {
        machine: Machine::this(&Backend::available()),
        versions: ["tfhe-ntt 0.7.1", "tfhe-fft 0.10.1"],
        ntt: ntt::rows(effort),
        fft: fft::rows(effort),
    };
    if given("--json") {
        println!("{}", serde_json::to_string(&report).expect("reports are plain data"));
    } else {
        println!("{}, one thread; {}\n", report.machine.cpu, report.versions.join(", "));
        print!("{}{}", ntt::table(&report.ntt), fft::table(&report.fft));
    }
    ExitCode::SUCCESS
}
