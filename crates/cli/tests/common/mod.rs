//! What the tests of the program share.
#![allow(dead_code, reason = "each test file takes what it needs")]

#[cfg(feature = "http")]
pub(crate) mod lying;
#[cfg(unix)]
pub(crate) mod paused;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Output,
};

use assert_cmd::Command;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The seed of tests that need the same bits twice.
pub(crate) const SEED: [&str; 3] = ["--seed", "a5a40a", "--insecure"];

pub(crate) fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// A folder for one test.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), contents).unwrap();
        self.path(name)
    }

    /// A call of the program in this folder, its arguments cut at spaces.
    pub(crate) fn call(&self, line: &str) -> Call {
        self.call_of(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    /// A call of the program in this folder.
    pub(crate) fn call_of(&self, arguments: &[String]) -> Call {
        let mut command = Command::new(env!("CARGO_BIN_EXE_asanoha"));
        command.current_dir(self.0.path()).args(arguments);
        Call(command)
    }

    /// Every file below, with its contents.
    pub(crate) fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.0.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    files.insert(path.clone(), Vec::new());
                    folders.push(path);
                } else {
                    files.insert(path.clone(), std::fs::read(&path).unwrap());
                }
            }
        }
        files
    }

    /// Fails with this code, one line that says all of these (and the place in the program under it, if there's one), and leaves
    /// every file as it was.
    pub(crate) fn refuses(&self, line: &str, code: i32, says: &[&str]) {
        let before = self.contents();
        self.refuses_and_records(line, code, says);
        assert!(self.contents() == before, "{line} changed files");
    }

    /// Does the same as [`Place::refuses`] for a call that may write to the client's records.
    pub(crate) fn refuses_and_records(&self, line: &str, code: i32, says: &[&str]) {
        let output = self.call(line).output();
        let stderr = String::from_utf8(output.stderr.clone()).unwrap();
        assert_eq!(output.status.code(), Some(code), "{line}: {stderr}");
        let is_place = |line: &str| {
            let shown = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
            shown.starts_with('|') || shown.starts_with("= help: ")
        };
        assert!(stderr.starts_with("error: ") && stderr.lines().skip(1).all(is_place), "{line}: {stderr}");
        assert!(!stderr.contains("internal error"), "{line}: {stderr}");
        for part in says {
            assert!(stderr.contains(part), "{line}: {part:?} isn't in {stderr}");
        }
    }
}

/// A call that is being put together.
pub(crate) struct Call(Command);

impl Call {
    pub(crate) fn args(mut self, args: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>) -> Self {
        self.0.args(args);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.0.env(name, value);
        self
    }

    /// With a text on the standard input.
    pub(crate) fn stdin(mut self, text: &str) -> Self {
        self.0.write_stdin(text.to_owned());
        self
    }

    pub(crate) fn output(mut self) -> Output {
        self.0.output().unwrap()
    }

    /// Succeeds; what it printed.
    pub(crate) fn text(self) -> String {
        let output = self.output();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Succeeds with one JSON object and nothing else on stdout.
    pub(crate) fn json(self) -> Value {
        let value: Value = serde_json::from_str(&self.args(["--json"]).text()).unwrap();
        assert!(value.is_object());
        value
    }
}

/// Nothing is secret in it, and it's fast.
pub(crate) const SMALL_RING: &str = "--insecure --ring-degree 64";

/// A place with the small panel, its index, and a sample whose haplotypes are two of the panel's, the second with its letter of
/// the site 5 changed; among its sites is one that the panel hasn't.
pub(crate) fn panel_place() -> Place {
    let place = Place::new();
    let panel = std::fs::read_to_string(example("genome/small.vcf")).unwrap();
    let mut me = String::new();
    for (line, number) in panel.lines().zip(-4i32..) {
        let fields: Vec<&str> = line.split('\t').collect();
        if line.starts_with("##") {
            me.extend([line, "\n"]);
            continue;
        }
        let genotype = fields[9 + 7];
        let genotype = match (number, genotype.as_bytes()) {
            (5, [a, _, b]) => format!("{}|{}", *a as char, if *b == b'0' { '1' } else { '0' }),
            _ => genotype.to_owned(),
        };
        me.extend([&fields[..9].join("\t"), "\t", &genotype, "\n"]);
        if number == 2 {
            me.push_str("20\t1000\t.\tA\tG\t.\tPASS\t.\tGT\t0|1\n");
        }
    }
    place.write("panel.vcf", panel);
    place.write("me.vcf", me);
    let report = place.call("genome index panel.vcf --out panel.idx").json();
    has_keys(&report, &["out", "chromosome", "haplotypes", "sites", "skipped", "bytes", "seconds"]);
    assert_eq!(report["bytes"], place.path("panel.idx").metadata().unwrap().len());
    assert_eq!((&report["haplotypes"], &report["sites"]), (&json!(40), &json!(64)));
    place
}

/// The object has exactly these keys, or more.
pub(crate) fn has_keys(value: &Value, keys: &[&str]) {
    for key in keys {
        assert!(value.get(key).is_some(), "no key {key} in {value}");
    }
}
