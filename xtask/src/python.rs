//! The Python package: its tests, in a virtual environment of their own.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::{
    command::{self, BUILD, Cargo, FEATURES},
    tally::Tally,
    tools::Failure,
};

/// The oldest Python that the package runs on.
const OLDEST: (u32, u32) = (3, 10);

/// The variable that names the program to the tests.
pub(crate) const PROGRAM: &str = "ASANOHA_PROGRAM";

/// The attacks, in the package's folder.
const ATTACKS: &str = "tests/test_distributed_attacks.py";

/// Builds the program and the package for release.
const RELEASE: [&str; 8] =
    ["build", "--release", "-p", "asanoha-cli", "-p", "asanoha-python", "--features", FEATURES];

/// What the package is tested with.
const REQUIREMENTS: &str = "python/requirements-test.txt";

/// The Python that is there, if it's new enough to build and test the package with.
fn interpreter() -> Result<PathBuf, Failure> {
    let version = "import sys; print(*sys.version_info[:2])";
    let output = Command::new("python3").args(["-c", version]).stderr(Stdio::null()).output();
    let output = output.ok().filter(|output| output.status.success());
    let output = output.ok_or_else(|| Failure::NotInstalled("python3 is not installed".to_owned()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut numbers = text.split_whitespace().map(|word| word.parse::<u32>().unwrap_or(0));
    let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if found < OLDEST {
        let ((major, minor), (least, most)) = (found, OLDEST);
        let why = format!("python3 is of version {major}.{minor}, and {least}.{most} is needed");
        return Err(Failure::NotInstalled(why));
    }
    Ok("python3".into())
}

/// What the tests of the package need of the workspace: the program, whose server they ask, and the native part.
#[derive(Debug, Default, PartialEq, Eq)]
struct Built {
    program: Option<PathBuf>,
    native: Option<PathBuf>,
}

impl Built {
    /// What cargo's messages name.
    fn of(messages: &str) -> Self {
        let mut built = Self::default();
        for line in messages.lines() {
            let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
            // The same names with `"test": true` are their unit tests.
            if message["profile"]["test"] != false {
                continue;
            }
            match message["target"]["name"].as_str() {
                Some("asanoha") if message["executable"].is_string() => {
                    built.program = message["executable"].as_str().map(PathBuf::from);
                }
                Some("_asanoha") => built.native = message["filenames"][0].as_str().map(PathBuf::from),
                _ => {}
            }
        }
        built
    }

    /// Builds both with a selection of cargo.
    fn build(top: &Path, selection: &[&str]) -> Result<(PathBuf, PathBuf), String> {
        let build = Cargo::new(&[selection, &["--message-format=json-render-diagnostics"]].concat());
        match Self::of(&String::from_utf8_lossy(&build.capture(top)?)) {
            Self { program: Some(program), native: Some(native) } => Ok((program, native)),
            found => Err(format!("`{}` built only {found:?}", build.line())),
        }
    }
}

/// Builds the program as the tests of the workspace have it.
pub(crate) fn program(top: &Path) -> Result<PathBuf, String> {
    // With the features that the tests of the workspace have, nothing else is built anew.
    Built::build(top, &BUILD).map(|(program, _)| program)
}

/// Has the environment import the package from the sources, with this native part.
fn install(top: &Path, python: &Path, native: &Path) -> Result<(), String> {
    let sources = top.join("python");
    let words = |error: std::io::Error| error.to_string();
    let ending = if cfg!(windows) { "pyd" } else { "abi3.so" };
    // A new file: a Python that runs may have the old one in its memory.
    let (place, new) =
        (sources.join("asanoha/_asanoha").with_extension(ending), sources.join("asanoha/new.so"));
    std::fs::copy(native, &new).map_err(words)?;
    std::fs::rename(new, place).map_err(words)?;
    let folder = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let output = Command::new(python).args(["-c", folder]).output().map_err(words)?;
    let packages = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim_end());
    std::fs::write(packages.join("asanoha.pth"), format!("{}\n", sources.display())).map_err(words)
}

/// The Python of the virtual environment, which is made anew if other packages are required.
fn environment(top: &Path) -> Result<PathBuf, Failure> {
    let interpreter = interpreter()?;
    let environment = top.join("target/python");
    let python = environment.join("bin/python");
    let requirements = std::fs::read_to_string(top.join(REQUIREMENTS)).map_err(|error| error.to_string())?;
    let installed = environment.join("requirements.txt");
    // What was installed before stays as long as the same is required.
    if std::fs::read_to_string(&installed).ok().as_ref() != Some(&requirements) {
        let mut make = Command::new(interpreter);
        command::run_one(make.args(["-m", "venv", "--clear"]).arg(&environment), top)?;
        let mut install = Command::new(&python);
        // What is imported is compiled then: a small part of all modules.
        install.args(["-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"]);
        command::run_one(install.args(["-r", REQUIREMENTS]), top)?;
        std::fs::write(&installed, &requirements).map_err(|error| error.to_string())?;
    }
    Ok(python)
}

/// Runs the package's tests and the examples in its docstrings.
pub(crate) fn run(top: &Path, slow: bool, tally: &mut Tally) -> Result<(), Failure> {
    let python = environment(top)?;
    let (program, native) = Built::build(top, &BUILD)?;
    install(top, &python, &native)?;
    for check in [&["ruff", "format", "--check", "."][..], &["ruff", "check", "."], &["mypy"]] {
        let mut command = Command::new(&python);
        command::run_one(command.arg("-m").args(check).current_dir(top.join("python")), top)?;
    }
    let mut tests = Command::new(&python);
    // A process for each core, as most of a test's time is its plans', which take one; what tests of a file share is made once.
    tests.args(["-m", "pytest", "-q", "-n", "auto", "--maxprocesses", "4", "--dist", "loadfile"]);
    tests.args(["--durations=20", "--doctest-modules", "asanoha", "tests"]);
    tests.env(PROGRAM, program);
    if slow {
        tests.arg("--slow");
    }
    command::run_counting(tests.current_dir(top.join("python")), tally)?;
    Ok(())
}

/// Runs the attacks on the package's release build.
pub(crate) fn attacks(top: &Path, tally: &mut Tally) -> Result<(), Failure> {
    let python = environment(top)?;
    let (_, native) = Built::build(top, &RELEASE)?;
    install(top, &python, &native)?;
    let mut tests = Command::new(&python);
    tests.args(["-m", "pytest", "-v", "--slow", ATTACKS]);
    command::run_counting(tests.current_dir(top.join("python")), tally)?;
    Ok(())
}

/// As [`run`], by itself; returns the count of the tests.
pub(crate) fn alone(top: &Path, slow: bool) -> Result<String, Failure> {
    let mut tally = Tally::default();
    run(top, slow, &mut tally)?;
    Ok(tally.to_string())
}

#[cfg(test)]
mod tests {
    use super::Built;

    #[test]
    fn the_program_and_the_native_part_are_told_from_tests_and_other_libraries() {
        let message = |name: &str, test: bool, executable: &str, file: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","target":{{"name":"{name}"}},"profile":{{"test":{test}}},"filenames":["{file}"],"executable":{executable}}}"#
            )
        };
        let lines = [
            message("asanoha", false, "null", "/t/libasanoha.rlib"),
            message("asanoha", false, r#""/t/asanoha""#, "/t/asanoha"),
            message("asanoha", true, r#""/t/deps/asanoha-1""#, "/t/deps/asanoha-1"),
            message("_asanoha", false, "null", "/t/lib_asanoha.so"),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
            "no message".to_owned(),
        ];
        let built = Built { program: Some("/t/asanoha".into()), native: Some("/t/lib_asanoha.so".into()) };
        assert_eq!(Built::of(&lines.join("\n")), built);
        assert_eq!(Built::of(&lines[0]), Built::default());
    }
}
