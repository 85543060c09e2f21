//! `cargo xtask attack`: what a server, or whoever carries files, could do to the release build of the program.

use std::path::Path;

use crate::{command::Cargo, tally::Tally};

/// Builds the program and its attacks for release and runs these, which prints a line for each; fails if one succeeds.
pub(crate) fn run(top: &Path) -> Result<String, String> {
    let arguments =
        ["test", "--release", "-p", "asanoha-cli", "--test", "cli", "--", "attack::", "--test-threads", "1"];
    let mut tally = Tally::default();
    Cargo::new(&arguments)
        .run_counting(top, &mut tally)
        .map_err(|error| format!("an attack succeeds, or the program does not build: {error}"))?;
    Ok("no attack succeeds".into())
}
