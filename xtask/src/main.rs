//! All steps of CI, and the workspace's own checks.
//!
//! `cargo xtask test` runs all of CI; `cargo xtask layers`, `python` and `deny` run three of its steps alone;
//! `cargo xtask attack` runs what a server could do against the release build; `cargo xtask count` is the performance gate;
//! `cargo xtask leak` compares the times of operations on secrets.

mod attack;
mod book;
mod circles;
mod command;
mod count;
mod coverage;
mod deny;
mod dist;
mod kernels;
mod layers;
mod leak;
mod miri;
mod python;
mod semver;
mod slowest;
mod sources;
mod tally;
mod targets;
mod test;
mod times;
mod tools;
mod wasm;
mod words;

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use crate::tools::Failure;

const USAGE: &str = "\
usage: cargo xtask <task>

  layers               imports go down only, without circles inside a crate; unsafe stays in the kernels; nothing left
                       unwritten; plain words
  test [--slow]        everything CI runs; --slow adds the tests marked #[ignore = \"slow\"]
  test --targets       the tests of kernels and ring and a run of the program on 64-bit Arm, in an emulator,
                       and the tests of the kernels for WebAssembly, in Node
  test --tools         semver, miri and coverage, each if its tool is installed
  kernels [--slow]     the tests of the arithmetic crates on each back-end
  python [--slow]      the Python package's tests (needs Python 3.10)
  wasm                 the npm package's WebAssembly module, in javascript/native; the compiler for it is rustup's or, where apt-get
                       and dpkg are, fetched from Debian
  attack               altered results, hostile files and clients that block a server, against the release build
  count [--accept]     instructions of the operations that matter, by callgrind, against those in records;
                       --accept writes them there (needs valgrind)
  leak [--quick]       times of operations on secrets, for inputs of two classes; fails if they differ;
                       --quick measures a tenth as often
  dist                 an archive of the release build, with man page, completions and licences
  book                 the book, in target/book (needs mdbook)
  deny [--advisories]  licences, bans and sources of outside crates (needs cargo-deny);
                       --advisories asks the advisory database instead (needs the internet)
  coverage [PACKAGE…]  how many lines of each crate the tests run, of the workspace or of some packages (needs cargo-llvm-cov)
  semver [COMMIT]      what changed in the API since the last release or a commit, and isn't allowed by the version
                       (needs cargo-semver-checks)
  miri                 unit tests of the crates without intrinsics, in Miri (needs the nightly toolchain)
  slowest PACKAGE…     the tests of some packages one after another, and which take longest
  help                 this text
";

/// The task that the command line asks for.
#[derive(Debug, PartialEq, Eq)]
enum Task<'a> {
    Layers,
    Attack,
    Count { accept: bool },
    Leak { quick: bool },
    Dist,
    Book,
    Test { slow: bool },
    Targets,
    Kernels { slow: bool },
    Python { slow: bool },
    Wasm,
    Deny { advisories: bool },
    Tools,
    Coverage { packages: &'a [&'a str] },
    Semver { commit: Option<&'a str> },
    Miri,
    Slowest { packages: &'a [&'a str] },
    Help,
}

/// The task; `None` if the arguments name none or hold anything unknown.
fn parse<'a>(arguments: &'a [&'a str]) -> Option<Task<'a>> {
    let is_option = |argument: &&str| argument.starts_with('-');
    match arguments {
        ["layers"] => Some(Task::Layers),
        ["attack"] => Some(Task::Attack),
        ["count"] => Some(Task::Count { accept: false }),
        ["count", "--accept"] => Some(Task::Count { accept: true }),
        ["leak"] => Some(Task::Leak { quick: false }),
        ["leak", "--quick"] => Some(Task::Leak { quick: true }),
        ["dist"] => Some(Task::Dist),
        ["book"] => Some(Task::Book),
        ["test", "--targets"] => Some(Task::Targets),
        ["test"] => Some(Task::Test { slow: false }),
        ["test", "--slow"] => Some(Task::Test { slow: true }),
        ["kernels"] => Some(Task::Kernels { slow: false }),
        ["kernels", "--slow"] => Some(Task::Kernels { slow: true }),
        ["python"] => Some(Task::Python { slow: false }),
        ["python", "--slow"] => Some(Task::Python { slow: true }),
        ["wasm"] => Some(Task::Wasm),
        ["deny"] => Some(Task::Deny { advisories: false }),
        ["deny", "--advisories"] => Some(Task::Deny { advisories: true }),
        ["test", "--tools"] => Some(Task::Tools),
        ["coverage", packages @ ..] if !packages.iter().any(is_option) => Some(Task::Coverage { packages }),
        ["semver"] => Some(Task::Semver { commit: None }),
        ["semver", commit] if !is_option(commit) => Some(Task::Semver { commit: Some(commit) }),
        ["miri"] => Some(Task::Miri),
        ["slowest", packages @ ..] if !packages.is_empty() && !packages.iter().any(is_option) => {
            Some(Task::Slowest { packages })
        }
        ["help" | "--help" | "-h"] => Some(Task::Help),
        _ => None,
    }
}

/// The repository's top. Cargo names this crate's folder at run time, so a moved checkout still works.
fn top() -> PathBuf {
    let folder =
        env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    folder.parent().map_or_else(|| folder.clone(), Path::to_path_buf)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let Some(task) = parse(&arguments) else {
        eprint!("{USAGE}");
        return ExitCode::from(2);
    };
    let top = top();
    let succeeded = match task {
        Task::Layers => report(layers::run(&top)),
        Task::Attack => report(attack::run(&top)),
        Task::Count { accept } => report(count::run(&top, accept)),
        Task::Leak { quick } => report(leak::run(&top, quick)),
        Task::Dist => report(dist::run(&top)),
        Task::Book => report(book::build(&top)),
        Task::Targets => test::run_targets(&top),
        Task::Test { slow } => test::run(&top, slow),
        Task::Kernels { slow } => test::run_forced(&top, slow),
        Task::Python { slow } => report(python::alone(&top, slow)),
        Task::Wasm => report(wasm::build(&top)),
        Task::Deny { advisories: false } => report(deny::offline(&top)),
        Task::Deny { advisories: true } => report(deny::advisories(&top)),
        Task::Tools => test::run_tools(&top),
        Task::Coverage { packages: [] } => report(coverage::workspace(&top)),
        Task::Coverage { packages } => report(coverage::packages(&top, packages)),
        Task::Semver { commit: None } => report(semver::since_release(&top)),
        Task::Semver { commit: Some(commit) } => report(semver::since(&top, commit)),
        Task::Miri => report(miri::run(&top)),
        Task::Slowest { packages } => report(slowest::run(&top, packages)),
        Task::Help => {
            print!("{USAGE}");
            true
        }
    };
    if succeeded { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the result of a task and returns whether it succeeded. A missing tool is a failure, as the task was called by name.
fn report(result: Result<String, impl Into<Failure>>) -> bool {
    match result.map_err(Into::into) {
        Ok(said) => {
            println!("{said}");
            true
        }
        Err(failure) => {
            eprintln!("{}", failure.into_reason());
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Task, parse};

    #[test]
    fn each_task_is_understood() {
        assert_eq!(parse(&["layers"]), Some(Task::Layers));
        assert_eq!(parse(&["attack"]), Some(Task::Attack));
        assert_eq!(parse(&["count"]), Some(Task::Count { accept: false }));
        assert_eq!(parse(&["count", "--accept"]), Some(Task::Count { accept: true }));
        assert_eq!(parse(&["leak"]), Some(Task::Leak { quick: false }));
        assert_eq!(parse(&["leak", "--quick"]), Some(Task::Leak { quick: true }));
        assert_eq!(parse(&["dist"]), Some(Task::Dist));
        assert_eq!(parse(&["book"]), Some(Task::Book));
        assert_eq!(parse(&["test", "--targets"]), Some(Task::Targets));
        assert_eq!(parse(&["test"]), Some(Task::Test { slow: false }));
        assert_eq!(parse(&["test", "--slow"]), Some(Task::Test { slow: true }));
        assert_eq!(parse(&["kernels"]), Some(Task::Kernels { slow: false }));
        assert_eq!(parse(&["kernels", "--slow"]), Some(Task::Kernels { slow: true }));
        assert_eq!(parse(&["python", "--slow"]), Some(Task::Python { slow: true }));
        assert_eq!(parse(&["wasm"]), Some(Task::Wasm));
        assert_eq!(parse(&["deny"]), Some(Task::Deny { advisories: false }));
        assert_eq!(parse(&["deny", "--advisories"]), Some(Task::Deny { advisories: true }));
        assert_eq!(parse(&["test", "--tools"]), Some(Task::Tools));
        assert_eq!(parse(&["coverage"]), Some(Task::Coverage { packages: &[] }));
        assert_eq!(parse(&["coverage", "xtask"]), Some(Task::Coverage { packages: &["xtask"] }));
        assert_eq!(parse(&["semver"]), Some(Task::Semver { commit: None }));
        assert_eq!(parse(&["semver", "v0.2.0"]), Some(Task::Semver { commit: Some("v0.2.0") }));
        assert_eq!(parse(&["miri"]), Some(Task::Miri));
        assert_eq!(parse(&["slowest", "xtask"]), Some(Task::Slowest { packages: &["xtask"] }));
        assert_eq!(parse(&["--help"]), Some(Task::Help));
    }

    #[test]
    fn unknown_arguments_are_refused() {
        for arguments in [
            &[][..],
            &["tset"],
            &["test", "--fast"],
            &["layers", "extra"],
            &["--slow"],
            &["semver", "--all"],
            &["slowest"],
        ] {
            assert_eq!(parse(arguments), None, "{arguments:?}");
        }
    }
}
