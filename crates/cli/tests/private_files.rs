//! Killed calls leave nothing for others to read: no plain results, and no secret key but where the user wants it.
//!
//! `cargo xtask attack` runs these against the release build of the program.
#![cfg(unix)]

use std::{
    io::{BufRead, BufReader, Read},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use crate::common::Place;
#[cfg(feature = "http")]
use crate::common::lying::{Lying, until_the_job};

/// A call of the program with its own folder of temporary files, which is `tmp` in the place.
fn command(place: &Place, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_asanoha"));
    command.current_dir(place.path("")).env("TMPDIR", place.path("tmp")).args(line.split(' '));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn killed(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A place with keys and an empty folder of temporary files.
fn place(rows: usize) -> Place {
    let place = Place::new();
    std::fs::create_dir(place.path("tmp")).unwrap();
    place.write("p.asa", "y = x + 1000000000");
    let rows: Vec<String> = (0..rows).map(|row| (row % 7).to_string()).collect();
    place.write("d.csv", format!("x\n{}\n", rows.join("\n")));
    place.call("plan p.asa --data d.csv --scheme bgv --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place
}

/// Files and folders that have a name in a folder.
fn names(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn unfinished(folder: &Path) -> Vec<PathBuf> {
    let is_hidden = |path: &PathBuf| path.file_name().unwrap().as_encoded_bytes().starts_with(b".");
    names(folder).into_iter().filter(is_hidden).collect()
}

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn plain_results_for_stdout_are_in_no_file_while_they_are_printed() {
    // More than a pipe holds: the call stands in the middle of its output until somebody reads.
    let place = place(20_000);
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    for line in [
        "run p.asa --data d.csv --scheme bgv --out -",
        "decrypt --plan plan.json --keys keys --in results --out -",
    ] {
        let mut child = command(&place, line).spawn().unwrap();
        let mut stdout = BufReader::with_capacity(2, child.stdout.take().unwrap());
        let mut first = String::new();
        stdout.read_line(&mut first).unwrap();
        assert_eq!(first, "y\n");
        assert_eq!(names(&place.path("tmp")), [] as [PathBuf; 0], "{line}");
        assert!(child.try_wait().unwrap().is_none());
        killed(child);
        assert_eq!(names(&place.path("tmp")), [] as [PathBuf; 0], "{line}");
        // A reader who takes all of it gets it whole.
        let output = command(&place, line).output().unwrap();
        let lines = String::from_utf8(output.stdout).unwrap();
        assert_eq!((lines.lines().count(), lines.lines().nth(8)), (20_001, Some("1000000000")));
    }
}

#[test]
fn other_files_for_stdout_have_no_name_either_while_they_are_printed() {
    let place = place(20_000);
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    for line in [
        "encrypt --plan plan.json --keys keys --data d.csv --out -",
        "evaluate --plan plan.json --keys keys --in in --out -",
        "keys backup --keys keys --no-passphrase --out -",
    ] {
        let mut child = command(&place, line).spawn().unwrap();
        let mut first = [0; 1];
        child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
        assert_eq!(names(&place.path("tmp")), [] as [PathBuf; 0], "{line}");
        killed(child);
        assert_eq!(names(&place.path("tmp")), [] as [PathBuf; 0], "{line}");
    }
    let printed = command(&place, "keys backup --keys keys --no-passphrase --out -").output().unwrap().stdout;
    place.write("printed", printed);
    place.call("keys restore printed --out restored").text();
    let secret = |folder: &str| std::fs::read(place.path(&format!("{folder}/secret.safetensors"))).unwrap();
    assert_eq!(secret("restored"), secret("keys"));
}

/// The files below a folder that have a piece of the secret key in them.
fn readable(place: &Place, secret: &[u8]) -> Vec<PathBuf> {
    let piece = &secret[secret.len() / 2..][..64];
    let has = |contents: &[u8]| contents.windows(64).any(|window| window == piece);
    let files = place.contents().into_iter();
    files.filter(|(_, contents)| has(contents)).map(|(path, _)| path).collect()
}

/// Kills a call after each of many times, from at once to somewhat longer than it takes; `check` looks at what is left.
fn kill_at_random(place: &Place, line: &str, turns: u32, check: impl Fn()) {
    let begun = Instant::now();
    assert!(command(place, line).output().unwrap().status.success());
    let longest = begun.elapsed() * 5 / 4;
    for turn in 0..turns {
        let child = command(place, line).spawn().unwrap();
        std::thread::sleep(longest * turn / turns);
        killed(child);
        check();
    }
}

#[test]
fn a_backup_that_is_killed_at_any_time_leaves_no_readable_key_but_a_whole_backup_that_was_asked_for() {
    let place = place(2);
    let secret = std::fs::read(place.path("keys/secret.safetensors")).unwrap();
    place.write("word", "one two");
    let (own, kept) = (place.path("keys/secret.safetensors"), place.path("kept"));
    kill_at_random(&place, "keys backup --keys keys --out kept --passphrase-file word", 12, || {
        assert_eq!(readable(&place, &secret), std::slice::from_ref(&own));
        assert_eq!(unfinished(&place.path("")), [] as [PathBuf; 0]);
    });
    for is_there in [false, true] {
        let _ = std::fs::remove_file(&kept);
        if is_there {
            std::fs::write(&kept, "of yesterday").unwrap();
        }
        kill_at_random(&place, "keys backup --keys keys --out kept --no-passphrase", 20, || {
            let found = readable(&place, &secret);
            assert!(found == [own.clone()] || found == [kept.clone(), own.clone()], "{found:?}");
            if found.len() == 2 {
                place.call("keys restore kept --out again").text();
                std::fs::remove_dir_all(place.path("again")).unwrap();
                std::fs::remove_file(&kept).unwrap();
                if is_there {
                    std::fs::write(&kept, "of yesterday").unwrap();
                }
            }
        });
    }
}

#[test]
fn keys_that_a_killed_call_left_are_for_their_owner_alone_and_go_with_the_next_call() {
    let place = place(2);
    let keys = place.path("keys");
    kill_at_random(&place, "keygen --no-passphrase --plan plan.json --out keys --force", 20, || {
        for left in unfinished(&keys) {
            assert_eq!(mode(&left) & 0o077, 0, "{}", left.display());
        }
    });
    place.call("keygen --no-passphrase --plan plan.json --out keys --force").text();
    // The folder as a call leaves it that is killed after the keys are written.
    for next in [
        "encrypt --plan plan.json --keys keys --data d.csv --out in",
        "keygen --no-passphrase --plan plan.json --out keys --force",
        "keys backup --keys keys --out kept --no-passphrase",
    ] {
        let left = place.path("keys/.asanoha-unfinished-left");
        std::fs::create_dir(&left).unwrap();
        std::fs::copy(place.path("keys/secret.safetensors"), left.join("secret.safetensors")).unwrap();
        std::fs::write(place.path("keys/.asanoha-unfinished-file"), "secret").unwrap();
        place.call(next).text();
        assert_eq!(unfinished(&keys), [] as [PathBuf; 0], "{next}");
    }
    // One that another call still writes to stays.
    let busy = place.path("keys/.asanoha-unfinished-busy");
    std::fs::create_dir(&busy).unwrap();
    let lock = std::fs::File::open(&busy).unwrap();
    lock.lock().unwrap();
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    assert_eq!(unfinished(&keys), [busy]);
    drop(lock);
}

#[test]
fn what_others_put_among_temporary_files_is_neither_followed_nor_waited_for() {
    let place = place(2);
    let tmp = place.path("tmp");
    place.write("precious", "x");
    std::os::unix::fs::symlink(place.path("precious"), tmp.join(".asanoha-unfinished-link")).unwrap();
    std::fs::create_dir(tmp.join("within")).unwrap();
    std::os::unix::fs::symlink(tmp.join("within"), tmp.join(".asanoha-unfinished-folder")).unwrap();
    assert!(Command::new("mkfifo").arg(tmp.join(".asanoha-unfinished-pipe")).status().unwrap().success());
    let output =
        command(&place, "encrypt --plan plan.json --keys keys --data d.csv --out -").output().unwrap();
    assert!(output.status.success() && !output.stdout.is_empty());
    assert!(place.path("precious").exists() && tmp.join("within").exists());
    assert_eq!(unfinished(&tmp).len(), 3);
}

#[cfg(feature = "http")]
#[test]
fn the_folder_of_a_remote_run_is_for_its_owner_alone_and_the_next_call_removes_what_a_killed_one_left() {
    let place = place(2);
    place.write("token", format!("asanoha_{}\n", "0".repeat(64)));
    let (sender, asked) = std::sync::mpsc::channel();
    // The inputs are in the folder when the job is submitted, which is never answered.
    let server = Lying::start(until_the_job(move |_| {
        sender.send(()).unwrap();
        None
    }));
    let run = format!(
        "remote run --server {} --token-file token --plan plan.json --keys keys --data d.csv --out -",
        server.url
    );
    let child = command(&place, &run).spawn().unwrap();
    asked.recv_timeout(Duration::from_mins(5)).unwrap();
    let tmp = place.path("tmp");
    let [folder] = &names(&tmp)[..] else { panic!("{:?}", names(&tmp)) };
    assert_eq!(mode(folder), 0o700);
    assert!(folder.join("inputs").exists());
    // While it is there, other calls leave it.
    let other = "encrypt --plan plan.json --keys keys --data d.csv --out -";
    assert!(command(&place, other).output().unwrap().status.success());
    assert_eq!(names(&tmp), std::slice::from_ref(folder));
    killed(child);
    assert!(command(&place, other).output().unwrap().status.success());
    assert_eq!(names(&tmp), [] as [PathBuf; 0]);
}
