//! Evaluations that go on from what a stopped one has finished, with the same results.
#![cfg(unix)]

use std::{
    os::unix::fs::{PermissionsExt, symlink},
    path::PathBuf,
    process::Command,
};

use crate::{
    common::{Place, paused::Paused},
    tfhe,
};
use serde_json::Value;

const SLOTS: &str = "evaluate --plan plan.json --keys keys --in in --out results --threads 1";
const TFHE: &str = "evaluate --plan plan.json --keys keys --in in --out results --threads 1 --insecure";

/// Keys and inputs of a program on a long column, of several ciphertexts.
fn encrypted(place: &Place, program: &str, scale: i64) {
    place.write("p.asa", program);
    let rows: Vec<String> = (0..20_000).map(|row| (scale * (row % 7)).to_string()).collect();
    place.write("d.csv", format!("x\n{}\n", rows.join("\n")));
    place.call("plan p.asa --data d.csv --scheme bgv --range x=-20:20 --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys --force").text();
    encrypt(place);
}

fn encrypt(place: &Place) {
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
}

const PROGRAM: &str = "y = (x * x + x) * (x - 1)\ns = sum(y * x)\nz = (x - s) * x";

fn slots() -> Place {
    let place = Place::new();
    encrypted(&place, PROGRAM, 1);
    place
}

/// Integers of TFHE.
fn integers() -> Place {
    let place = tfhe::place(tfhe::tiny());
    place.call("keygen --no-passphrase --plan plan.json --out keys --insecure").text();
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in --insecure").text();
    place
}

/// The results of a call that nothing disturbs.
fn undisturbed(place: &Place, line: &str) -> Vec<u8> {
    let line = line.replace("--out results", "--out undisturbed");
    assert_eq!(place.call(&line).json()["operations_taken_over"], 0);
    std::fs::read(place.path("undisturbed")).unwrap()
}

/// Kills an evaluation after it has kept so many files.
fn killed(place: &Place, line: &str, files: usize) {
    Paused::keeping(&format!("kept {}.", files - 1), place, line).killed();
    assert!(!kept(place).is_empty());
}

fn kept(place: &Place) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(place.path("results.unfinished"));
    let mut files: Vec<PathBuf> = entries.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// What a call reports that goes on; its results are these, and nothing is left beside them.
fn goes_on(place: &Place, line: &str, expected: &[u8]) -> (Value, String) {
    let output = place.call(line).args(["--json"]).output();
    let warnings = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{warnings}");
    assert!(std::fs::read(place.path("results")).unwrap() == expected);
    assert!(!place.path("results.unfinished").exists(), "{:?}", kept(place));
    (serde_json::from_slice(&output.stdout).unwrap(), warnings)
}

fn taken_over(report: &Value) -> u64 {
    let counts = ["operations", "operations_taken_over"].map(|key| report[key].as_u64().unwrap());
    assert!(counts[1] <= counts[0], "{report}");
    counts[1]
}

/// What becomes of the bytes of a file.
type Damage<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;

#[test]
fn a_killed_evaluation_is_gone_on_with_and_gives_the_same_bytes() {
    for (place, line, times) in [(slots(), SLOTS, [2, 5, 9]), (integers(), TFHE, [1, 2, 3])] {
        let expected = undisturbed(&place, line);
        let mut before = 0;
        // Each call is killed later than the one before.
        for files in times {
            killed(&place, line, files);
            let copy: Vec<_> =
                kept(&place).into_iter().map(|path| (path.clone(), std::fs::read(path))).collect();
            let (report, warnings) = goes_on(&place, line, &expected);
            assert_eq!(warnings, "");
            assert!(taken_over(&report) > before, "{files}: {report}");
            before = taken_over(&report);
            std::fs::create_dir(place.path("results.unfinished")).unwrap();
            copy.into_iter().for_each(|(path, bytes)| std::fs::write(path, bytes.unwrap()).unwrap());
        }
        let text = place.call(line).text();
        assert!(text.contains(&format!("resumed     {before} of ")), "{text}");
    }
}

#[test]
fn results_on_other_threads_and_with_little_memory_are_the_same_bytes() {
    let place = slots();
    let expected = undisturbed(&place, SLOTS);
    killed(&place, &SLOTS.replace("--threads 1", "--threads 2"), 4);
    let (report, _) = goes_on(&place, &format!("{SLOTS} --low-memory"), &expected);
    assert!(taken_over(&report) > 0);
}

#[test]
fn what_is_of_other_inputs_keys_or_plans_is_not_used() {
    let place = slots();
    let says = "what an evaluation of another plan or of other keys or inputs finished: it isn't used";
    let not_used = |place: &Place| {
        let expected = undisturbed(place, SLOTS);
        let (report, warnings) = goes_on(place, SLOTS, &expected);
        assert!(warnings.contains(says) && warnings.lines().count() == 1, "{warnings}");
        assert_eq!(taken_over(&report), 0);
    };
    // The same data, encrypted again.
    killed(&place, SLOTS, 4);
    encrypt(&place);
    not_used(&place);
    killed(&place, SLOTS, 4);
    place.call("keygen --no-passphrase --plan plan.json --out keys --force").text();
    encrypt(&place);
    not_used(&place);
    killed(&place, SLOTS, 4);
    encrypted(&place, &PROGRAM.replace("x - 1", "x - 2"), -1);
    not_used(&place);
    // Another scheme.
    let integers = integers();
    killed(&integers, TFHE, 2);
    let own = integers.contents();
    std::fs::create_dir(place.path("results.unfinished")).unwrap();
    std::fs::set_permissions(place.path("results.unfinished"), PermissionsExt::from_mode(0o700)).unwrap();
    for path in kept(&integers) {
        std::fs::write(place.path("results.unfinished").join(path.file_name().unwrap()), &own[&path])
            .unwrap();
    }
    not_used(&place);
}

#[test]
fn damaged_files_are_told_and_computed_again() {
    for (place, line, files) in [(slots(), SLOTS, 5), (integers(), TFHE, 3)] {
        let expected = undisturbed(&place, line);
        killed(&place, line, files);
        let whole: Vec<_> =
            kept(&place).into_iter().map(|path| (std::fs::read(&path).unwrap(), path)).collect();
        assert!(whole.len() > 1);
        let restore = || {
            std::fs::create_dir_all(place.path("results.unfinished")).unwrap();
            whole.iter().for_each(|(bytes, path)| std::fs::write(path, bytes).unwrap());
        };
        let (all, _) = goes_on(&place, line, &expected);
        let flipped = |bytes: &[u8], at: usize| {
            let mut bytes = bytes.to_vec();
            bytes[at] ^= 1;
            bytes
        };
        // In the body, in the header, in its length, and a file without its end or without anything.
        let damages: [Damage; 5] = [
            &|bytes| flipped(bytes, bytes.len() - 3),
            &|bytes| flipped(bytes, 200),
            &|bytes| flipped(bytes, 0),
            &|bytes| bytes[..bytes.len() - 8].to_vec(),
            &|_| Vec::new(),
        ];
        for (damage, (bytes, path)) in damages.iter().zip(whole.iter().cycle()) {
            restore();
            std::fs::write(path, damage(bytes)).unwrap();
            let (report, warnings) = goes_on(&place, line, &expected);
            assert!(warnings.contains("it isn't used"), "{}: {warnings}", path.display());
            assert!(taken_over(&report) <= taken_over(&all), "{}: {report}", path.display());
        }
        // A file that was being written is none.
        restore();
        std::fs::write(place.path("results.unfinished/77.new"), b"half").unwrap();
        let (report, warnings) = goes_on(&place, line, &expected);
        assert_eq!((taken_over(&report), warnings.as_str()), (taken_over(&all), ""));
    }
}

#[test]
fn a_folder_that_others_may_have_filled_is_not_used_and_stays() {
    let place = slots();
    let expected = undisturbed(&place, SLOTS);
    killed(&place, SLOTS, 4);
    let folder = place.path("results.unfinished");
    let refused = |says: &str| {
        let output = place.call(SLOTS).output();
        let warnings = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && warnings.contains(says), "{warnings}");
        assert!(warnings.contains("nothing is kept") && warnings.lines().count() == 1, "{warnings}");
        assert!(std::fs::read(place.path("results")).unwrap() == expected);
        assert!(folder.symlink_metadata().is_ok());
    };
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o770)).unwrap();
    refused("for its owner alone");
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).unwrap();
    place.write("results.unfinished/notes.txt", "mine");
    refused("other files");
    assert_eq!(std::fs::read(place.path("results.unfinished/notes.txt")).unwrap(), b"mine");
    std::fs::remove_file(place.path("results.unfinished/notes.txt")).unwrap();
    std::fs::rename(&folder, place.path("moved")).unwrap();
    symlink(place.path("moved"), &folder).unwrap();
    refused("no folder");
    std::fs::remove_file(&folder).unwrap();
    place.write("results.unfinished", "mine");
    refused("no folder");
}

#[test]
fn of_two_evaluations_with_one_result_the_second_is_refused() {
    let place = slots();
    let expected = undisturbed(&place, SLOTS);
    let first = Paused::keeping("kept 2.", &place, SLOTS);
    place.refuses(SLOTS, 2, &["results.unfinished", "another evaluation", "wait for it"]);
    assert!(first.goes_on().status.success());
    assert!(std::fs::read(place.path("results")).unwrap() == expected);
    assert!(!place.path("results.unfinished").exists());
}

#[test]
fn a_stopped_evaluation_says_that_the_next_call_goes_on() {
    let place = slots();
    let expected = undisturbed(&place, SLOTS);
    let stopped = Paused::keeping("kept 3.", &place, SLOTS).stopped_by("TERM");
    let told = String::from_utf8(stopped.stderr).unwrap();
    assert!(told.contains("stopped by SIGTERM; the same call goes on from what is finished"), "{told}");
    assert!(told.contains("results.unfinished"), "{told}");
    let report = place.call("inspect results.unfinished/3.kept").json();
    assert_eq!((&report["kind"], &report["secret"]), (&"unfinished evaluation".into(), &false.into()));
    let (report, _) = goes_on(&place, SLOTS, &expected);
    assert!(taken_over(&report) > 0);
}

#[test]
#[ignore = "slow"]
fn an_evaluation_that_takes_longer_than_granted_says_that_the_next_call_goes_on() {
    let place = slots();
    let expected = undisturbed(&place, SLOTS);
    let line = format!("{SLOTS} --max-seconds 20");
    let stopped = Paused::keeping("kept 3.", &place, &line).stands();
    let told = String::from_utf8(stopped.stderr).unwrap();
    assert_eq!(stopped.status.code(), Some(1), "{told}");
    assert!(told.contains("grant more; the same call goes on from what is finished"), "{told}");
    assert!(taken_over(&goes_on(&place, &line, &expected).0) > 0);
}

#[test]
fn an_evaluation_of_a_moment_keeps_nothing() {
    let place = Place::new();
    place.write("p.asa", "y = x * x - 1");
    place.write("d.csv", "x\n1000003\n-7\n");
    place.call("plan p.asa --data d.csv --scheme bgv --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    encrypt(&place);
    let paused = Paused::at("written results", &place, SLOTS);
    assert!(!place.path("results.unfinished").exists());
    assert!(paused.goes_on().status.success());
}

/// Files of a call can't be longer than the limit, as if the disk was full; the signal that tells it is ignored.
#[test]
fn where_nothing_can_be_kept_the_evaluation_goes_on() {
    let place = Place::new();
    // Results of one number, which are shorter than what is kept of the column.
    encrypted(&place, "s = sum((x * x + x) * (x - 1))", 1);
    let expected = undisturbed(&place, SLOTS);
    let limit = expected.len() / 512 + 1;
    let program = env!("CARGO_BIN_EXE_asanoha");
    let script = format!("trap '' XFSZ; ulimit -f {limit}; exec {program} {SLOTS}");
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path(""))
        .env("ASANOHA_KEEP", "always")
        .output()
        .unwrap();
    let warnings = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{warnings}");
    assert!(warnings.contains("can't be kept there") && warnings.contains("goes on without"), "{warnings}");
    assert!(std::fs::read(place.path("results")).unwrap() == expected);
    assert!(!place.path("results.unfinished").exists());
}
