//! The library's examples run to their end: a user's first look at it mustn't be an error.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// Where examples are built, beside this test's own program.
fn folder() -> PathBuf {
    let test = std::env::current_exe().expect("a test is a program");
    test.parent().and_then(Path::parent).expect("tests are built in `deps`").join("examples")
}

/// An example that takes half a minute: the sum of two points of a curve in one ciphertext each.
const LONG: &str = "ec_add";

#[test]
fn every_short_example_ends_well_and_tells_its_results() {
    assert!(run(|name| name != LONG) >= 6);
}

#[test]
#[ignore = "slow"]
fn the_long_example_ends_well_and_tells_its_results() {
    assert_eq!(run(|name| name == LONG), 1);
}

/// Runs the examples of some names; how many there are.
fn run(takes: impl Fn(&str) -> bool) -> usize {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let sources = std::fs::read_dir(sources).expect("there are examples");
    let names = sources.map(|file| file.expect("it can be listed").path());
    let mut ran = 0;
    for name in names {
        let name = name.file_stem().expect("it has a name").to_owned();
        if !name.to_str().is_some_and(&takes) {
            continue;
        }
        let program = folder().join(&name).with_extension(std::env::consts::EXE_EXTENSION);
        assert!(
            program.exists(),
            "{} isn't built: `cargo test -p asanoha` without other choices builds it",
            program.display()
        );
        let output = Command::new(&program)
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
            .output()
            .expect("it's a program");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {told}", name.display());
        assert!(!output.stdout.is_empty(), "{} says nothing", name.display());
        ran += 1;
    }
    ran
}

/// Client and server of the page on the library are those of the example that runs, with other paths.
#[test]
fn the_page_shows_the_client_and_the_server_that_run() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(top.join(path)).expect("it's there");
    let plain =
        |line: &str| line.trim().replace("folder.join(", "").replace("\")", "\"").replace([')', ' '], "");
    let example: Vec<String> = read("examples/two_processes.rs").lines().map(plain).collect();
    let page = read("../../docs/library.md");
    let blocks: Vec<&str> =
        page.split("```rust,ignore\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 3);
    let joined = example.concat();
    for line in blocks.iter().flat_map(|block| block.lines()) {
        let core: String = plain(line).chars().filter(|c| !c.is_whitespace()).collect();
        let names = ["letresult=", "letdot=", "println!", "e.sum_all("];
        assert!(joined.contains(&core) || names.iter().any(|name| core.starts_with(name)), "{line}");
    }
    let code = |name: &str| {
        let start = example.iter().position(|line| line.starts_with(&format!("fn{name}("))).expect(name);
        example[start..].iter().position(|line| line == "}").expect("it ends") + 1
    };
    assert!(code("client") + code("server") <= 25, "{} and {} lines", code("client"), code("server"));
}
