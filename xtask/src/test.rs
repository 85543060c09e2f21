//! `cargo xtask test`: everything CI runs, stopping at the first step that fails.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use crate::{
    book,
    command::{BUILD, Cargo, FEATURES},
    coverage, deny, kernels, layers, miri, python, semver,
    tally::Tally,
    targets,
    tools::Failure,
    wasm,
};

/// The action of a step.
enum Action {
    /// A cargo call that succeeds or fails.
    Call(Cargo),
    /// A cargo call whose tests are counted.
    Tests(Cargo),
    /// The tests of the arithmetic crates on a given back-end, if the processor has it.
    Forced { kernels: &'static str, slow: bool },
    /// A cargo call for another target.
    Target(targets::Call),
    /// The checks of `cargo xtask layers`.
    Layers,
    /// The Python package's tests, if there is a Python.
    Python { slow: bool },
    /// The npm package's tests, if there is a Node and a compiler for WebAssembly.
    Wasm,
    /// The tests of the kernels under Node.
    WasmKernels,
    /// The tests of the page for browsers, if there is a Chromium.
    Page { slow: bool },
    /// A task with a tool beside cargo: what it does, and the task.
    Tool { what: &'static str, run: Task },
}

/// A task that returns what it says.
type Task = fn(&Path) -> Result<String, Failure>;

/// A step, with the name under which it is reported.
struct Step {
    name: String,
    action: Action,
}

/// A row of the closing table.
struct Row {
    name: String,
    took: Duration,
    remark: String,
}

fn steps(slow: bool) -> Vec<Step> {
    let tests = |arguments: &[&'static str]| {
        // All failing tests of a step are reported, not only those of the first crate.
        let mut arguments = [&["test", "--no-fail-fast"], arguments].concat();
        if slow {
            arguments.extend(["--", "--include-ignored"]);
        }
        Cargo::new(&arguments)
    };
    let step = |name: &str, action| Step { name: name.to_owned(), action };
    let call = |name: &str, arguments| step(name, Action::Call(Cargo::new(arguments)));

    let mut steps = vec![
        call("fmt", &["fmt", "--all", "--check"]),
        call(
            "clippy",
            &["clippy", "--workspace", "--all-targets", "--features", FEATURES, "--", "-D", "warnings"],
        ),
        step("layers", Action::Layers),
        call("build", &[&BUILD[..], &["--examples"]].concat()),
        step("test", Action::Tests(tests(&["--workspace", "--features", FEATURES]))),
    ];
    steps.extend(forced(slow));
    if slow {
        // The program as it is built without asking for HTTP, Parquet and Arrow. Its slow tests ran above.
        let without = Cargo::new(&["test", "--no-fail-fast", "-p", "asanoha-cli"]);
        steps.push(step("test, defaults", Action::Tests(without)));
    }
    steps.push(step("python", Action::Python { slow }));
    steps.push(step("wasm", Action::Wasm));
    steps.push(step("page", Action::Page { slow }));
    steps.push(target(targets::check()));
    steps.push(tool("deny", "licences, bans and sources of outside crates, by cargo-deny", deny::offline));
    steps.push(tool("book", "the book, in target/book, by mdbook", book::build));
    let doc = Cargo::new(&["doc", "--workspace", "--features", FEATURES, "--no-deps"])
        .with("RUSTDOCFLAGS", "-D warnings");
    steps.push(step("doc", Action::Call(doc)));
    steps
}

/// The tests of the arithmetic crates, on one back-end after another.
fn forced(slow: bool) -> [Step; 3] {
    kernels::FORCED
        .map(|kernels| Step { name: format!("test, {kernels}"), action: Action::Forced { kernels, slow } })
}

/// The step of a task with a tool.
fn tool(name: &str, what: &'static str, run: Task) -> Step {
    Step { name: name.to_owned(), action: Action::Tool { what, run } }
}

/// The step of a call for another target.
fn target(call: targets::Call) -> Step {
    Step { name: call.name.to_owned(), action: Action::Target(call) }
}

impl Step {
    fn run(&self, top: &Path, tally: &mut Tally) -> Result<(), Failure> {
        match &self.action {
            Action::Call(call) => {
                self.announce(&call.line());
                call.run(top)?;
            }
            Action::Tests(call) => {
                self.announce(&call.line());
                call.run_counting(top, tally)?;
            }
            Action::Forced { kernels, slow } => {
                self.announce(&format!("the tests of the arithmetic crates with ASANOHA_KERNELS={kernels}"));
                kernels::run(top, kernels, (FEATURES, *slow), tally)?;
            }
            Action::Target(call) => {
                self.announce(&call.cargo.line());
                targets::prepare(call, top)?;
                if call.tests {
                    call.cargo.run_counting(top, tally)?;
                } else {
                    call.cargo.run(top)?;
                }
            }
            Action::Layers => {
                self.announce("cargo xtask layers");
                println!("{}", layers::run(top)?);
            }
            Action::Python { slow } => {
                self.announce("pytest, in the virtual environment target/python");
                python::run(top, *slow, tally)?;
            }
            Action::Wasm => {
                self.announce("the npm package, in Node");
                wasm::run(top, tally)?;
            }
            Action::WasmKernels => {
                self.announce("the tests of the kernels for WebAssembly, in Node");
                wasm::run_kernels(top, tally)?;
            }
            Action::Page { slow } => {
                self.announce("the page for browsers, in Chromium");
                wasm::run_page(top, *slow, tally)?;
            }
            Action::Tool { what, run } => {
                self.announce(what);
                println!("{}", run(top)?);
            }
        }
        Ok(())
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
    run_steps(top, steps(slow))
}

/// Builds and tests for other processors.
pub(crate) fn run_targets(top: &Path) -> bool {
    let kernels = Step { name: "wasm32, tests".to_owned(), action: Action::WasmKernels };
    run_steps(top, targets::all().map(target).into_iter().chain([kernels]).collect())
}

/// Runs the checks whose tools few have.
pub(crate) fn run_tools(top: &Path) -> bool {
    let steps = [
        tool(
            "semver",
            "changes of the API since the last release, by cargo-semver-checks",
            semver::since_release,
        ),
        tool("miri", "unit tests of crates without intrinsics, in Miri", miri::run),
        tool("coverage", "the lines that the tests run, by cargo-llvm-cov", coverage::workspace),
    ];
    run_steps(top, steps.into())
}

/// Runs the tests of the arithmetic crates on each back-end alone.
pub(crate) fn run_forced(top: &Path, slow: bool) -> bool {
    run_steps(top, forced(slow).into())
}

fn run_steps(top: &Path, steps: Vec<Step>) -> bool {
    let mut tally = Tally::default();
    let mut rows = Vec::new();
    let mut failure = None;
    for step in steps {
        let start = Instant::now();
        let result = step.run(top, &mut tally);
        if let Some(slowest) = tally.take_slowest() {
            print!("\nslowest test executables:\n{slowest}");
        }
        let remark = match result.map_err(Failure::skips) {
            Ok(()) => String::new(),
            Err(Ok(why)) => {
                let why = format!("skipped: {why}");
                println!("{why}");
                tally.skipped_steps.push(step.name.clone());
                why
            }
            Err(Err(why)) => {
                tally.failed = tally.failed.max(1);
                failure = Some(format!("step {} failed: {why}", step.name));
                "FAILED".to_owned()
            }
        };
        rows.push(Row { name: step.name, took: start.elapsed(), remark });
        if failure.is_some() {
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
    let mut text: String = rows.iter().map(|row| line(&row.name, row.took, &row.remark)).collect();
    text.push_str(&line("total", total, ""));
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Action, Row, steps, table};

    #[test]
    fn slow_tests_run_only_when_asked_for() {
        for slow in [false, true] {
            let mut count = 0;
            for step in steps(slow) {
                match step.action {
                    Action::Tests(_) if step.name == "test, defaults" => {
                        assert!(slow);
                        continue;
                    }
                    Action::Tests(call) => assert_eq!(call.line().ends_with(" -- --include-ignored"), slow),
                    Action::Forced { slow: found, .. }
                    | Action::Python { slow: found }
                    | Action::Page { slow: found } => assert_eq!(found, slow),
                    _ => continue,
                }
                count += 1;
            }
            assert_eq!(count, 6);
        }
    }

    #[test]
    fn steps_run_in_the_order_that_fails_soonest() {
        let names = |slow| steps(slow).into_iter().map(|step| step.name).collect::<Vec<_>>();
        let before =
            ["fmt", "clippy", "layers", "build", "test", "test, scalar", "test, avx2", "test, avx512"];
        let after = ["python", "wasm", "page", "aarch64", "deny", "book", "doc"];
        assert_eq!(names(false), [&before[..], &after].concat());
        assert_eq!(names(true), [&before[..], &["test, defaults"], &after].concat());
    }

    #[test]
    fn the_table_ends_with_the_sum() {
        let row = |name: &str, tenths: u64, remark: &str| Row {
            name: name.to_owned(),
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
