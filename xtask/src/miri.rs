//! `cargo xtask miri`: unit tests in Miri, which finds undefined behaviour, of this workspace and of the crates below it.

use std::{path::Path, process::Command};

use crate::{
    command,
    tools::{self, Failure},
};

/// Crates that use no intrinsics, and whose unit tests ask the system for nothing. Those of `http` need TLS, which is partly C.
const PACKAGES: [&str; 6] = ["-p", "asanoha-numeric", "-p", "asanoha-table", "-p", "asanoha-lang"];

/// Runs the tests by the nightly toolchain, the only one with Miri.
pub(crate) fn run(top: &Path) -> Result<String, Failure> {
    let miri = |arguments: &[&str]| {
        let mut command = Command::new("rustup");
        command.args(["run", "nightly", "cargo", "miri"]).args(arguments).current_dir(top);
        command::without_own_variables(&mut command);
        // Of the stable toolchain.
        command.env_remove("CARGO");
        command
    };
    if !tools::succeeds(&mut miri(&["--version"])) {
        let how = "Miri is not installed: rustup toolchain install nightly --component miri,rust-src";
        return Err(Failure::NotInstalled(how.to_owned()));
    }
    command::run_one(miri(&["test", "--lib"]).args(PACKAGES), top)?;
    Ok("miri: no undefined behaviour was found".to_owned())
}
