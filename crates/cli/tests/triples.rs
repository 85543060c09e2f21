//! `asanoha triples`: made, resumed after being killed, checked, exported, refused.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

#[cfg(unix)]
use crate::common::paused::Paused;
use crate::common::{Place, SEED, has_keys};

/// Of 64 bits, and 1 modulo 4 only, which makes blocks of two triples.
const SMALL_BLOCKS: &str = "triples generate --dim 2 --modulus 18446744073709551557 --parties 2";

/// What all reports say of a folder.
const ABOUT: [&str; 9] = [
    "folder",
    "modulus",
    "shape",
    "parties",
    "triples",
    "generator",
    "security_bits",
    "mac_security_bits",
    "seeded",
];

/// A place with a folder of five triples.
fn place() -> Place {
    let place = Place::new();
    place.call(&format!("{SMALL_BLOCKS} --count 5 --out t")).text();
    place
}

fn block(place: &Place, party: usize, block: usize) -> PathBuf {
    place.path(&format!("t/party-{party}/block-{block:08}"))
}

#[test]
fn triples_are_made_checked_and_exported() {
    let place = Place::new();
    let report = place
        .call("triples generate --rows 3 --inner 2 --cols 1 --bits 128 --count 20 --parties 3 --out t")
        .json();
    has_keys(&report, &ABOUT);
    has_keys(
        &report,
        &[
            "triples_made",
            "block_size",
            "blocks_made",
            "blocks_found",
            "timings",
            "seconds_per_triple",
            "sizes",
            "peak_bytes",
            "threads",
        ],
    );
    has_keys(&report["timings"], &["keygen_s", "generate_s"]);
    assert!(report["sizes"]["folder_bytes"].as_u64() > Some(20 * 3 * 11 * 32));
    assert!(report["security_bits"].as_u64() >= Some(128) && report["seeded"] == false);
    assert_eq!(report["modulus"], "170141183460469231731687303715885907969");
    assert_eq!((report["triples_made"].as_u64(), report["shape"]["rows"].as_u64()), (Some(20), Some(3)));

    let report = place.call("triples verify t").json();
    has_keys(&report, &ABOUT);
    has_keys(&report, &["checked", "right", "wrong", "wrong_triples", "damaged", "timings", "peak_bytes"]);
    assert!(report["checked"] == 20 && report["right"] == true && report["wrong"] == 0, "{report}");
    assert!(place.call("triples verify t").text().contains("right"));

    for (format, folder, files) in
        [("mp-spdz", "t/mp-spdz/Player-Data/3-p-128", 7), ("npz", "t/npz", 3), ("npz", "arrays", 3)]
    {
        let more = if folder == "arrays" { "--out arrays" } else { "" };
        let line = format!("triples export --format {format} t {more}");
        let report = place.call(&line).json();
        has_keys(&report, &ABOUT);
        has_keys(&report, &["format", "out", "files", "timings"]);
        assert_eq!((report["format"].as_str(), report["out"].as_str()), (Some(format), Some(folder)));
        assert_eq!(report["files"].as_object().unwrap().len(), files);
        for (name, bytes) in report["files"].as_object().unwrap() {
            let path = place.path(folder).join(name);
            assert_eq!(path.metadata().unwrap().len(), bytes.as_u64().unwrap(), "{name}");
        }
        place.refuses(&line, 2, &[folder, "is there already"]);
    }
    // Once more: everything is there.
    let before = place.contents();
    let again = "triples generate --rows 3 --inner 2 --cols 1 --count 20 --parties 3 --out t";
    let report = place.call(again).json();
    assert!(report["triples_made"] == 0 && report["seconds_per_triple"].is_null(), "{report}");
    assert!(place.contents() == before);
}

#[test]
fn what_cannot_be_asked_for_is_refused() {
    let place = Place::new();
    for (flags, code, says) in [
        ("--dim 0 --count 1", 2, &["0 rows", "1 to 1024"][..]),
        ("--dim 1025 --count 1", 2, &["1025 rows"]),
        ("--dim 2 --inner 0 --count 1", 2, &["0 inner"]),
        ("--rows 2 --count 1", 2, &["--dim"]),
        ("--dim 2", 2, &["--count"]),
        ("--dim 2 --count 0", 2, &["0 triples"]),
        ("--dim 2 --count 1 --parties 1", 2, &["1 parties", "2 to 64"]),
        ("--dim 2 --count 1 --modulus 18446744073709551559", 2, &["isn't a prime"]),
        ("--dim 2 --count 1 --modulus 65537", 2, &["17 bits", "20 to 512"]),
        ("--dim 2 --count 1 --bits 513", 2, &["513 bits"]),
        ("--dim 2 --count 1 --modulus 7 --bits 64", 2, &["--bits"]),
        ("--dim 2 --count 1 --memory-limit 8", 2, &["8GiB"]),
        ("--dim 2 --count 1 --memory-limit 1MiB", 1, &["bytes", "more memory"]),
    ] {
        place.refuses(&format!("triples generate {flags} --out t"), code, says);
    }
    place.refuses("triples", 2, &["no command"]);
    place.refuses("triples verify nowhere", 2, &["nowhere/manifest.json", "cannot be read"]);
    place.refuses("triples export --format csv t", 2, &["csv", "mp-spdz"]);
    place.write("letter", "dear");
    place.refuses("triples generate --dim 2 --count 1 --out letter", 2, &["letter"]);
    place.refuses("triples generate --dim 2 --count 1 --out .", 2, &["letter", "isn't of triples"]);
}

#[test]
fn folders_that_are_not_what_they_should_be_are_refused() {
    let place = place();
    let again = |flags: &str| format!("{SMALL_BLOCKS} {flags} --out t");
    place.refuses(&again("--count 6"), 2, &["count 5, and 6"]);
    place.refuses(&again("--count 5 --inner 3"), 2, &["shape 2x2x2, and 2x3x2"]);
    let output = place.call(&again("--count 5")).args(SEED).output();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8(output.stderr).unwrap().contains("t/secret-seed: isn't the seed that is given")
    );
    let held = std::fs::File::open(place.path("t")).unwrap();
    held.lock().unwrap();
    place.refuses(&again("--count 5"), 2, &["another call"]);
    drop(held);

    let path = block(&place, 1, 1);
    let right = std::fs::read(&path).unwrap();
    let mut altered = right.clone();
    altered[50] ^= 1;
    for (bytes, says) in [
        (right[..70].to_vec(), "70 bytes in place of"),
        (std::fs::read(block(&place, 0, 1)).unwrap(), "another run, party or block"),
        (altered, "altered"),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let output = place.call("triples verify t --json").output();
        assert_eq!(output.status.code(), Some(3));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(
            report["right"] == false && report["damaged"][0].as_str().unwrap().contains(says),
            "{report}"
        );
        place.refuses("triples export --format npz t", 2, &["party-1/block-00000001", says]);
    }
    std::fs::remove_file(&path).unwrap();
    place.refuses("triples verify t", 2, &["party-1/block-00000001", "triples generate"]);
    let report = place.call(&again("--count 5")).json();
    assert_eq!((report["triples_made"].as_u64(), report["blocks_found"].as_u64()), (Some(2), Some(2)));
    assert_eq!(std::fs::read(&path).unwrap(), right);
}

/// The encryption's security says nothing of the codes', which only the modulus decides.
#[test]
fn the_security_of_the_codes_is_told_and_warned_of_where_it_is_low() {
    let place = Place::new();
    for (bits, codes) in [(20, 18), (41, 39), (42, 40), (128, 126)] {
        let out = format!("t{bits}");
        let line = format!("triples generate --dim 1 --bits {bits} --count 1 --out {out}");
        let report = place.call(&line).json();
        assert_eq!(report["mac_security_bits"], codes, "{report}");
        assert!(report["security_bits"].as_u64() >= Some(128));
        assert_eq!(place.call(&format!("inspect {out}")).json()["mac_security_bits"], codes);
        for line in [&line, &format!("inspect {out}")] {
            let text = place.call(line).text();
            assert!(text.contains(&format!("at most 2^-{codes}")), "{text}");
            assert_eq!(
                text.contains("for tests only; take a modulus of 42 bits or more"),
                codes < 40,
                "{text}"
            );
        }
    }
}

#[test]
fn triples_of_a_given_seed_say_so_for_ever() {
    let place = Place::new();
    let line = format!("{SMALL_BLOCKS} --count 1 --out t");
    place.refuses(&format!("{line} --seed aa"), 2, &["--insecure"]);
    assert_eq!(place.call(&line).args(SEED).json()["seeded"], true);
    for line in [&line, "triples verify t", "triples export --format npz t"] {
        place.refuses(line, 2, &["triples, made from a given seed", "--insecure"]);
    }
    place.call("triples verify t --insecure").text();
}

/// What a call says and leaves where files can't be longer than so many blocks of 512 bytes: in place of a full disk.
#[cfg(unix)]
fn on_full_disk(place: &Place, blocks: usize, line: &str) -> (String, usize) {
    let program = env!("CARGO_BIN_EXE_asanoha");
    let script = format!("trap '' XFSZ && ulimit -f {blocks} && exec {program} {line}");
    let output = Command::new("sh").args(["-c", &script]).current_dir(place.path("")).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    (told, place.contents().into_keys().filter(|path| path.is_file()).count())
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_whole_blocks() {
    let place = Place::new();
    let line = "triples generate --rows 64 --cols 64 --inner 1 --bits 20 --count 1 --out t";
    // Not even the seed, then the seed and the manifest.
    let (told, left) = on_full_disk(&place, 0, line);
    assert!(told.contains("t/secret-seed: cannot be written") && left == 0, "{told}");
    assert!(!place.path("t").exists());
    let (told, left) = on_full_disk(&place, 40, line);
    assert!(told.contains("party-0/block-00000000: cannot be written") && left == 2, "{told}");
    place.call(line).text();
    place.call("triples verify t").text();
    let files = |place: &Place| -> BTreeMap<PathBuf, Vec<u8>> {
        place.contents().into_iter().filter(|(path, _)| path.is_file()).collect()
    };
    let whole = files(&place);
    for format in ["npz", "mp-spdz"] {
        let (told, _) = on_full_disk(&place, 40, &format!("triples export --format {format} t --out out"));
        assert!(told.contains("out") && told.contains("cannot be written"), "{told}");
        assert!(files(&place) == whole);
    }
}

/// Of a block that the disk has no room for, other parties' shares may be there: all are made again, and are the same.
#[cfg(unix)]
#[test]
fn a_disk_that_fills_up_between_parties_leaves_their_shares_usable() {
    let place = Place::new();
    let line = format!("{SMALL_BLOCKS} --count 3 --out t");
    assert!(start(&place, &line).wait().unwrap().success());
    let whole = whole_files(&place.path("t"));
    for party in [0, 1] {
        // A folder in the way of what is written fails as a full disk does.
        let (gone, part) = (block(&place, party, 1), block(&place, party, 1).with_added_extension("part"));
        std::fs::remove_file(&gone).unwrap();
        std::fs::create_dir(&part).unwrap();
        let output = place.call(&line).args(SEED).output();
        assert_eq!(output.status.code(), Some(2));
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains(&format!("party-{party}/block-00000001: cannot be written")), "{told}");
        std::fs::remove_dir(&part).unwrap();
        assert!(start(&place, &line).wait().unwrap().success());
        assert!(whole_files(&place.path("t")) == whole);
    }
}

/// The files of a folder, those of killed calls that aren't in their place left out.
fn whole_files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(below) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(below) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|end| end != "part") {
                files.insert(path.strip_prefix(folder).unwrap().to_owned(), std::fs::read(path).unwrap());
            }
        }
    }
    files
}

fn start(place: &Place, line: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_asanoha"));
    command.args(line.split_whitespace()).args(SEED).current_dir(place.path(""));
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Kills a run so often, at points all over its length, and goes on: at the end the folder is the one of a run that
/// wasn't killed, and in between every file is one of that.
#[cfg(unix)]
fn killed(times: u32) {
    let place = Place::new();
    let count = 2 * times + 6;
    let line = |out: &str| format!("{SMALL_BLOCKS} --count {count} --out {out}");
    assert!(start(&place, &line("whole")).wait().unwrap().success());
    let whole = whole_files(&place.path("whole"));
    let begins =
        ["listening", "making triples", "written secret-seed", "moving manifest", "delivered manifest"];
    let blocks = (0..times).map(|block| {
        let event = ["written", "moving", "delivered"][block as usize % 3];
        format!("{event} block-{block:08}")
    });
    for point in begins.map(str::to_owned).into_iter().chain(blocks) {
        Paused::at(&point, &place, &format!("{} {}", line("t"), SEED.join(" "))).killed();
        for (path, contents) in whole_files(&place.path("t")) {
            assert!(whole[&path] == contents, "{} at {point}", path.display());
        }
    }
    assert!(start(&place, &line("t")).wait().unwrap().success());
    assert!(whole_files(&place.path("t")) == whole);
    assert_eq!(
        place.contents().keys().filter(|path| path.extension().is_some_and(|end| end == "part")).count(),
        0
    );
    place.call("triples verify t --insecure").text();
}

#[cfg(unix)]
#[test]
fn a_run_that_is_killed_goes_on_and_ends_with_the_same_files() {
    killed(3);
}

#[cfg(unix)]
#[test]
#[ignore = "slow"]
fn a_run_that_is_killed_twenty_times_ends_with_the_same_files() {
    killed(20);
}
