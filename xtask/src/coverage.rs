//! `cargo xtask coverage`: how many lines of each crate the tests run, by cargo-llvm-cov.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::{
    command::{self, FEATURES},
    tools::{self, Failure, LLVM_COV},
};

/// The variables that name LLVM's tools to cargo-llvm-cov, and these tools.
const TOOLS: [(&str, &str); 2] = [("LLVM_COV", "llvm-cov"), ("LLVM_PROFDATA", "llvm-profdata")];

/// Measures the whole workspace.
pub(crate) fn workspace(top: &Path) -> Result<String, Failure> {
    measure(top, &["--workspace", "--features", FEATURES])
}

/// Measures by the tests of some packages.
pub(crate) fn packages(top: &Path, packages: &[&str]) -> Result<String, Failure> {
    let selected: Vec<&str> = packages.iter().flat_map(|package| ["-p", package]).collect();
    measure(top, &selected)
}

/// Runs the tests of the selected packages and returns a table of the crates whose lines they could run.
fn measure(top: &Path, selected: &[&str]) -> Result<String, Failure> {
    let mut command = Command::new(LLVM_COV.find(top)?);
    command.envs(llvm_tools(top)?);
    let export = top.join("target/coverage.json");
    // Tests are judged by their own step; here they may be too slow for their limits.
    command.args(["llvm-cov", "--json", "--summary-only", "--ignore-run-fail"]);
    // Tests kill programs, whose profiles end early.
    command.args(["--failure-mode", "all", "--output-path"]);
    command.arg(&export).args(selected);
    command::without_own_variables(&mut command);
    fs::create_dir_all(top.join("target")).map_err(|error| error.to_string())?;
    command::run_one(&mut command, top)?;
    let text = fs::read_to_string(&export).map_err(|error| format!("{}: {error}", export.display()))?;
    Ok(table(&lines_by_crate(&text, top)?))
}

/// The variables with which cargo-llvm-cov finds LLVM's tools: none if they are set or rustup has the tools.
fn llvm_tools(top: &Path) -> Result<Vec<(&'static str, String)>, Failure> {
    if TOOLS.iter().all(|(variable, _)| env::var_os(variable).is_some()) {
        return Ok(Vec::new());
    }
    let libraries = PathBuf::from(rustc(top, &["--print", "target-libdir"])?.trim());
    if libraries.with_file_name("bin").join("llvm-cov").is_file() {
        return Ok(Vec::new());
    }
    // Older tools can't read what this compiler's programs write.
    let version = rustc(top, &["--version", "--verbose"])?;
    let version = version.lines().find_map(|line| line.strip_prefix("LLVM version: ")).unwrap_or_default();
    let major = version.split('.').next().unwrap_or_default();
    let named = TOOLS.map(|(variable, tool)| (variable, format!("{tool}-{major}")));
    if named.iter().all(|(_, tool)| tools::answers(Path::new(tool))) {
        return Ok(named.into());
    }
    let how = format!("rustup component add llvm-tools, or apt-get install llvm-{major}");
    Err(Failure::NotInstalled(format!("llvm-cov is not installed: {how}")))
}

/// What the compiler prints.
fn rustc(top: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("rustc").args(arguments).current_dir(top).output();
    let output = output.map_err(|error| format!("rustc: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Lines with code, and those of them that ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lines {
    count: u64,
    covered: u64,
}

/// Adds up an export of llvm-cov by the folders of crates.
fn lines_by_crate(export: &str, top: &Path) -> Result<BTreeMap<String, Lines>, String> {
    let export: Value = serde_json::from_str(export).map_err(|error| format!("llvm-cov: {error}"))?;
    let files = export["data"][0]["files"].as_array().ok_or("llvm-cov: no list of files")?;
    let mut crates = BTreeMap::<String, Lines>::new();
    for file in files {
        let path = Path::new(file["filename"].as_str().unwrap_or_default());
        let Ok(path) = path.strip_prefix(top) else { continue };
        let folder = path.strip_prefix("crates").unwrap_or(path).iter().next().unwrap_or_default();
        let lines = crates.entry(folder.to_string_lossy().into_owned()).or_default();
        let number = |name: &str| file["summary"]["lines"][name].as_u64().unwrap_or_default();
        lines.count += number("count");
        lines.covered += number("covered");
    }
    Ok(crates)
}

/// A row for each crate, and the sum.
fn table(crates: &BTreeMap<String, Lines>) -> String {
    let row = |name: &str, lines: Lines| {
        let percent = 100.0 * lines.covered as f64 / lines.count.max(1) as f64;
        format!("{name:<12}{:>8}{:>8}{percent:>7.1} %\n", lines.count, lines.covered)
    };
    let sum = crates.values().fold(Lines::default(), |sum, lines| Lines {
        count: sum.count + lines.count,
        covered: sum.covered + lines.covered,
    });
    let rows: String = crates.iter().map(|(name, lines)| row(name, *lines)).collect();
    format!("{:<12}{:>8}{:>8}\n{rows}{}", "crate", "lines", "run", row("all", sum).trim_end())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{lines_by_crate, table};

    #[test]
    fn lines_of_files_add_up_by_crate() {
        let file = |path: &str, count: u64, covered: u64| {
            format!(
                r#"{{"filename":"{path}","summary":{{"lines":{{"count":{count},"covered":{covered},"percent":0}}}}}}"#
            )
        };
        let files = [
            file("/w/crates/ring/src/a.rs", 100, 90),
            file("/w/crates/ring/src/b/c.rs", 100, 100),
            file("/w/xtask/src/main.rs", 40, 10),
            file("/elsewhere/lib.rs", 7, 7),
        ];
        let export = format!(r#"{{"data":[{{"files":[{}]}}]}}"#, files.join(","));
        assert_eq!(
            table(&lines_by_crate(&export, Path::new("/w")).unwrap()),
            "crate          lines     run\n\
             ring             200     190   95.0 %\n\
             xtask             40      10   25.0 %\n\
             all              240     200   83.3 %"
        );
    }
}
