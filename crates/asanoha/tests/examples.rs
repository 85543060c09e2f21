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

#[test]
fn every_example_ends_well_and_tells_its_results() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let sources = std::fs::read_dir(sources).expect("there are examples");
    let names = sources.map(|file| file.expect("it can be listed").path());
    let mut ran = 0;
    for name in names {
        let name = name.file_stem().expect("it has a name").to_owned();
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
    assert!(ran >= 6, "{ran} examples");
}
