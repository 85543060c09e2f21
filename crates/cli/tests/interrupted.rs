//! What signals and calls at the same time leave behind: whole files, of one secret, or none.
#![cfg(unix)]

use std::{collections::BTreeSet, os::unix::process::ExitStatusExt, path::PathBuf};

use crate::common::{
    Place,
    paused::{Paused, is_ignored},
};
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

fn files(place: &Place) -> BTreeSet<PathBuf> {
    place.contents().into_keys().collect()
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
fn of_two_keygens_at_once_one_waits_for_the_other_or_says_so_and_the_keys_are_of_one_secret() {
    let place = place();
    let line = "keygen --no-passphrase --plan plan.json --out keys --force";
    for point in ["making keys", "moving secret.safetensors", "moving public.safetensors", "delivered keys"] {
        let first = Paused::at(point, &place, line);
        let second = place.call(line).output();
        let told = String::from_utf8_lossy(&second.stderr);
        assert!(second.status.success() || told.contains("another call") && told.contains("wait"), "{told}");
        assert!(first.goes_on().status.success());
        // Three keys and the record of what was published.
        assert_eq!(std::fs::read_dir(place.path("keys")).unwrap().count(), 4, "{point}");
    }
    works(&place);
}

/// Calls, each with points before its last file is delivered.
const CALLS: [(&str, &[&str]); 5] = [
    ("keygen --no-passphrase --plan plan.json --out keys --force", &["listening", "making keys"]),
    (
        "encrypt --plan plan.json --keys keys --data d.csv --out in",
        &["listening", "encrypting", "written in"],
    ),
    (
        "evaluate --plan plan.json --keys keys --in in --out results",
        &["listening", "evaluating", "written results"],
    ),
    (
        "run p.asa --data d.csv --scheme bgv --out run.csv",
        &["listening", "making keys", "encrypting", "evaluating", "written run.csv"],
    ),
    (
        "run p.asa --data d.csv --scheme bgv --low-memory --out run.csv",
        &["listening", "making keys", "evaluating", "written run.csv"],
    ),
];

#[test]
fn a_signal_before_the_delivery_leaves_what_was_there() {
    let place = place();
    // Under nohup, the program ignores SIGHUP as this test does.
    let signals = [("TERM", 15), ("HUP", 1)].into_iter().filter(|&(_, number)| !is_ignored(number));
    for (line, points) in CALLS {
        place.call(line).text();
        let before = place.contents();
        for (point, (name, number)) in points.iter().zip(signals.clone().cycle()) {
            let output = Paused::at(point, &place, line).stopped_by(name);
            let told = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.signal(), Some(number), "{line} at {point}: {told}");
            assert!(told.contains(&format!("stopped by SIG{name}")), "{line} at {point}: {told}");
            assert!(place.contents() == before, "{line} at {point}: {told}");
        }
    }
    works(&place);
}

#[test]
fn a_signal_that_is_ignored_as_under_nohup_stops_nothing() {
    let place = place();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    let line = "encrypt --plan plan.json --keys keys --data d.csv --out in";
    let paused = Paused::ignoring("HUP", "encrypting", &place, line);
    paused.is_sent("HUP");
    assert!(paused.goes_on().status.success());
    works(&place);
}

#[test]
fn a_signal_before_the_delivery_removes_new_files_and_folders() {
    let place = place();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    let before = files(&place);
    for (line, points) in [
        ("keygen --no-passphrase --plan plan.json --out new", &["making keys", "written secret"][..]),
        ("encrypt --plan plan.json --keys keys --data d.csv --out new", &["encrypting", "written new"]),
        ("encrypt --plan plan.json --keys keys --data d.csv --out -", &["encrypting"]),
    ] {
        for point in points {
            let output = Paused::at(point, &place, line).stopped_by("TERM");
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(told.contains("stopped by SIGTERM"), "{line} at {point}: {told}");
            assert_eq!(files(&place), before, "{line} at {point}: {told}");
        }
    }
}

#[test]
fn a_signal_after_the_delivery_comes_too_late_and_the_call_succeeds() {
    let place = place();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    for (line, points) in [
        ("keygen --no-passphrase --plan plan.json --out new", &["delivered new", "reporting"][..]),
        // The record is the last file.
        ("encrypt --plan plan.json --keys keys --data d.csv --out new", &["delivered inputs-", "reporting"]),
        ("run p.asa --data d.csv --scheme bgv --out new", &["delivered new", "reporting"]),
    ] {
        for point in points {
            let output = Paused::at(point, &place, line).warned_by("TERM");
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{line} at {point}: {told}");
            assert!(String::from_utf8(output.stdout).unwrap().lines().count() > 1, "{line} at {point}");
            let new = place.path("new");
            assert!(new.exists(), "{line} at {point}: {told}");
            std::fs::remove_dir_all(&new).or_else(|_| std::fs::remove_file(&new)).unwrap();
        }
    }
    works(&place);
}

#[test]
fn a_signal_is_told_as_json() {
    let place = place();
    for point in ["making keys", "evaluating"] {
        let output =
            Paused::at(point, &place, "run p.asa --data d.csv --scheme bgv --json").stopped_by("TERM");
        assert_eq!(output.status.signal(), Some(15));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["error"]["kind"], "interrupted", "{point}");
    }
}
