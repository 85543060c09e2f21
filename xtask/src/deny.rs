//! `cargo deny`: the checks of outside dependencies.

use std::{path::Path, process::Command};

use crate::{
    command,
    tools::{DENY, Missing},
};

/// What CI checks: everything that needs no database from the internet.
const OFFLINE: [&str; 6] = ["--log-level", "error", "check", "licenses", "bans", "sources"];

/// The check against the advisory database, which is fetched.
const ADVISORIES: [&str; 2] = ["check", "advisories"];

fn check(top: &Path, arguments: &[&str]) -> Result<Result<(), Missing>, String> {
    let program = match DENY.find(top) {
        Ok(program) => program,
        Err(missing) => return Ok(Err(missing)),
    };
    let mut command = Command::new(program);
    command::run_one(command.args(arguments), top).map(Ok)
}

/// Runs the check of CI, or tells why cargo-deny is missing.
pub(crate) fn offline(top: &Path) -> Result<Result<(), Missing>, String> {
    check(top, &OFFLINE)
}

/// Runs one of the two checks; here, unlike in `cargo xtask test`, a missing cargo-deny is an error.
pub(crate) fn run(top: &Path, advisories: bool) -> Result<String, String> {
    check(top, if advisories { &ADVISORIES } else { &OFFLINE })?.map_err(Missing::into_reason)?;
    Ok("deny: nothing forbidden".to_owned())
}
