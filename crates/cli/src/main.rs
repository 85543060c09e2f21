//! The program `asanoha`.

mod args;
mod check;
mod commands;
mod delivery;
mod error;
mod figures;
mod files;
#[cfg(unix)]
mod interrupt;
mod kept;
mod limits;
mod passphrase;
mod progress;
mod report;
mod scratch;
mod session;
mod shown;
mod target;

use std::process::ExitCode;

fn main() -> ExitCode {
    error::one_line_panics();
    match std::panic::catch_unwind(commands::main) {
        Ok(code) => code,
        Err(_) => error::Kind::Internal.code(),
    }
}
