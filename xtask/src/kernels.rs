//! The tests of the arithmetic crates once more on each back-end, by the executables that the tests of the workspace built.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::{
    command::{self, Cargo},
    tally::Tally,
    tools::Failure,
};

/// Back-ends on which these tests are run, besides the one that the machine would choose.
pub(crate) const FORCED: [&str; 3] = ["scalar", "avx2", "avx512"];

/// The crates whose tests are run on each of them, without the examples in doc comments, and which of their tests: of schemes those whose
/// ciphertexts are known answers, which call every operation.
///
/// The tests of `kernels` themselves compare all back-ends in one run, as does one for the tables and gates of `tfhe`. The crates above
/// call operations of these, which give the same bits on every back-end.
const ARITHMETIC: [(&str, Option<&str>); 6] = [
    ("ring", None),
    ("lattice", None),
    ("scheme", None),
    ("bgv", Some(KNOWN_ANSWERS)),
    ("bfv", Some(KNOWN_ANSWERS)),
    ("ckks", Some(KNOWN_ANSWERS)),
];

/// What the names of tests against known answers begin with.
const KNOWN_ANSWERS: &str = "known_answers::";

/// Runs the tests on one back-end, those marked as slow too if asked. It's unavailable if the processor lacks it or the tests of
/// the workspace ran on it.
///
/// Executables are built with the same packages and features as in the step before, so that nothing is built anew.
pub(crate) fn run(
    top: &Path,
    kernels: &str,
    (features, slow): (&'static str, bool),
    tally: &mut Tally,
) -> Result<(), Failure> {
    if !has(kernels) {
        return Err(Failure::Unavailable(format!("this processor lacks {kernels}")));
    }
    if is_widest(kernels) {
        return Err(Failure::Unavailable(format!("{kernels} is what this processor ran all tests on")));
    }
    let arguments = ["test", "--workspace", "--features", features, "--no-run", "--message-format", "json"];
    let messages = Cargo::new(&arguments).capture(top)?;
    let tests = executables(&String::from_utf8_lossy(&messages));
    if tests.is_empty() {
        return Err(Failure::Failed("the build names no tests of the arithmetic crates".to_owned()));
    }
    let mut failures = Vec::new();
    let mut ran = BTreeMap::new();
    for Test { folder, executable, filter } in tests {
        let announcement = format!("     Running with ASANOHA_KERNELS={kernels} ({})", executable.display());
        println!("\n{announcement}");
        tally.read_line(&announcement);
        let mut command = Command::new(&executable);
        command.args(filter).args(slow.then_some("--include-ignored")).env("ASANOHA_KERNELS", kernels);
        command.env("CARGO_MANIFEST_DIR", &folder).current_dir(&folder);
        let before = tally.passed + tally.failed;
        failures.extend(command::run_counting(&mut command, tally).err());
        *ran.entry(folder).or_default() += tally.passed + tally.failed - before;
    }
    let none = |(folder, count): (PathBuf, u64)| (count == 0).then_some(folder);
    failures
        .extend(ran.into_iter().filter_map(none).map(|folder| format!("{}: no test ran", folder.display())));
    if failures.is_empty() { Ok(()) } else { Err(Failure::Failed(failures.join("; "))) }
}

/// A test executable, and the folder of its package.
#[derive(Debug, PartialEq, Eq)]
struct Test {
    folder: PathBuf,
    executable: PathBuf,
    /// What the names of its tests that are run begin with.
    filter: Option<&'static str>,
}

/// The tests of the arithmetic crates that cargo's messages name, in their order.
fn executables(messages: &str) -> Vec<Test> {
    let test = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        let is_test = message["profile"]["test"] == true
            && message["target"]["kind"].as_array()?.iter().all(|kind| kind == "lib" || kind == "test");
        let manifest = Path::new(message["manifest_path"].as_str()?);
        let folder = manifest.parent()?;
        let (_, filter) =
            ARITHMETIC.into_iter().find(|(name, _)| folder.ends_with(Path::new("crates").join(name)))?;
        let executable = PathBuf::from(message["executable"].as_str()?);
        is_test.then(|| Test { folder: folder.to_owned(), executable, filter })
    };
    messages.lines().filter_map(test).collect()
}

/// Whether this processor can run a back-end. The kernels refuse a forced back-end that it can't run.
#[cfg(target_arch = "x86_64")]
fn has(kernels: &str) -> bool {
    match kernels {
        "scalar" => true,
        "avx2" => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
        _ => {
            is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
        }
    }
}

/// Whether a back-end that this processor has is the one that it takes when none is forced.
fn is_widest(kernels: &str) -> bool {
    match kernels {
        "scalar" => !has("avx2"),
        "avx2" => !has("avx512"),
        _ => !has_ifma(),
    }
}

#[cfg(target_arch = "x86_64")]
fn has_ifma() -> bool {
    is_x86_feature_detected!("avx512ifma")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_ifma() -> bool {
    false
}

/// Processors of other architectures run portable code only.
#[cfg(not(target_arch = "x86_64"))]
fn has(kernels: &str) -> bool {
    kernels == "scalar"
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Test, executables, has};

    #[test]
    fn every_processor_has_scalar_kernels_and_the_narrower_of_two_others() {
        assert!(has("scalar"));
        assert!(has("avx2") || !has("avx512"));
    }

    #[test]
    fn at_most_one_of_a_processors_back_ends_is_its_widest() {
        let widest: Vec<&str> =
            super::FORCED.into_iter().filter(|name| has(name) && super::is_widest(name)).collect();
        assert_eq!(widest.is_empty(), super::has_ifma(), "{widest:?}");
        assert!(widest.len() <= 1, "{widest:?}");
    }

    #[test]
    fn tests_of_the_arithmetic_crates_are_found_among_messages() {
        let message = |package: &str, kind: &str, test: bool, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/w/crates/{package}/Cargo.toml","target":{{"kind":["{kind}"]}},"profile":{{"test":{test}}},"executable":{executable}}}"#
            )
        };
        let messages = [
            "not json".to_owned(),
            message("kernels", "lib", true, r#""/w/target/kernels-1""#),
            message("lattice", "lib", true, r#""/w/target/lattice-1""#),
            message("lattice", "lib", false, "null"),
            message("ckks", "test", true, r#""/w/target/main-2""#),
            message("ring", "test", true, r#""/w/target/forms-2""#),
            message("ring", "bench", true, r#""/w/target/bench-3""#),
            message("ring", "example", true, r#""/w/target/example-3""#),
            message("planner", "test", true, r#""/w/target/plans-4""#),
        ];
        let test = |package: &str, name: &str, filter| Test {
            folder: PathBuf::from(format!("/w/crates/{package}")),
            executable: PathBuf::from(format!("/w/target/{name}")),
            filter,
        };
        let expected = [
            test("lattice", "lattice-1", None),
            test("ckks", "main-2", Some("known_answers::")),
            test("ring", "forms-2", None),
        ];
        assert_eq!(executables(&messages.join("\n")), expected);
    }
}
