//! Tools that a step needs beside cargo: found, installed in CI, or named as missing.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::command;

/// Why a task has no result.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// A tool can't be had here: a step is skipped.
    Unavailable(String),
    /// A tool could be installed, by the command given: a step is skipped, and fails in CI.
    NotInstalled(String),
    /// What was checked is wrong, or a tool failed.
    Failed(String),
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Self::Failed(why)
    }
}

impl Failure {
    /// The reason for which a step is skipped; an error if it failed, or in CI if the tool could have been installed.
    pub(crate) fn skips(self) -> Result<String, String> {
        self.skips_if(is_ci())
    }

    /// The reason alone.
    pub(crate) fn into_reason(self) -> String {
        match self {
            Self::NotInstalled(why) | Self::Unavailable(why) | Self::Failed(why) => why,
        }
    }

    fn skips_if(self, ci: bool) -> Result<String, String> {
        match self {
            Self::NotInstalled(why) if ci => Err(why),
            Self::Failed(why) => Err(why),
            missing => Ok(missing.into_reason()),
        }
    }
}

/// Whether this is CI, where what can be installed must be there.
pub(crate) fn is_ci() -> bool {
    env::var_os("CI").is_some()
}

/// A program that cargo installs from the crates registry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Installed {
    /// The crate.
    pub(crate) name: &'static str,
    /// The version that CI installs.
    pub(crate) version: &'static str,
    /// The arguments on which it prints its version.
    pub(crate) asked: &'static [&'static str],
}

/// Checks licences, bans and sources of outside crates.
pub(crate) const DENY: Installed = Installed { name: "cargo-deny", version: "0.20.2", asked: &["--version"] };

/// Builds the book.
pub(crate) const MDBOOK: Installed = Installed { name: "mdbook", version: "0.5.4", asked: &["--version"] };

/// Counts the lines that tests run.
pub(crate) const LLVM_COV: Installed =
    Installed { name: "cargo-llvm-cov", version: "0.9.1", asked: &["llvm-cov", "--version"] };

/// Compares the API with that of a release.
pub(crate) const SEMVER_CHECKS: Installed =
    Installed { name: "cargo-semver-checks", version: "0.51.0", asked: &["semver-checks", "--version"] };

impl Installed {
    /// The program, from the PATH or from `target/tools`, into which CI installs it.
    pub(crate) fn find(self, top: &Path) -> Result<PathBuf, Failure> {
        let tools = top.join("target/tools");
        let own = tools.join("bin").join(self.name);
        for program in [PathBuf::from(self.name), own.clone()] {
            if succeeds(Command::new(&program).args(self.asked)) {
                return Ok(program);
            }
        }
        let how = format!("cargo install --locked {}", self.name);
        if !is_ci() {
            return Err(Failure::NotInstalled(format!("{} is not installed: {how}", self.name)));
        }
        // Built without optimisation: it runs for a second.
        let mut install = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        install.args(["install", "--locked", "--debug", "--version", self.version, self.name]);
        match command::run_one(install.arg("--root").arg(tools), top) {
            Ok(()) => Ok(own),
            Err(error) => Err(Failure::Unavailable(format!("{} can't be had: {error}", self.name))),
        }
    }
}

/// Whether a program is there and tells its version.
pub(crate) fn answers(program: &Path) -> bool {
    succeeds(Command::new(program).arg("--version"))
}

/// Whether a call succeeds; it prints nothing.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Makes sure that the standard library of a target is there: rustup adds it where it can.
pub(crate) fn standard_library(target: &str, top: &Path) -> Result<(), Failure> {
    let is_installed = || {
        let arguments = ["--print", "target-libdir", "--target", target];
        let output = Command::new("rustc").args(arguments).current_dir(top).stderr(Stdio::null()).output();
        output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
    };
    if is_installed() {
        return Ok(());
    }
    let how = format!("rustup target add {target}");
    if !is_ci() {
        return Err(Failure::NotInstalled(how));
    }
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", target]).current_dir(top).stdin(Stdio::null());
    match rustup.status() {
        Ok(status) if status.success() && is_installed() => Ok(()),
        _ => Err(Failure::Unavailable(format!("`{how}` doesn't work here"))),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Failure, answers};

    #[test]
    fn what_could_be_installed_fails_in_ci_only() {
        let missing = || Failure::NotInstalled("install it".to_owned());
        assert_eq!(missing().skips_if(false), Ok("install it".to_owned()));
        assert_eq!(missing().skips_if(true), Err("install it".to_owned()));
        let unavailable = Failure::Unavailable("no network".to_owned());
        assert_eq!(unavailable.skips_if(true), Ok("no network".to_owned()));
        let failed = Failure::Failed("wrong".to_owned());
        assert_eq!(failed.skips_if(false), Err("wrong".to_owned()));
    }

    #[test]
    fn programs_are_asked_for_their_version() {
        assert!(answers(Path::new("cargo")));
        assert!(!answers(Path::new("a-program-that-nobody-has")));
    }
}
