//! `cargo xtask leak`: the times of operations on secrets in the release build, compared by Welch's t-test.

use std::path::Path;

use crate::command::Cargo;

/// Builds the comparison for release and runs it, which prints a line for each operation; fails if a time depends on secrets.
pub(crate) fn run(top: &Path, quick: bool) -> Result<String, String> {
    let mut arguments = vec!["run", "--release", "--package", "asanoha-bench", "--example", "leak"];
    if quick {
        arguments.extend(["--", "10000"]);
    }
    Cargo::new(&arguments)
        .run(top)
        .map_err(|error| format!("a time depends on secrets, or the program does not build: {error}"))?;
    Ok("leak: no time was found to depend on secrets".into())
}
