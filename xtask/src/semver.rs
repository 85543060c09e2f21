//! `cargo xtask semver`: changes of the API that the version doesn't allow, by cargo-semver-checks.

use std::{path::Path, process::Command};

use crate::{
    command,
    tools::{Failure, SEMVER_CHECKS},
};

/// Compares the API of all published crates with that of the last release.
pub(crate) fn since_release(top: &Path) -> Result<String, Failure> {
    since(top, &last_release(top)?)
}

/// Compares the API of all published crates with that of a commit.
pub(crate) fn since(top: &Path, commit: &str) -> Result<String, Failure> {
    let mut command = Command::new(SEMVER_CHECKS.find(top)?);
    command.args(["semver-checks", "--workspace", "--baseline-rev", commit]);
    command::without_own_variables(&mut command);
    command::run_one(&mut command, top)?;
    Ok(format!("semver: the version allows what changed in the API since {commit}"))
}

/// The tag of the last release.
fn last_release(top: &Path) -> Result<String, Failure> {
    let mut git = Command::new("git");
    git.args(["describe", "--tags", "--abbrev=0", "--match", "v*"]).current_dir(top);
    let output = git.output().map_err(|error| format!("`{}`: {error}", command::line(&git)))?;
    if !output.status.success() {
        return Err(Failure::Unavailable("no release is tagged: name a commit to compare with".to_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
