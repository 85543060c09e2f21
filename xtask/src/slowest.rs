//! `cargo xtask slowest`: how long each test of some packages takes.
//!
//! The stable runner tells no times. One test at a time, each takes from the line of the one before to its own. What tests share,
//! such as keys, counts as the time of the first that needs it.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use crate::{
    command::Cargo,
    times::{self, Times},
};

/// Runs the tests of the packages one after another and lists the slowest.
pub(crate) fn run(top: &Path, packages: &[&str]) -> Result<String, String> {
    let mut arguments = vec!["test", "--no-fail-fast"];
    arguments.extend(packages.iter().flat_map(|package| ["-p", package]));
    arguments.extend(["--", "--test-threads", "1"]);
    let mut watch = Watch::default();
    let start = Instant::now();
    let outcome = Cargo::new(&arguments).run_reading(top, |line| watch.read_line(line, start.elapsed()));
    println!("\n{}", watch.times.slowest());
    outcome.map(|()| "slowest: no test failed".to_owned())
}

/// Reads the lines of a runner and when they came.
#[derive(Debug, Default)]
struct Watch {
    executable: String,
    /// The test that runs, once its name is printed.
    test: Option<String>,
    /// When the last test ended, or the first began.
    last: Duration,
    times: Times,
}

impl Watch {
    fn read_line(&mut self, line: &str, now: Duration) {
        if let Some(executable) = times::announced(line) {
            self.executable = executable;
        } else if line.starts_with("running ") {
            self.last = now;
        }
        let mut verdict = line.trim();
        if let Some((name, rest)) = verdict.strip_prefix("test ").and_then(|line| line.split_once(" ... ")) {
            self.test = Some(name.to_owned());
            verdict = rest;
        }
        // What a test prints may stand between its name and its verdict.
        if (verdict == "ok" || verdict == "FAILED")
            && let Some(test) = self.test.take()
        {
            self.times.add(&format!("{test} in {}", self.executable), now.saturating_sub(self.last));
            self.last = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Watch;

    #[test]
    fn a_test_takes_from_the_line_before_to_its_own() {
        let mut watch = Watch::default();
        for (second, line) in [
            (0, "   Compiling asanoha-ring v0.2.0"),
            (40, "     Running tests/main.rs (target/debug/deps/ring-7a5d)"),
            (41, "running 3 tests"),
            (44, "test forms::claims ... ok"),
            (44, "test forms::takes_minutes ... ignored, slow"),
            (45, "test oracle::prints ... a line of its own"),
            (51, "ok"),
            (52, "ok"),
            (60, "test result: ok. 2 passed; 0 failed; 1 ignored; finished in 10.00s"),
        ] {
            watch.read_line(line, Duration::from_secs(second));
        }
        assert_eq!(
            watch.times.slowest(),
            "      7.0 s  oracle::prints in ring (tests/main.rs)\n      \
             3.0 s  forms::claims in ring (tests/main.rs)\n"
        );
    }
}
