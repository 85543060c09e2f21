//! What signals and calls at the same time leave behind: whole files, of one secret, or none.
#![cfg(unix)]

mod common;

use std::{
    collections::BTreeSet,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use common::Place;
use serde_json::Value;

/// A program whose keys, encryption and evaluation take some tenths of a second.
fn place() -> Place {
    let place = Place::new();
    place.write("p.asa", "y = (x * x + x) * (x - 1) * (x + 2)\ns = sum(x * x)\n");
    let rows: Vec<String> = (0..6000).map(|row| (row % 7).to_string()).collect();
    place.write("d.csv", format!("x\n{}\n", rows.join("\n")));
    place.call("plan p.asa --data d.csv --scheme bgv --out plan.json").text();
    place
}

fn start(place: &Place, line: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_asanoha"));
    command.args(line.split(' ')).current_dir(place.path("")).env("TMPDIR", place.path(""));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn files(place: &Place) -> BTreeSet<PathBuf> {
    place.contents().into_keys().collect()
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// The results of the keys that are there, which decrypt what they encrypted.
fn works(place: &Place) {
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    let report = place.call("decrypt --plan plan.json --keys keys --in results").json();
    let sum: i64 = (0..6000).map(|row| (row % 7) * (row % 7)).sum();
    assert_eq!(report["outputs"]["s"], serde_json::json!([sum]));
}

#[test]
fn two_keygens_at_once_leave_keys_of_one_secret() {
    let place = place();
    for round in 0..4 {
        let line = "keygen --plan plan.json --out keys --force";
        let first = start(&place, line);
        std::thread::sleep(Duration::from_millis(5 * round));
        let second = start(&place, line);
        let ended = [first, second].map(|child| child.wait_with_output().unwrap());
        assert!(ended.iter().any(|output| output.status.success()));
        for output in ended.iter().filter(|output| !output.status.success()) {
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(told.contains("another call") && told.contains("wait"), "{told}");
        }
        // Three keys and the record of what was published.
        assert_eq!(std::fs::read_dir(place.path("keys")).unwrap().count(), 4);
    }
    works(&place);
}

/// Sends signals at several moments of a call; returns how many ended it.
fn interrupted(place: &Place, line: &str) -> u32 {
    let whole = Instant::now();
    assert!(start(place, line).wait_with_output().unwrap().status.success());
    let whole = whole.elapsed();
    let after = files(place);
    let mut ended = 0;
    for (moment, name, number) in
        [(1, "INT", 2), (3, "TERM", 15), (5, "INT", 2), (7, "TERM", 15), (8, "HUP", 1)]
    {
        let child = start(place, line);
        std::thread::sleep(whole * moment / 10);
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        match output.status.signal() {
            Some(signal) => {
                assert_eq!(signal, number);
                ended += 1;
            }
            None => assert!(output.status.success(), "{line}: {told}"),
        }
        assert_eq!(files(place), after, "{line} after {name} at {moment}/10: {told}");
    }
    ended
}

#[test]
fn a_signal_leaves_nothing_half_written() {
    let place = place();
    let mut ended = 0;
    for line in [
        "keygen --plan plan.json --out keys --force",
        "encrypt --plan plan.json --keys keys --data d.csv --out in",
        "evaluate --plan plan.json --keys keys --in in --out results",
        "run p.asa --data d.csv --scheme bgv --out run.csv",
        "run p.asa --data d.csv --scheme bgv --low-memory --out run.csv",
    ] {
        ended += interrupted(&place, line);
    }
    // Many signals come too late, or before the call listens, where others use the machine.
    assert!(ended > 0);
    works(&place);
}

#[test]
fn a_signal_removes_a_new_folder_of_keys_and_a_new_file() {
    let place = place();
    place.call("keygen --plan plan.json --out keys").text();
    let before = files(&place);
    let mut told = 0;
    let removed = |new: &Path| std::fs::remove_dir_all(new).or_else(|_| std::fs::remove_file(new));
    for line in [
        "keygen --plan plan.json --out new",
        "encrypt --plan plan.json --keys keys --data d.csv --out new",
        "encrypt --plan plan.json --keys keys --data d.csv --out -",
    ] {
        let whole = Instant::now();
        assert!(start(&place, line).wait_with_output().unwrap().status.success());
        let whole = whole.elapsed();
        let _ = removed(&place.path("new"));
        for moment in [2, 4, 5, 6, 7, 8] {
            let child = start(&place, line);
            std::thread::sleep(whole * moment / 10);
            // Not SIGINT, which is ignored where the tests are a background job.
            signal(&child, "TERM");
            let output = child.wait_with_output().unwrap();
            if output.status.success() {
                let _ = removed(&place.path("new"));
            } else {
                told += u32::from(String::from_utf8_lossy(&output.stderr).contains("stopped by SIGTERM"));
            }
            assert_eq!(files(&place), before, "{line} at {moment}/10");
        }
    }
    assert!(told > 0);
}

#[test]
fn a_signal_is_told_as_json() {
    let place = place();
    for delay in [50, 100, 200, 400] {
        let child = start(&place, "run p.asa --data d.csv --scheme bgv --json");
        std::thread::sleep(Duration::from_millis(delay));
        signal(&child, "TERM");
        let output = child.wait_with_output().unwrap();
        if output.stdout.is_empty() {
            continue;
        }
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        if !output.status.success() {
            assert_eq!(report["error"]["kind"], "interrupted");
            return;
        }
    }
    panic!("no signal came while the program listened");
}
