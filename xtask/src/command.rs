//! Running cargo from the repository's top.

use std::{
    env,
    ffi::OsStr,
    io::{self, BufRead, BufReader, Write, stdout},
    path::Path,
    process::{Command, ExitStatus, Stdio},
};

use crate::tally::Tally;

/// What the program is built with for its checks: everything that it can do. Without, it's compiled for the other target.
pub(crate) const FEATURES: &str = "asanoha-cli/arrow,asanoha-cli/http";

/// Builds the workspace as its tests need it. Dependencies of tests add features to other crates, so without `--tests` nearly all would be
/// built a second time.
pub(crate) const BUILD: [&str; 6] = ["build", "--workspace", "--lib", "--tests", "--features", FEATURES];

/// A cargo call: its arguments and what it adds to the environment.
#[derive(Clone, Debug)]
pub(crate) struct Cargo {
    /// Everything after `cargo`.
    arguments: Vec<String>,
    /// Variables set for this call only.
    environment: Vec<(&'static str, &'static str)>,
}

impl Cargo {
    /// A call with the environment as it is.
    pub(crate) fn new(arguments: &[&str]) -> Self {
        Self { arguments: arguments.iter().map(ToString::to_string).collect(), environment: Vec::new() }
    }

    /// The same call with `name=value` in its environment.
    pub(crate) fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.environment.push((name, value));
        self
    }

    /// The line a user would type.
    pub(crate) fn line(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        for (name, value) in &self.environment {
            let quote = if value.contains(' ') { "'" } else { "" };
            words.push(format!("{name}={quote}{value}{quote}"));
        }
        words.push("cargo".to_owned());
        words.extend_from_slice(&self.arguments);
        words.join(" ")
    }

    fn command(&self, top: &Path) -> Command {
        let mut command = cargo(top);
        command.args(&self.arguments);
        command.envs(self.environment.iter().copied());
        command
    }

    /// Runs with output straight to the terminal.
    pub(crate) fn run(&self, top: &Path) -> Result<(), String> {
        let status = self.command(top).status().map_err(|error| self.not_started(&error))?;
        self.judge(status)
    }

    /// Runs, passing output on line by line while adding up its `test result:` lines.
    pub(crate) fn run_counting(&self, top: &Path, tally: &mut Tally) -> Result<(), String> {
        self.run_reading(top, |line| tally.read_line(line))
    }

    /// Runs, passing output on line by line, also to the reader.
    pub(crate) fn run_reading(&self, top: &Path, reader: impl FnMut(&str)) -> Result<(), String> {
        // Cargo's lines are read without marks of colours.
        run_reading(self.command(top).env("CARGO_TERM_COLOR", "never"), reader)
    }

    /// Runs silently and returns standard output.
    pub(crate) fn capture(&self, top: &Path) -> Result<Vec<u8>, String> {
        let output =
            self.command(top).stderr(Stdio::inherit()).output().map_err(|error| self.not_started(&error))?;
        self.judge(output.status)?;
        Ok(output.stdout)
    }

    fn not_started(&self, error: &io::Error) -> String {
        format!("`{}` could not be started: {error}", self.line())
    }

    fn judge(&self, status: ExitStatus) -> Result<(), String> {
        if status.success() { Ok(()) } else { Err(format!("`{}` ended with {status}", self.line())) }
    }
}

/// Cargo, called from the repository's top.
pub(crate) fn cargo(top: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(top);
    without_own_variables(&mut command);
    command
}

/// Removes what cargo says of this crate: build scripts that watch it would run anew, and all that depends on them.
pub(crate) fn without_own_variables(command: &mut Command) {
    for (name, _) in env::vars_os().filter(|(name, _)| is_of_this_crate(name)) {
        command.env_remove(name);
    }
}

/// Whether cargo set a variable for this crate alone.
fn is_of_this_crate(name: &OsStr) -> bool {
    let prefixes = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_", "CARGO_PRIMARY_"];
    name.to_str().is_some_and(|name| prefixes.iter().any(|prefix| name.starts_with(prefix)))
}

/// Runs a program, passing output on line by line while adding up its lines of results.
pub(crate) fn run_counting(command: &mut Command, tally: &mut Tally) -> Result<(), String> {
    run_reading(command, |line| tally.read_line(line))
}

/// Runs a program, passing output on line by line, also to the reader.
///
/// Cargo names executables on standard error and these print to standard output. One pipe takes both, so that they keep their order.
fn run_reading(command: &mut Command, mut reader: impl FnMut(&str)) -> Result<(), String> {
    let (output, input) = io::pipe().map_err(|error| error.to_string())?;
    let errors = input.try_clone().map_err(|error| error.to_string())?;
    let mut child = command.stdout(input).stderr(errors).spawn().map_err(|error| error.to_string())?;
    // The pipe ends when nobody else can write to it.
    command.stdout(Stdio::inherit()).stderr(Stdio::inherit());
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = output.read_until(b'\n', &mut line).map_err(|error| error.to_string())?;
        if length == 0 {
            break;
        }
        // A closed terminal must not stop the count.
        let _ = stdout().write_all(&line);
        reader(&String::from_utf8_lossy(&line));
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    judge(command, status)
}

/// The line that a user would type.
pub(crate) fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// An error of a program that failed.
pub(crate) fn judge(command: &Command, status: ExitStatus) -> Result<(), String> {
    if status.success() { Ok(()) } else { Err(format!("`{}` ended with {status}", line(command))) }
}

/// Runs a program with output straight to the terminal, from the repository's top unless another folder is set.
pub(crate) fn run_one(command: &mut Command, top: &Path) -> Result<(), String> {
    if command.get_current_dir().is_none() {
        command.current_dir(top);
    }
    let status = command.status().map_err(|error| format!("`{}`: {error}", line(command)))?;
    judge(command, status)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::{Cargo, is_of_this_crate};

    #[test]
    fn builds_see_nothing_of_this_crate_but_all_settings() {
        for (name, own) in [
            ("CARGO_PKG_NAME", true),
            ("CARGO_MANIFEST_DIR", true),
            ("CARGO_INCREMENTAL", false),
            ("CARGO_TARGET_DIR", false),
            ("CARGO_HOME", false),
            ("PATH", false),
        ] {
            assert_eq!(is_of_this_crate(OsStr::new(name)), own, "{name}");
        }
    }

    #[test]
    fn the_shown_line_can_be_typed() {
        let call = Cargo::new(&["doc", "--no-deps"]).with("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(call.line(), "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps");
    }
}
