//! Help, man page, completions, `info`, and pipes.

use crate::common::{Place, has_keys};

#[test]
fn info_names_the_kernels() {
    let place = Place::new();
    let report = place.call("info").json();
    has_keys(&report, &["kernels", "version", "cpu", "threads"]);
    assert!(report["kernels"]["available"].as_array().unwrap().contains(&"scalar".into()));
    let forced = place.call("info --threads 1").env("ASANOHA_KERNELS", "scalar").json();
    assert_eq!((&forced["kernels"]["chosen"], &forced["threads"]), (&"scalar".into(), &1.into()));
    assert!(place.call("info").text().contains(env!("CARGO_PKG_VERSION")));
}

/// Builds without HTTP lack its commands.
#[cfg(feature = "http")]
#[test]
fn help_is_as_written() {
    insta::assert_snapshot!(Place::new().call("--help").env("COLUMNS", "100").text());
}

/// Each command that a call without arguments shows succeeds.
#[cfg(unix)]
#[test]
fn without_arguments_three_commands_to_try_are_printed() {
    let place = Place::new();
    std::os::unix::fs::symlink(crate::common::example(".").canonicalize().unwrap(), place.path("examples"))
        .unwrap();
    let text = place.call("").text();
    let commands: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("asanoha ").filter(|_| line.starts_with("  ")))
        .map(|line| line.split("   ").next().unwrap())
        .collect();
    assert_eq!(commands.len(), 3, "{text}");
    commands.iter().for_each(|command| assert!(!place.call(command).text().is_empty(), "{command}"));
}

#[test]
fn the_short_help_of_run_fits_a_screen_and_the_long_one_has_every_flag() {
    let place = Place::new();
    let short = place.call("run -h").env("COLUMNS", "100").text();
    assert!(short.lines().count() <= 50, "{short}");
    let long = place.call("run --help").text();
    for flag in [
        "--data",
        "--out",
        "--scheme",
        "--center",
        "--real",
        "--on-zero",
        "--low-memory",
        "--seed",
        "--publish",
    ] {
        assert!(long.contains(flag), "{flag}");
    }
}

#[test]
fn help_of_run_is_as_written() {
    insta::assert_snapshot!(Place::new().call("run -h").env("COLUMNS", "100").text());
}

#[test]
fn help_of_triples_is_as_written() {
    insta::assert_snapshot!(Place::new().call("triples generate -h").env("COLUMNS", "100").text());
}

#[test]
fn man_page_and_completions_know_every_command() {
    let place = Place::new();
    let commands = [
        "run",
        "plan",
        "keygen",
        "keys",
        "encrypt",
        "evaluate",
        "decrypt",
        "reencrypt",
        "inspect",
        "triples",
        "genome",
        "bench",
        "info",
    ];
    let man = place.call("man").text();
    let completions = place.call("completions bash").text();
    for command in commands {
        assert!(man.contains(command) && completions.contains(command), "{command}");
    }
    // What a build without HTTP lacks isn't offered.
    let serves = man.contains(".TH asanoha-serve") && completions.contains("asanoha,serve)");
    assert_eq!(serves, cfg!(feature = "http"));
    assert_eq!(man.contains("asanoha-genome-serve"), cfg!(feature = "http"));
    assert!(man.contains("memory\\-limit") && man.contains("mp\\-spdz"), "{man}");
}

#[test]
fn help_of_decrypt_says_who_results_are_for() {
    let text = Place::new().call("decrypt --help").text();
    assert!(text.contains("statistical") && text.contains("--trust-server"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_pipe_is_no_error_and_a_full_disk_is_one() {
    use std::process::{Command, Stdio};
    let call = |stdout: Stdio| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_asanoha"));
        command.args(["completions", "zsh"]).stdout(stdout).stderr(Stdio::piped()).spawn().unwrap()
    };
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = call(writer.into()).wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = call(full.into()).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("standard output"));
}
