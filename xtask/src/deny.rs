//! `cargo deny`: the checks of outside dependencies.

use std::path::Path;

use crate::command::Cargo;

/// Whether `cargo deny` is installed.
pub(crate) fn installed(top: &Path) -> bool {
    Cargo::new(&["deny", "--version"]).succeeds(top)
}

/// The check CI runs: everything that needs no database from the internet.
pub(crate) fn offline_check() -> Cargo {
    Cargo::new(&["deny", "--log-level", "error", "check", "licenses", "bans", "sources"])
}

/// The check against the advisory database, which is fetched.
fn advisory_check() -> Cargo {
    Cargo::new(&["deny", "check", "advisories"])
}

/// Runs one of the two checks; here, unlike in `cargo xtask test`, a missing cargo-deny is an error.
pub(crate) fn run(top: &Path, advisories: bool) -> Result<String, String> {
    if !installed(top) {
        return Err("cargo-deny is not installed: cargo install --locked cargo-deny".to_owned());
    }
    let check = if advisories { advisory_check() } else { offline_check() };
    check.run(top)?;
    Ok("deny: nothing forbidden".to_owned())
}
