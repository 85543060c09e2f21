//! Secret keys under a passphrase.

use crate::{common::Place, json_page::compare};

const KEYGEN: &str = "keygen --plan plan.json --out keys";
const ENCRYPT: &str = "encrypt --plan plan.json --keys keys --data d.csv --out in";
const EVALUATE: &str = "evaluate --plan plan.json --keys keys --in in --out results";
const DECRYPT: &str = "decrypt --plan plan.json --keys keys --in results";
const VARIABLE: &str = "ASANOHA_PASSPHRASE";

/// A place with a plan of a scheme.
fn place(scheme: &str) -> Place {
    let place = Place::new();
    place.write("p.asa", "y = x + 1\ns = sum(x)");
    place.write("d.csv", "x\n1000003\n-7\n65000\n");
    place.call(&format!("plan p.asa --data d.csv --scheme {scheme} --out plan.json")).text();
    place
}

fn check(results: &serde_json::Value) {
    assert_eq!(results["outputs"]["y"], serde_json::json!([1_000_004, -6, 65001]));
    assert_eq!(results["outputs"]["s"], serde_json::json!([1_064_996]));
}

#[test]
fn a_passphrase_is_needed_unless_it_is_declined() {
    let place = place("bgv");
    place.refuses(KEYGEN, 2, &["needs a passphrase", "--passphrase-file", VARIABLE, "--no-passphrase"]);
    place.call(&format!("{KEYGEN} --no-passphrase")).text();
    assert!(place.path("keys/secret.safetensors").exists() && !place.path("keys/secret.sealed").exists());
    place.call(ENCRYPT).text();
    place.call(EVALUATE).text();
    check(&place.call(DECRYPT).json());
    // Nothing there has one.
    place.write("word", "x\n");
    place.refuses(&format!("{DECRYPT} --passphrase-file word"), 2, &["keys", "leave out --passphrase-file"]);
    place.refuses(
        &format!("{KEYGEN} --no-passphrase --passphrase-file word --force"),
        2,
        &["cannot be used"],
    );
    // Keys of another kind take their place.
    place.call(&format!("{KEYGEN} --passphrase-file word --force")).text();
    assert!(!place.path("keys/secret.safetensors").exists() && place.path("keys/secret.sealed").exists());
    place.refuses(&format!("{KEYGEN} --no-passphrase"), 2, &["there are keys already", "--force"]);
    place.call(&format!("{KEYGEN} --no-passphrase --force")).text();
    assert!(place.path("keys/secret.safetensors").exists() && !place.path("keys/secret.sealed").exists());
}

#[test]
fn the_passphrase_alone_opens_the_key_however_it_is_given() {
    for scheme in ["bfv", "tfhe"] {
        let place = place(scheme);
        let made = place.call(KEYGEN).env(VARIABLE, "Stra\u{df}e caf\u{e9} 9").output();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let printed = [made.stdout, made.stderr].concat();
        let printed = String::from_utf8(printed).unwrap();
        assert!(printed.contains("secret.sealed") && !printed.contains("Stra"), "{printed}");
        // The same text in another form, and the ends of lines of two systems.
        place.write("word", "Stra\u{df}e cafe\u{301} 9\n");
        place.write("word-crlf", "Stra\u{df}e caf\u{e9} 9\r\n");
        place.call(&format!("{ENCRYPT} --passphrase-file word")).text();
        place.call(EVALUATE).text();
        check(&place.call(DECRYPT).env(VARIABLE, "Stra\u{df}e caf\u{e9} 9").json());
        check(&place.call(&format!("{DECRYPT} --passphrase-file word-crlf")).json());
        // The file counts, not the variable.
        check(&place.call(&format!("{DECRYPT} --passphrase-file word")).env(VARIABLE, "other").json());

        place.refuses(DECRYPT, 2, &["keys: the secret key needs its passphrase", "--passphrase-file"]);
        place.write("other", "Strasse cafe 9");
        place.refuses(&format!("{DECRYPT} --passphrase-file other"), 2, &["the passphrase isn't the one"]);
        place.refuses(&format!("{ENCRYPT}2 --passphrase-file other"), 2, &["the passphrase isn't the one"]);
    }
}

#[test]
fn without_the_passphrase_the_public_key_encrypts_and_tfhe_has_none() {
    let bgv = place("bgv");
    bgv.call(KEYGEN).env(VARIABLE, "x").text();
    bgv.call(ENCRYPT).text();
    bgv.call(EVALUATE).text();
    check(&bgv.call(DECRYPT).env(VARIABLE, "x").json());
    let public = bgv.path("in").metadata().unwrap().len();
    bgv.call(ENCRYPT).env(VARIABLE, "x").text();
    assert!(bgv.path("in").metadata().unwrap().len() < public * 2 / 3);

    let tfhe = place("tfhe");
    tfhe.call(KEYGEN).env(VARIABLE, "x").text();
    tfhe.refuses(ENCRYPT, 2, &["keys: the secret key needs its passphrase"]);
}

#[test]
fn passphrases_that_are_none_are_refused() {
    let place = place("bgv");
    place.write("long", "x".repeat(1025));
    place.write("empty", "\n");
    place.write("nothing", "");
    place.write("two", "one\ntwo\n");
    place.write("bytes", [0xff, 0xfe, 0x41]);
    for (file, says) in [
        ("long", "at most 1024 bytes"),
        ("empty", "an empty passphrase hides nothing"),
        ("nothing", "an empty passphrase hides nothing"),
        ("two", "one line"),
        ("bytes", "UTF-8"),
        ("none", "cannot be read"),
    ] {
        place.refuses(&format!("{KEYGEN} --passphrase-file {file}"), 2, &[file, says]);
    }
    place.write("long", format!("{}\n", "x".repeat(1024)));
    place.call(&format!("{KEYGEN} --passphrase-file long")).text();
    let report = place.call(&format!("{KEYGEN} --passphrase-file long --force")).json();
    assert!(report["files"]["secret.sealed"].as_u64().unwrap() > 0, "{report}");
    let output = place.call(KEYGEN).args(["--force"]).env(VARIABLE, "").output();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && stderr.contains("hides nothing"), "{stderr}");
}

#[test]
fn a_backup_gives_the_keys_and_records_again() {
    let place = Place::new();
    place.write("p.asa", "y = x * 2");
    place.write("d.csv", "x\n1000003\n-7\n");
    place.call("plan p.asa --data d.csv --rows 5 --scheme bgv --out plan.json").text();
    place.write("word", "one two");
    place.call(&format!("{KEYGEN} --passphrase-file word")).text();
    place.call(&format!("{ENCRYPT} --passphrase-file word")).text();
    place.call(EVALUATE).text();
    place.refuses("keys backup --keys keys --out kept", 2, &["keys: the secret key needs its passphrase"]);
    place.refuses("keys backup --keys keys --out kept --no-passphrase", 2, &["leave out --no-passphrase"]);
    place.write("other", "one tvo");
    let other = "keys backup --keys keys --out kept --passphrase-file other";
    place.refuses(other, 2, &["secret.sealed", "the passphrase isn't the one"]);
    let backup = "keys backup --keys keys --out kept --passphrase-file word";
    let text = place.call(backup).text();
    assert!(text.contains("secret.sealed, 1 record of encrypted inputs\n"), "{text}");
    let made = place.call(backup).json();
    let names: Vec<&str> =
        made["files"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(names.len() == 4 && names.iter().any(|name| name.starts_with("inputs-")), "{made}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(place.path("kept").metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    // The folder is lost.
    std::fs::remove_dir_all(place.path("keys")).unwrap();
    place.refuses("keys restore kept --out keys", 2, &["kept: it needs its passphrase"]);
    place.refuses(
        "keys restore kept --out keys --passphrase-file other",
        2,
        &["the passphrase isn't the one"],
    );
    place.refuses("keys restore d.csv --out keys --passphrase-file word", 2, &["d.csv", "isn't a backup"]);
    let mut bytes = std::fs::read(place.path("kept")).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    place.write("damaged", &bytes);
    place.write("short", &bytes[..bytes.len() / 2]);
    for file in ["damaged", "short"] {
        place.refuses(&format!("keys restore {file} --out keys --passphrase-file word"), 2, &[file]);
    }
    let text = place.call("keys restore kept --out keys --passphrase-file word").text();
    assert!(text.contains("1 record of encrypted inputs") && !text.contains("inputs-"), "{text}");
    let results = place.call(&format!("{DECRYPT} --passphrase-file word")).json();
    assert_eq!(results["outputs"]["y"], serde_json::json!([2_000_006, -14]));
    let again = "keys restore kept --out keys --passphrase-file word";
    place.refuses(again, 2, &["there are keys already"]);
}

#[test]
fn a_backup_of_readable_keys_is_encrypted_unless_that_is_declined() {
    let place = place("bfv");
    place.call(&format!("{KEYGEN} --no-passphrase")).text();
    place.call(ENCRYPT).text();
    place.call(EVALUATE).text();
    place.refuses("keys backup --keys keys --out kept", 2, &["needs a passphrase", "--no-passphrase"]);
    place.refuses("keys backup --keys none --out kept --no-passphrase", 2, &["none"]);
    place.refuses("keys backup --keys keys --out keys/secret.safetensors --no-passphrase", 2, &["reads"]);
    place.write("word", "x");
    for flag in ["--no-passphrase", "--passphrase-file word"] {
        let made = place.call(&format!("keys backup --keys keys --out kept {flag}")).json();
        assert_eq!(made["encrypted"], !flag.contains("no-"));
        let open = if flag.contains("no-") { "" } else { flag };
        place.call(&format!("keys restore kept --out again {open}")).text();
        check(&place.call("decrypt --plan plan.json --keys again --in results").json());
        std::fs::remove_dir_all(place.path("again")).unwrap();
    }
    place.call("keys backup --keys keys --out kept --no-passphrase").text();
    place.refuses(
        "keys restore kept --out again --passphrase-file word",
        2,
        &["leave out --passphrase-file"],
    );
}

#[test]
fn keys_of_backups_are_documented() {
    let place = Place::new();
    place.write("p.asa", "y = x * 2");
    place.write("d.csv", "x\n1\n2\n");
    place.call("plan p.asa --data d.csv --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    let backup = place.call("keys backup --keys keys --out kept --no-passphrase").json();
    compare("asanoha keys backup", &[backup]);
    compare("asanoha keys restore", &[place.call("keys restore kept --out again").json()]);
}
