//! `cargo deny`: the checks of outside dependencies.

use std::{path::Path, process::Command};

use crate::{
    command,
    tools::{DENY, Failure},
};

/// What CI checks: everything that needs no database from the internet.
const OFFLINE: [&str; 6] = ["--log-level", "error", "check", "licenses", "bans", "sources"];

/// The check against the advisory database, which is fetched.
const ADVISORIES: [&str; 2] = ["check", "advisories"];

/// Runs the check of CI.
pub(crate) fn offline(top: &Path) -> Result<String, Failure> {
    check(top, &OFFLINE)
}

/// Runs the check against the advisory database.
pub(crate) fn advisories(top: &Path) -> Result<String, Failure> {
    check(top, &ADVISORIES)
}

fn check(top: &Path, arguments: &[&str]) -> Result<String, Failure> {
    let mut command = Command::new(DENY.find(top)?);
    command::run_one(command.args(arguments), top)?;
    Ok("deny: nothing forbidden".to_owned())
}
