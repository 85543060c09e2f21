//! Refuses source files with unsafe code outside the kernels, unwritten code, tests ignored without a reason, or flags of the
//! program below its own layer.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The folders that hold the workspace's Rust.
const FOLDERS: [&str; 3] = ["crates", "xtask", "python"];

/// The one crate with hand-written `unsafe`.
const UNSAFE_FOLDER: &str = "crates/kernels/";

/// The crates whose text may name flags and commands: `bench` is the body of one command, the plans of `wasm` are made by the program, and
/// `xtask` has its own.
const NAMES_FLAGS: [&str; 5] = ["crates/cli/", "crates/bench/", "crates/fuzz/", "crates/wasm/", "xtask/"];

// Spelt in halves, so that this file passes its own check.
const UNSAFE_LINT: &str = concat!("unsafe", "_code");
const UNWRITTEN: [&str; 2] = [concat!("todo", "!("), concat!("unimple", "mented!(")];
const IGNORED: &str = concat!("#[", "ignore");
const IGNORED_AS_SLOW: &str = concat!("#[", "ignore = \"slow");

/// Adds a line to `complaints` for each finding and returns how many files were read.
pub(crate) fn check(top: &Path, complaints: &mut Vec<String>) -> Result<usize, String> {
    let mut files = Vec::new();
    for folder in FOLDERS.map(|folder| top.join(folder)) {
        if folder.is_dir() {
            collect(&folder, &is_rust, &mut files)?;
        }
    }
    files.sort();
    for file in &files {
        let (name, text) = read(top, file)?;
        if file.extension().is_some_and(|extension| extension == "rs") {
            check_rust(&name, &text, complaints);
        } else {
            check_manifest(&name, &text, complaints);
        }
    }
    Ok(files.len())
}

fn is_rust(path: &Path) -> bool {
    path.ends_with("Cargo.toml") || path.extension().is_some_and(|extension| extension == "rs")
}

/// Files under `folder` that are to be read, build output and hidden folders left out.
pub(crate) fn collect(
    folder: &Path,
    is_read: &dyn Fn(&Path) -> bool,
    files: &mut Vec<PathBuf>,
) -> Result<(), String> {
    let unreadable = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                collect(&path, is_read, files)?;
            }
        } else if is_read(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// A file's name below the repository's top, and its text.
pub(crate) fn read(top: &Path, file: &Path) -> Result<(String, String), String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok((file.strip_prefix(top).unwrap_or(file).display().to_string(), text))
}

fn check_rust(name: &str, text: &str, complaints: &mut Vec<String>) {
    if !name.starts_with(UNSAFE_FOLDER) {
        for (position, _) in text.match_indices(UNSAFE_LINT) {
            if is_relaxed(&text[..position]) {
                let line = text[..position].lines().count();
                complaints.push(format!("{name}:{line}: unsafe code is allowed in {UNSAFE_FOLDER} only"));
            }
        }
    }
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        if let Some(found) = UNWRITTEN.iter().find(|macro_call| line.contains(**macro_call)) {
            complaints.push(format!("{name}:{line_number}: {found}…) is code not written yet"));
        }
        let attribute = line.trim_start();
        if attribute.starts_with(IGNORED) && !attribute.starts_with(IGNORED_AS_SLOW) {
            complaints.push(format!(
                "{name}:{line_number}: a test is ignored for being slow and says so: {IGNORED_AS_SLOW}\"]"
            ));
        }
        if is_layer_source(name) && names_flag(line) {
            complaints.push(format!(
                "{name}:{line_number}: flags and commands are named in crates/cli only: give an `Advice` of the planner"
            ));
        }
        if is_ignored_example(line) {
            complaints.push(format!(
                "{name}:{line_number}: an example in a doc comment runs, or is `no_run` or `text`"
            ));
        }
    }
}

/// Whether a lint named right after `before` is in the list of an attribute that lowers its level.
fn is_relaxed(before: &str) -> bool {
    ["allow(", "expect(", "warn("]
        .iter()
        .filter_map(|opening| before.rfind(opening))
        .any(|position| !before[position..].contains(')'))
}

/// Whether a file is what a layer below the program is built of.
fn is_layer_source(name: &str) -> bool {
    name.contains("/src/") && !NAMES_FLAGS.iter().any(|folder| name.starts_with(folder))
}

/// Whether a line has a flag or a command of the program outside of a comment.
fn names_flag(line: &str) -> bool {
    let code = line.trim_start();
    let mut dashes = code.match_indices("--");
    !code.starts_with("//")
        && (code.contains("`asanoha ")
            || dashes.any(|(at, _)| code[at + 2..].starts_with(|c: char| c.is_ascii_lowercase())))
}

/// Whether the line opens a code block in a doc comment that rustdoc never compiles but
/// `--include-ignored` would.
fn is_ignored_example(line: &str) -> bool {
    let line = line.trim_start();
    let Some(comment) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else { return false };
    let Some(attributes) = comment.trim_start().strip_prefix("```") else { return false };
    attributes.split(',').any(|attribute| attribute.trim() == "ignore")
}

fn check_manifest(name: &str, text: &str, complaints: &mut Vec<String>) {
    let mut lines = text.lines().map(str::trim);
    let inherits = lines.any(|line| line == "[lints]") && lines.next() == Some("workspace = true");
    if !inherits {
        complaints
            .push(format!("{name}: the workspace's lints are not taken over ([lints] workspace = true)"));
    }
}

#[cfg(test)]
mod tests {
    use super::{check_manifest, check_rust};

    fn rust(name: &str, text: &str) -> Vec<String> {
        let mut complaints = Vec::new();
        check_rust(name, text, &mut complaints);
        complaints
    }

    #[test]
    fn unsafe_is_allowed_in_the_kernels_only() {
        for attribute in ["#![allow(", "#[allow(dead_code, ", "#[expect(\n    ", "#![warn("] {
            let text = format!("//! A file.\n{attribute}{})]\n", super::UNSAFE_LINT);
            assert_eq!(rust("crates/kernels/src/avx512/ntt.rs", &text), Vec::<String>::new());
            assert_eq!(rust("crates/ring/src/lib.rs", &text).len(), 1, "{text}");
        }
        let forbidden = format!("#[allow(dead_code)]\n#![forbid({})]\n", super::UNSAFE_LINT);
        assert_eq!(rust("crates/ring/src/lib.rs", &forbidden), Vec::<String>::new());
    }

    #[test]
    fn code_not_written_yet_is_found_with_its_line() {
        for macro_call in super::UNWRITTEN {
            let found = rust("crates/bgv/src/lib.rs", &format!("fn later() {{\n    {macro_call})\n}}\n"));
            assert_eq!(found.len(), 1);
            assert!(found[0].starts_with("crates/bgv/src/lib.rs:2: "), "{found:?}");
        }
    }

    #[test]
    fn a_test_is_ignored_only_for_being_slow() {
        let silent = format!("{}]", super::IGNORED);
        let other = format!("{} = \"broken\"]", super::IGNORED);
        assert_eq!(rust("xtask/src/a.rs", &silent).len(), 1);
        assert_eq!(rust("xtask/src/a.rs", &other).len(), 1);
        for reason in ["slow", "slow: a minute"] {
            let slow = format!("{} = \"{reason}\"]", super::IGNORED);
            assert_eq!(rust("xtask/src/a.rs", &slow), Vec::<String>::new());
        }
    }

    #[test]
    fn an_example_that_never_runs_is_found() {
        for opening in ["/// ```ignore", "    //! ```rust, ignore"] {
            assert_eq!(rust("crates/ring/src/lib.rs", opening).len(), 1, "{opening}");
        }
        for opening in ["/// ```", "/// ```no_run", "//! ```text", "let ignore = 1;"] {
            assert_eq!(rust("crates/ring/src/lib.rs", opening), Vec::<String>::new());
        }
    }

    #[test]
    fn flags_are_named_by_the_program_only() {
        for text in ["let why = \"narrow it with --range\";", "    \"make it anew with `asanoha plan`\""] {
            for folder in ["crates/planner", "crates/mpc", "python"] {
                assert_eq!(rust(&format!("{folder}/src/plan/mod.rs"), text).len(), 1, "{folder}: {text}");
            }
            for file in ["crates/cli/src/error/advice.rs", "crates/runtime/tests/rows.rs", "xtask/src/a.rs"] {
                assert_eq!(rust(file, text), Vec::<String>::new());
            }
        }
        for text in
            ["/// What `--range` gives.", "    // as `asanoha plan` does", "let x = a - -b;", "\"a -- b\""]
        {
            assert_eq!(rust("crates/planner/src/lib.rs", text), Vec::<String>::new());
        }
    }

    #[test]
    fn a_manifest_takes_over_the_workspace_lints() {
        for (text, count) in [
            ("[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n", 0),
            ("[package]\nname = \"a\"\n", 1),
            ("[lints]\n[dependencies]\nworkspace = true\n", 1),
        ] {
            let mut complaints = Vec::new();
            check_manifest("crates/a/Cargo.toml", text, &mut complaints);
            assert_eq!(complaints.len(), count, "{text}");
        }
    }
}
