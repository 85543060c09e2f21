//! The program `asanoha`.

mod args;
mod commands;
mod error;
mod figures;
mod files;
mod outputs;
mod progress;
mod report;
mod session;

use std::process::ExitCode;

fn main() -> ExitCode {
    error::one_line_panics();
    match std::panic::catch_unwind(commands::main) {
        Ok(code) => code,
        Err(_) => error::Code::Impossible.into(),
    }
}
