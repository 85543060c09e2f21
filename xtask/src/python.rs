//! The Python package: its wheel, and its tests in a virtual environment of their own.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    command::{self, Cargo},
    tally::Tally,
    tools::Failure,
};

/// The oldest Python that the package runs on.
const OLDEST: (u32, u32) = (3, 10);

/// The variable that names the program to the tests.
const PROGRAM: &str = "ASANOHA_PROGRAM";

/// What the package is built and tested with.
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

/// The program, built with what `cargo test` built before, and whose server the tests of the package ask.
fn program(top: &Path) -> Result<PathBuf, String> {
    let build = Cargo::new(&[
        "build",
        "--workspace",
        "--features",
        "asanoha-cli/arrow,asanoha-cli/http",
        "--bin",
        "asanoha",
        "--message-format=json-render-diagnostics",
    ]);
    let messages = String::from_utf8_lossy(&build.capture(top)?).into_owned();
    let executable = messages.lines().rev().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        (message["target"]["name"] == "asanoha").then(|| message["executable"].as_str().map(PathBuf::from))?
    });
    executable.ok_or_else(|| format!("`{}` built no program", build.line()))
}

/// Builds the wheel and runs the package's tests and the examples in its docstrings.
pub(crate) fn run(top: &Path, slow: bool, tally: &mut Tally) -> Result<(), Failure> {
    let python = interpreter()?;
    let environment = top.join("target/python");
    let in_environment = |program: &str| environment.join("bin").join(program);
    let requirements = std::fs::read_to_string(top.join(REQUIREMENTS)).map_err(|error| error.to_string())?;
    let installed = environment.join("requirements.txt");
    // What was installed before stays as long as the same is required.
    if std::fs::read_to_string(&installed).ok().as_ref() != Some(&requirements) {
        let mut make = Command::new(python);
        command::run_one(make.args(["-m", "venv", "--clear"]).arg(&environment), top)?;
        let mut install = Command::new(in_environment("python"));
        let arguments =
            ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS];
        command::run_one(install.args(arguments), top)?;
        std::fs::write(&installed, &requirements).map_err(|error| error.to_string())?;
    }
    let mut build = Command::new(in_environment("maturin"));
    build.args(["develop", "--quiet", "--manifest-path", "python/Cargo.toml"]);
    command::run_one(build.env("VIRTUAL_ENV", &environment), top)?;
    for check in [&["ruff", "format", "--check", "."][..], &["ruff", "check", "."], &["mypy"]] {
        let mut command = Command::new(in_environment("python"));
        command::run_one(command.arg("-m").args(check).current_dir(top.join("python")), top)?;
    }
    let mut tests = Command::new(in_environment("python"));
    tests.args(["-m", "pytest", "-q", "--durations=20", "--doctest-modules", "asanoha", "tests"]);
    tests.env(PROGRAM, program(top)?);
    if slow {
        tests.arg("--slow");
    }
    command::run_counting(tests.current_dir(top.join("python")), tally)?;
    Ok(())
}

/// As [`run`], by itself; returns the count of the tests.
pub(crate) fn alone(top: &Path, slow: bool) -> Result<String, Failure> {
    let mut tally = Tally::default();
    run(top, slow, &mut tally)?;
    Ok(tally.to_string())
}
