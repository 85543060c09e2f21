//! The performance gate: the instructions of the operations that matter, counted by callgrind, beside those that the
//! repository has.
//!
//! Counts don't depend on the load of the machine. They depend on the compiler and on the kernels, which callgrind
//! confines to AVX2.

use std::{
    collections::BTreeMap,
    fmt::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::{command::Cargo, tools::answers};

/// The counts that the repository has.
const RECORD: &str = "records/instructions.json";
/// More instructions than the record has, by so much, fail.
const TOLERANCE: f64 = 0.03;
/// How often an operation is run in the two runs whose counts are subtracted.
const TIMES: [u64; 2] = [1, 3];
const HOW_TO_ACCEPT: &str =
    "if that is meant, accept it by `cargo xtask count --accept` and say why in the commit";

type Counts = BTreeMap<String, u64>;

/// Counts, and compares with the record or writes it.
pub(crate) fn run(top: &Path, accept: bool) -> Result<String, String> {
    let valgrind = Path::new("valgrind");
    if !answers(valgrind) {
        return Err("valgrind is not installed: apt-get install valgrind".to_owned());
    }
    let program = build(top)?;
    let mut names = Command::new(&program);
    let names =
        names.stderr(Stdio::inherit()).output().map_err(|error| format!("{}: {error}", program.display()))?;
    let names = String::from_utf8(names.stdout).map_err(|error| error.to_string())?;
    let mut counts = Counts::new();
    for name in names.lines() {
        let [less, more] = TIMES.map(|times| instructions(valgrind, &program, name, times));
        let count = (more? - less?) / (TIMES[1] - TIMES[0]);
        println!("{count:>12}  {name}");
        counts.insert(name.to_owned(), count);
    }
    let compiler = compiler(top)?;
    let path = top.join(RECORD);
    if accept {
        let record = json!({ "compiler": compiler, "instructions": counts });
        let text = serde_json::to_string_pretty(&record).map_err(|error| error.to_string())? + "\n";
        std::fs::write(&path, text).map_err(|error| format!("{RECORD}: {error}"))?;
        return Ok(format!("count: {RECORD} has the counts of {} operations", counts.len()));
    }
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{RECORD}: {error}"))?;
    let (known, known_compiler) = parse(&text)?;
    let mut report = compare(&known, &counts)?;
    if known_compiler != compiler {
        let _ = write!(report, "; the record is of {known_compiler}, these of {compiler}");
    }
    Ok(report)
}

/// The counts and the compiler of a record.
fn parse(text: &str) -> Result<(Counts, String), String> {
    let record: Value = serde_json::from_str(text).map_err(|error| format!("{RECORD}: {error}"))?;
    let compiler = record["compiler"].as_str().unwrap_or_default().to_owned();
    let counts = record["instructions"].as_object().ok_or_else(|| format!("{RECORD} has no counts"))?;
    let count = |(name, count): (&String, &Value)| Some((name.clone(), count.as_u64()?));
    let counts: Option<Counts> = counts.iter().map(count).collect();
    Ok((counts.ok_or_else(|| format!("{RECORD}: a count is no whole number"))?, compiler))
}

/// Says what became cheaper and what the record lacks; fails for what became dearer, and for what wasn't counted.
fn compare(known: &Counts, found: &Counts) -> Result<String, String> {
    let (mut complaints, mut cheaper, mut new) = (String::new(), Vec::new(), Vec::new());
    for (name, count) in found {
        let Some(before) = known.get(name) else {
            new.push(name.as_str());
            continue;
        };
        let ratio = *count as f64 / *before as f64;
        if ratio > 1.0 + TOLERANCE {
            let _ = writeln!(
                complaints,
                "count: {name} takes {count} instructions, {:.1} % more than {before}",
                (ratio - 1.0) * 100.0
            );
        } else if ratio < 1.0 - TOLERANCE {
            cheaper.push(format!("{name} by {:.1} %", (1.0 - ratio) * 100.0));
        }
    }
    for name in known.keys().filter(|name| !found.contains_key(*name)) {
        let _ = writeln!(complaints, "count: {name} is in {RECORD} and was not counted");
    }
    if !complaints.is_empty() {
        return Err(complaints + HOW_TO_ACCEPT);
    }
    let mut report = format!(
        "count: {} operations, none takes over {:.0} % more instructions",
        found.len(),
        TOLERANCE * 100.0
    );
    if !cheaper.is_empty() {
        let _ = write!(
            report,
            "; cheaper: {}; keep the gain by `cargo xtask count --accept`",
            cheaper.join(", ")
        );
    }
    if !new.is_empty() {
        let _ =
            write!(report, "; not in {RECORD} yet: {}; add by `cargo xtask count --accept`", new.join(", "));
    }
    Ok(report)
}

/// The program that runs the operations.
fn build(top: &Path) -> Result<PathBuf, String> {
    let arguments = [
        "build",
        "--profile",
        "profiling",
        "--package",
        "asanoha-bench",
        "--example",
        "counted",
        "--message-format",
        "json",
    ];
    let messages =
        String::from_utf8(Cargo::new(&arguments).capture(top)?).map_err(|error| error.to_string())?;
    let executable = messages.lines().rev().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        (message["target"]["name"] == "counted").then(|| message["executable"].as_str().map(PathBuf::from))?
    });
    executable.ok_or_else(|| "cargo built no program counted".to_owned())
}

/// The instructions of a run.
fn instructions(valgrind: &Path, program: &Path, name: &str, times: u64) -> Result<u64, String> {
    let mut command = Command::new(valgrind);
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    command.args([name, &times.to_string()]).stdin(Stdio::null());
    let output = command.output().map_err(|error| format!("valgrind: {error}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("count: {name}: {}\n{told}", output.status));
    }
    collected(&told).ok_or_else(|| format!("count: {name}: callgrind told no count:\n{told}"))
}

/// The count in what callgrind tells.
fn collected(told: &str) -> Option<u64> {
    told.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
}

fn compiler(top: &Path) -> Result<String, String> {
    let output = Command::new("rustc").arg("--version").current_dir(top).output();
    let output = output.map_err(|error| format!("rustc: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counts: &[(&str, u64)]) -> Counts {
        counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn what_takes_over_three_percent_more_fails_by_name() {
        let known = counts(&[("a product", 1_000_000), ("a rotation", 500)]);
        for (found, ratio) in [(1_030_001, "3.0"), (1_050_000, "5.0")] {
            let error = compare(&known, &counts(&[("a product", found), ("a rotation", 500)])).unwrap_err();
            assert!(error.contains("a product") && error.contains(ratio) && !error.contains("a rotation"));
            assert!(error.contains("--accept"), "{error}");
        }
        for found in [1_030_000, 1_000_000, 970_000] {
            let report = compare(&known, &counts(&[("a product", found), ("a rotation", 500)])).unwrap();
            assert!(!report.contains("cheaper"), "{report}");
        }
        let report = compare(&known, &counts(&[("a product", 900_000), ("a rotation", 500)])).unwrap();
        assert!(report.contains("a product by 10.0 %"), "{report}");
    }

    #[test]
    fn what_was_not_counted_fails_and_what_is_new_is_said() {
        let (both, one) = (counts(&[("a", 1), ("b", 1)]), counts(&[("a", 1)]));
        assert!(compare(&both, &one).unwrap_err().contains("b is in records"));
        assert!(compare(&one, &both).unwrap().contains("yet: b;"));
        assert!(!compare(&both, &both).unwrap().contains("yet"));
    }

    #[test]
    fn records_and_callgrind_are_read() {
        let (counts, compiler) = parse(r#"{ "compiler": "rustc 1", "instructions": { "a": 7 } }"#).unwrap();
        assert_eq!((counts["a"], &*compiler), (7, "rustc 1"));
        for bad in ["", "{}", r#"{ "instructions": { "a": -1 } }"#] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert_eq!(collected("==1== Events : Ir\n==1== Collected : 1234\n"), Some(1234));
        assert_eq!(collected("==1== nothing"), None);
    }
}
