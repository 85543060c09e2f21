//! `asanoha keygen --rotate` and `asanoha reencrypt`: old files go on under new keys.

use std::path::Path;

use serde_json::{Value, json};

use crate::common::Place;

const WORD: &str = "ASANOHA_PASSPHRASE";

/// A place with data, a plan of a scheme, and keys that its secret is readable in.
fn place(scheme: &str, flags: &str) -> Place {
    let place = Place::new();
    place.write("p.asa", "y = x * x\ns = sum(x)\nm = mean(x)");
    place.write("d.csv", "x\n1000\n-1024\n1023\n0\n");
    let data = if scheme == "ckks" { "--real x" } else { "" };
    place.call(&format!("plan p.asa --data d.csv --scheme {scheme} {data} {flags} --out plan.json")).text();
    place
}

fn keygen(place: &Place, folder: &str, old: Option<&str>) {
    let rotate = old.map_or_else(String::new, |old| format!(" --rotate {old}"));
    place.call(&format!("keygen --no-passphrase --plan plan.json --out {folder}{rotate}")).text();
}

fn step(place: &Place, line: &str) -> Value {
    place.call(&line.replacen(' ', " --plan plan.json ", 1)).json()
}

/// Holds decrypted results against the right ones and their error bounds.
fn check(results: &Value) {
    let right = json!({ "y": [1_000_000, 1_048_576, 1_046_529, 0], "s": [999], "m": [249.75] });
    for (at, name) in ["y", "s", "m"].into_iter().enumerate() {
        let found = results["outputs"][name].as_array().unwrap();
        let right = right[name].as_array().unwrap();
        assert_eq!(found.len(), right.len(), "{results}");
        let bound = results["error_bounds"].get(at).and_then(Value::as_f64).unwrap_or(1e-12);
        for (found, right) in found.iter().zip(right) {
            let number = |value: &Value| match value {
                Value::String(text) => {
                    let (p, q) = text.split_once('/').unwrap();
                    p.parse::<f64>().unwrap() / q.parse::<f64>().unwrap()
                }
                value => value.as_f64().unwrap(),
            };
            let off = (number(found) - number(right)).abs();
            assert!(off <= bound, "{name}: {found} for {right}, off by {off:e} of {bound:e}");
        }
    }
}

#[test]
fn old_results_and_old_inputs_go_on_under_rotated_keys() {
    for scheme in ["bgv", "bfv", "ckks"] {
        // Decryption needs the records of the inputs: of the rows, and of the canaries.
        let place = place(scheme, "--rows 60");
        keygen(&place, "old", None);
        step(&place, "encrypt --keys old --data d.csv --canaries 7 --out in");
        step(&place, "evaluate --keys old --in in --out results");
        let before = step(&place, "decrypt --keys old --in results --in-of in");
        check(&before);

        let made = step(&place, "keygen --no-passphrase --out new --rotate old");
        assert_eq!(made["rotated"]["records"], 1);
        assert!(made["files"]["reencryption.safetensors"].as_u64().unwrap() > 0);
        let moved = step(&place, "reencrypt --keys new --in results --out new-results");
        assert_eq!(moved["key_generation"], made["rotated"]["to"]);
        assert_eq!(moved["reencryptions"], json!({ "inputs": 0, "results": 1 }));
        for in_of in ["", " --in-of in"] {
            let after = step(&place, &format!("decrypt --keys new --in new-results{in_of}"));
            check(&after);
            assert_eq!((&after["canaries"]["rows"], &after["canaries"]["wrong"]), (&json!(7), &json!(0)));
            assert_eq!(
                after["inputs"],
                json!({ "digest": before["inputs"]["digest"], "checked": !in_of.is_empty(), "recorded": true })
            );
        }
        let moved = step(&place, "reencrypt --keys new --in in --out new-in");
        assert_eq!(moved["inputs_digest"], before["inputs"]["digest"]);
        let record = record_of(&place, "new", &moved);
        assert_eq!((record["rotations"].as_u64(), record["rows"].as_u64()), (Some(1), Some(11)));
        step(&place, "evaluate --keys new --in new-in --out later");
        check(&step(&place, "decrypt --keys new --in later --in-of in"));
        place.refuses(
            "decrypt --plan plan.json --keys new --in later --in-of new-in",
            2,
            &["new-in: these inputs are re-encrypted", "--in-of"],
        );
        // Nothing of it is needed for the old files.
        check(&step(&place, "decrypt --keys old --in results"));

        // And once more, from the rotated keys.
        keygen(&place, "next", Some("new"));
        step(&place, "reencrypt --keys next --in later --out next-results");
        assert_eq!(record_of(&place, "next", &moved)["rotations"], 2);
        std::fs::remove_dir_all(place.path("old")).unwrap();
        std::fs::remove_dir_all(place.path("new")).unwrap();
        check(&step(&place, "decrypt --keys next --in next-results --in-of in"));
        let marked = place.call("inspect next-results").json();
        assert_eq!(marked["fields"]["reencryptions"], json!({ "inputs": 1, "results": 1 }));
    }
}

/// The record of the first inputs in a folder of keys, by the report of their re-encryption.
fn record_of(place: &Place, folder: &str, moved: &Value) -> Value {
    let digest = moved["inputs_digest"].as_str().unwrap();
    let text = std::fs::read(place.path(&format!("{folder}/inputs-{digest}.json"))).unwrap();
    serde_json::from_slice(&text).unwrap()
}

#[test]
fn results_name_no_inputs_of_before_a_rotation_to_be_allowed_more_noise() {
    for scheme in ["bgv", "ckks"] {
        let place = place(scheme, "");
        keygen(&place, "old", None);
        step(&place, "encrypt --keys old --data d.csv --out before");
        keygen(&place, "new", Some("old"));
        step(&place, "encrypt --keys new --data d.csv --out after");
        step(&place, "reencrypt --keys new --in before --out moved");
        for (inputs, named) in [("moved", "before"), ("after", "after")] {
            step(&place, &format!("evaluate --keys new --in {inputs} --out results-of-{inputs}"));
            let line = format!("decrypt --plan plan.json --keys new --in results-of-{inputs}");
            place.refuses(&line, 2, &["replaced a different number of times", "--in-of"]);
            check(&place.call(&format!("{line} --in-of {named}")).json());
        }
    }
}

#[test]
fn each_folder_keeps_its_own_passphrase() {
    let place = place("bgv", "");
    for word in ["one", "two"] {
        place.write(word, word);
    }
    let keygen = "keygen --plan plan.json";
    place.call(&format!("{keygen} --out old")).env(WORD, "one").text();
    // One passphrase for both, from the variable or of the new file.
    place.call(&format!("{keygen} --out a --rotate old")).env(WORD, "one").text();
    place.call(&format!("{keygen} --out b --rotate old --passphrase-file one")).text();
    place
        .call(&format!("{keygen} --out new --rotate old --passphrase-file two --old-passphrase-file one"))
        .text();
    place.call(&format!("{keygen} --out open --rotate old --no-passphrase --old-passphrase-file one")).text();
    assert!(place.path("new/secret.sealed").exists() && place.path("open/secret.safetensors").exists());
    place.call("encrypt --plan plan.json --keys old --data d.csv --out in").text();
    place.call("reencrypt --plan plan.json --keys new --in in --out new-in").text();
    place.call("evaluate --plan plan.json --keys new --in new-in --out results").text();
    // They were encrypted after the keys were rotated, so that their record wasn't copied.
    let unrecorded = "decrypt --plan plan.json --keys new --rows 4 --in results";
    for (rotations, known) in [("", 0), (" --rotations 2", 2)] {
        place.refuses(
            &format!("{unrecorded}{rotations} --passphrase-file two"),
            2,
            &["the results state 1 re-encryptions", &format!("were replaced {known} times"), "--rotations"],
        );
    }
    let decrypt = "decrypt --plan plan.json --keys new --rows 4 --rotations 1 --in results";
    check(&place.call(decrypt).env(WORD, "two").json());
    place.refuses(&format!("{decrypt} --passphrase-file one"), 2, &["the passphrase isn't the one"]);

    for (line, says) in [
        ("--rotate old --no-passphrase", &["old: the secret key needs its passphrase"][..]),
        ("--rotate old --passphrase-file two", &["old", "the passphrase isn't the one"]),
        ("--rotate old --passphrase-file one --old-passphrase-file two", &["the passphrase isn't the one"]),
        ("--rotate old --passphrase-file two --old-passphrase-file none", &["none", "cannot be read"]),
        (
            "--rotate open --passphrase-file two --old-passphrase-file one",
            &["open", "leave out --old-passphrase-file"],
        ),
        ("--no-passphrase --old-passphrase-file one", &["--rotate"]),
    ] {
        place.refuses(&format!("{keygen} --out c {line}"), 2, says);
    }
}

#[test]
fn keys_that_cannot_be_rotated_are_refused_and_nothing_is_lost() {
    let place = place("bgv", "");
    keygen(&place, "keys", None);
    let line = "keygen --no-passphrase --plan plan.json";
    for (flags, says) in [
        ("--out new --rotate none", &["none: there is no such folder"][..]),
        ("--out new --rotate d.csv", &["d.csv"]),
        ("--out keys --rotate keys", &["which this command reads"]),
        ("--out keys --rotate keys --force", &["which this command reads"]),
        ("--out ./keys/ --rotate keys --force", &["which this command reads"]),
    ] {
        place.refuses(&format!("{line} {flags}"), 2, says);
    }
    // The server's part alone has no secret.
    std::fs::create_dir(place.path("server")).unwrap();
    let evaluation = "evaluation.safetensors";
    std::fs::copy(place.path("keys").join(evaluation), place.path("server").join(evaluation)).unwrap();
    place.refuses(&format!("{line} --out new --rotate server"), 2, &["server: there is no secret key"]);
    // Keys of other parameters.
    place.call("plan p.asa --data d.csv --scheme ckks --real x --out other.json").text();
    place.refuses(
        "keygen --no-passphrase --plan other.json --out new --rotate keys",
        2,
        &["keys/secret.safetensors", "other parameters"],
    );
    // A truncated secret.
    let secret = place.path("keys/secret.safetensors");
    let whole = std::fs::read(&secret).unwrap();
    std::fs::write(&secret, &whole[..whole.len() - 8]).unwrap();
    place.refuses(&format!("{line} --out new --rotate keys"), 2, &["truncated"]);
    std::fs::write(&secret, whole).unwrap();
    // The same seed makes the same secret.
    let seeded = "--seed 7 --insecure";
    place.call(&format!("{line} --out seeded {seeded}")).text();
    let same = place.call(&format!("{line} --out new --rotate seeded {seeded}")).output();
    let told = String::from_utf8(same.stderr).unwrap();
    assert!(same.status.code() == Some(2) && told.contains("of one key generation"), "{told}");
    assert!(!place.path("new").exists());
    place.refuses(&format!("{line} --out new --rotate seeded"), 2, &["made from a given seed"]);
    place.call(&format!("{line} --out marked --rotate seeded --insecure")).text();
    let read = "reencrypt --plan plan.json --keys marked";
    place.call(&format!("encrypt --plan plan.json --keys seeded --data d.csv --out in {seeded}")).text();
    place.refuses(&format!("{read} --in in --out out"), 2, &["made from a given seed"]);
    place.call(&format!("{read} --in in --out out --insecure")).text();
    // What was made from a seed keeps the mark under keys that weren't.
    place.refuses("evaluate --plan plan.json --keys marked --in out --out r", 2, &["out", "given seed"]);
}

#[test]
fn schemes_and_plans_without_key_switching_are_refused_before_anything_is_read() {
    let tfhe = Place::new();
    tfhe.write("p.asa", "y = x + 1");
    tfhe.write("d.csv", "x\n1\n2\n");
    tfhe.call("plan p.asa --data d.csv --scheme tfhe --out plan.json").text();
    let line = "keygen --no-passphrase --plan plan.json --out new --rotate none";
    let again = "decrypt with the old keys and encrypt again under the new ones";
    tfhe.refuses(line, 2, &["ciphertexts of TFHE can't be re-encrypted", again]);
    tfhe.refuses("reencrypt --plan plan.json --keys new --in d.csv --out out", 2, &["TFHE", again]);
    let sums = Place::new();
    sums.write("p.asa", "y = x + 1");
    sums.write("d.csv", "x\n1\n2\n");
    sums.call("plan p.asa --data d.csv --scheme bgv --out plan.json").text();
    sums.refuses(line, 2, &["a plan without key switching can't be re-encrypted", again]);
}

#[test]
fn a_reencryption_that_cannot_be_is_refused_and_says_why() {
    let place = place("ckks", "");
    keygen(&place, "one", None);
    keygen(&place, "two", Some("one"));
    keygen(&place, "three", Some("two"));
    step(&place, "encrypt --keys one --data d.csv --out in");
    step(&place, "evaluate --keys one --in in --out results");
    step(&place, "reencrypt --keys two --in in --out in-two");
    let line =
        |keys: &str, input: &str| format!("reencrypt --plan plan.json --keys {keys} --in {input} --out out");
    // Of another key generation, and under the new one already.
    place.refuses(
        &line("three", "in"),
        2,
        &["takes ciphertexts of", "was made from the ciphertexts' key generation"],
    );
    place.refuses(&line("two", "in-two"), 2, &["already"]);
    step(&place, "reencrypt --keys three --in in-two --out in-three");
    place.refuses(
        "evaluate --plan plan.json --keys two --in in-three --out r",
        2,
        &["can't be used on ciphertexts of"],
    );
    // Keys that weren't rotated, and files that hold no ciphertexts.
    place.refuses(&line("one", "in"), 2, &["one/reencryption.safetensors"]);
    place.refuses(&line("two", "one/public.safetensors"), 2, &["it holds public key", "inputs or results"]);
    place.refuses(&line("two", "plan.json"), 2, &["plan.json"]);
    place.refuses(&line("two", "none"), 2, &["none"]);
    place.refuses("reencrypt --plan plan.json --keys two --in in --out in", 2, &["which this command reads"]);
    place.refuses(
        "reencrypt --plan plan.json --keys two --in in --out two/reencryption.safetensors",
        2,
        &["which this command reads"],
    );
    // Of another plan: its parameters, or its program.
    place.write("q.asa", "y = x * x * x");
    place.call("plan q.asa --data d.csv --scheme ckks --real x --out other.json").text();
    let other = "reencrypt --plan other.json --keys two --in in --out out";
    place.refuses(other, 2, &["other parameters"]);
    // A damaged key.
    let key = place.path("two/reencryption.safetensors");
    let whole = std::fs::read(&key).unwrap();
    for length in [0, 30, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&key, &whole[..length]).unwrap();
        place.refuses(&line("two", "in"), 2, &["reencryption.safetensors"]);
    }
    let mut altered = whole.clone();
    *altered.last_mut().unwrap() ^= 1;
    std::fs::write(&key, altered).unwrap();
    place.refuses(&line("two", "in"), 2, &["its digest doesn't match"]);
    // A key of another generation among the others.
    std::fs::copy(place.path("three/reencryption.safetensors"), &key).unwrap();
    place.refuses(&line("two", "in"), 2, &["is of key generation"]);
    // Folders of keys that aren't rotated lose a key that was there.
    std::fs::write(&key, whole).unwrap();
    place.call("keygen --no-passphrase --plan plan.json --out two --force").text();
    assert!(!Path::new(&key).exists());
    // Approximate results are published with the old keys only.
    step(&place, "reencrypt --keys three --in in-two --out again");
    step(&place, "evaluate --keys three --in again --out results-three");
    place.refuses(
        "decrypt --plan plan.json --keys three --rows 4 --in results-three --publish 30 --trust-server",
        2,
        &["can't be published", "publish with the old keys"],
    );
}

#[cfg(unix)]
#[test]
fn an_interrupted_rotation_leaves_the_old_keys_whole_and_can_be_made_again() {
    use crate::common::paused::Paused;

    let place = place("bgv", "--rows 9");
    keygen(&place, "old", None);
    step(&place, "encrypt --keys old --data d.csv --out in");
    step(&place, "evaluate --keys old --in in --out results");
    let before = place.contents();
    let line = "keygen --no-passphrase --plan plan.json --out new --rotate old";
    let points = [
        "listening",
        "making keys",
        "written secret.safetensors",
        "written reencryption.safetensors",
        "written inputs-",
    ];
    for point in points {
        let output = Paused::at(point, &place, line).stopped_by("TERM");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("stopped by SIGTERM"), "{point}: {told}");
        assert!(place.contents() == before, "{point}: {told}");
    }
    // Killed, it can't remove what it made; the old folder is as it was, and the new one is made over.
    for point in
        ["making keys", "written reencryption.safetensors", "moving public.safetensors", "moving inputs-"]
    {
        Paused::at(point, &place, line).killed();
        let now = place.contents();
        assert!(before.iter().all(|(path, contents)| now.get(path) == Some(contents)), "{point}");
        check(&step(&place, "decrypt --keys old --in results"));
        place.call(&format!("{line} --force")).text();
        step(&place, "reencrypt --keys new --in results --out new-results");
        check(&step(&place, "decrypt --keys new --in new-results"));
        let files = |folder: &str| std::fs::read_dir(place.path(folder)).unwrap().count();
        assert_eq!(files("new"), files("old") + 1, "{point}");
        std::fs::remove_dir_all(place.path("new")).unwrap();
        std::fs::remove_file(place.path("new-results")).unwrap();
    }
}
