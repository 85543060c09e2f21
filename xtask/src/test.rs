//! `cargo xtask test`: everything CI runs, stopping at the first step that fails.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use crate::{command::Cargo, deny, layers, tally::Tally};

/// Back-ends that the tests of the arithmetic crates are run on once more, whatever the machine would choose.
const FORCED_KERNELS: [(&str, &str); 1] = [("test, scalar", "scalar")];

/// The crates whose tests are run on each forced back-end.
const ARITHMETIC: [&str; 10] = [
    "-p",
    "asanoha-kernels",
    "-p",
    "asanoha-ring",
    "-p",
    "asanoha-lattice",
    "-p",
    "asanoha-bgv",
    "-p",
    "asanoha-ckks",
];

/// What a step does.
enum Action {
    /// A cargo call that succeeds or does not.
    Call(Cargo),
    /// A cargo call whose tests are counted.
    Tests(Cargo),
    /// The checks of `cargo xtask layers`.
    Layers,
    /// `cargo deny`, where it is installed.
    Deny,
}

/// A step under the name it is reported by.
struct Step {
    name: &'static str,
    action: Action,
}

/// How a step ended, unless it failed.
enum Outcome {
    Done,
    Skipped(&'static str),
}

/// A row of the closing table.
struct Row {
    name: &'static str,
    took: Duration,
    remark: String,
}

fn steps(slow: bool) -> Vec<Step> {
    let tests = |arguments: &[&'static str]| {
        // Every failing test of a step is worth knowing, not only those of the first crate.
        let mut arguments = [&["test", "--no-fail-fast"], arguments].concat();
        if slow {
            arguments.extend(["--", "--include-ignored"]);
        }
        Cargo::new(&arguments)
    };
    let call = |name, arguments| Step { name, action: Action::Call(Cargo::new(arguments)) };

    let mut steps = vec![
        call("fmt", &["fmt", "--all", "--check"]),
        call("clippy", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        Step { name: "layers", action: Action::Layers },
        Step { name: "test", action: Action::Tests(tests(&["--workspace"])) },
    ];
    steps.extend(FORCED_KERNELS.map(|(name, kernels)| Step {
        name,
        action: Action::Tests(tests(&ARITHMETIC).with("ASANOHA_KERNELS", kernels)),
    }));
    steps.push(Step { name: "deny", action: Action::Deny });
    steps.push(Step {
        name: "doc",
        action: Action::Call(
            Cargo::new(&["doc", "--workspace", "--no-deps"]).with("RUSTDOCFLAGS", "-D warnings"),
        ),
    });
    steps
}

impl Step {
    fn run(&self, top: &Path, tally: &mut Tally) -> Result<Outcome, String> {
        match &self.action {
            Action::Call(call) => {
                self.announce(&call.line());
                call.run(top)?;
            }
            Action::Tests(call) => {
                self.announce(&call.line());
                call.run_counting(top, tally)?;
            }
            Action::Layers => {
                self.announce("cargo xtask layers");
                println!("{}", layers::run(top)?);
            }
            Action::Deny => {
                let call = deny::offline_check();
                self.announce(&call.line());
                if !deny::installed(top) {
                    println!("skipped: cargo-deny is not installed");
                    return Ok(Outcome::Skipped("skipped: cargo-deny is not installed"));
                }
                call.run(top)?;
            }
        }
        Ok(Outcome::Done)
    }

    fn announce(&self, line: &str) {
        println!("\n== {}: {line}", self.name);
    }
}

/// Runs the steps, prints how long each took and, last, the tests' count; returns whether all went well.
///
/// A step that fails without naming a failed test counts as one failure, so that the last line of a failing
/// run never reads `0 failed`.
pub(crate) fn run(top: &Path, slow: bool) -> bool {
    let mut tally = Tally::default();
    let mut rows = Vec::new();
    let mut failure = None;
    for step in steps(slow) {
        let start = Instant::now();
        let outcome = step.run(top, &mut tally);
        let remark = match &outcome {
            Ok(Outcome::Done) => String::new(),
            Ok(Outcome::Skipped(why)) => (*why).to_owned(),
            Err(_) => "FAILED".to_owned(),
        };
        rows.push(Row { name: step.name, took: start.elapsed(), remark });
        if let Err(why) = outcome {
            tally.failed = tally.failed.max(1);
            failure = Some(format!("step {} failed: {why}", step.name));
            break;
        }
    }
    print!("\n{}", table(&rows));
    if let Some(failure) = &failure {
        println!("\n{failure}");
    }
    println!("\n{tally}");
    failure.is_none()
}

/// The steps with their seconds, and the sum.
fn table(rows: &[Row]) -> String {
    let total: Duration = rows.iter().map(|row| row.took).sum();
    let line = |name: &str, took: Duration, remark: &str| {
        let line = format!("{name:<14}{:>9.1} s  {remark}", took.as_secs_f64());
        format!("{}\n", line.trim_end())
    };
    let mut text: String = rows.iter().map(|row| line(row.name, row.took, &row.remark)).collect();
    text.push_str(&line("total", total, ""));
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Action, Row, steps, table};

    fn test_lines(slow: bool) -> Vec<String> {
        let lines = steps(slow).into_iter().filter_map(|step| match step.action {
            Action::Tests(call) => Some(call.line()),
            Action::Call(_) | Action::Layers | Action::Deny => None,
        });
        lines.collect()
    }

    #[test]
    fn slow_tests_run_only_when_asked_for() {
        assert!(test_lines(false).iter().all(|line| !line.contains("--include-ignored")));
        assert!(test_lines(true).iter().all(|line| line.ends_with(" -- --include-ignored")));
    }

    #[test]
    fn the_arithmetic_is_tested_once_more_on_scalar_kernels() {
        for slow in [false, true] {
            let lines = test_lines(slow);
            assert_eq!(lines.len(), 2);
            assert!(
                lines[1].starts_with("ASANOHA_KERNELS=scalar cargo test --no-fail-fast -p "),
                "{lines:?}"
            );
        }
    }

    #[test]
    fn steps_run_in_the_order_that_fails_soonest() {
        let names: Vec<&str> = steps(false).iter().map(|step| step.name).collect();
        assert_eq!(names, ["fmt", "clippy", "layers", "test", "test, scalar", "deny", "doc"]);
    }

    #[test]
    fn the_table_ends_with_the_sum() {
        let row = |name, tenths: u64, remark: &str| Row {
            name,
            took: Duration::from_millis(100 * tenths),
            remark: remark.to_owned(),
        };
        let text = table(&[row("fmt", 5, ""), row("deny", 10, "skipped: cargo-deny is not installed")]);
        assert_eq!(
            text,
            "fmt                 0.5 s\n\
             deny                1.0 s  skipped: cargo-deny is not installed\n\
             total               1.5 s\n"
        );
    }
}
