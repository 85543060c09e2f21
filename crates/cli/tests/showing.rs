//! Servers that put parts of the secret key into results, and the grounds on which results may be shown. Each attack is a test.

use std::fmt::Write as _;

use crate::common::Place;
use asanoha_testkit::OpenFile;
use serde_json::{Value, json};

const DECRYPT: &str = "decrypt --plan plan.json --keys keys --in";

/// Makes a plan with keys, encrypts, and evaluates twice: to `results` and to `second`.
fn place(program: &str, data: &str, planning: &str) -> Place {
    let place = Place::new();
    place.write("p.asa", program);
    place.write("d.csv", data);
    place.call(&format!("plan p.asa --data d.csv {planning} --out plan.json")).text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    for results in ["results", "second"] {
        place.call(&format!("evaluate --plan plan.json --keys keys --in in --out {results}")).text();
    }
    place
}

/// The data of the columns a and b.
fn columns(rows: usize, row: impl Fn(usize) -> (i64, i64)) -> String {
    (0..rows).fold("a,b\n".to_owned(), |mut text, at| {
        let (a, b) = row(at);
        let _ = writeln!(text, "{a},{b}");
        text
    })
}

/// Changes words of the first tensor of the results, of which the shape is given, and writes them as `forged` with a right digest.
fn forge(place: &Place, change: impl Fn(&[usize], &mut [u64])) {
    let mut file = OpenFile::read(&place.path("results"));
    let (_, tensor) = file.tensors.iter().next().unwrap();
    let offsets = [0, 1].map(|end| tensor["data_offsets"][end].as_u64().unwrap() as usize);
    let shape: Vec<usize> =
        tensor["shape"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
    let bytes = &mut file.body[offsets[0]..offsets[1]];
    let mut words: Vec<u64> =
        bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
    change(&shape, &mut words);
    bytes.copy_from_slice(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>());
    file.seal(&place.path("forged"));
}

/// Adds (0, K) to a ciphertext of two parts, for a constant K: its phase grows by K times the secret.
fn add_constant(place: &Place, constant: u64) {
    let primes = place.call("inspect plan.json").json()["params"]["primes"].clone();
    forge(place, |shape, words| {
        let &[2, levels, degree] = shape else { panic!("two parts, and not {shape:?}") };
        for (level, words) in words[levels * degree..].chunks_exact_mut(degree).enumerate() {
            let prime = primes[level].as_u64().unwrap();
            words.iter_mut().for_each(|word| *word = (*word + constant) % prime);
        }
    });
}

/// The outputs of a decryption for the key holder.
fn numbers(place: &Place, results: &str) -> Value {
    place.call(&format!("{DECRYPT} {results}")).json()["outputs"].clone()
}

/// Refuses a call and returns what it printed.
fn refusal(place: &Place, line: &str, code: i32, says: &[&str]) -> String {
    place.refuses(&format!("{line} --out shown.csv"), code, says);
    let output = place.call(&format!("{line} --json")).output();
    assert_eq!(output.status.code(), Some(code));
    [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat()
}

/// No ground lets the forged results be shown, and honest ones are shown.
fn only_honest_results_are_shown(place: &Place, publish: &str, is_exact: bool) {
    let forged = format!("{DECRYPT} forged{publish}");
    let text = place.call(&format!("{DECRYPT} forged")).text();
    assert!(text.contains("for the key holder only") && !text.contains("can be shown"), "{text}");
    let without = format!("{DECRYPT} forged --publish 30");
    place.refuses(&without, 2, &["secret key", "--same-as FILE", "--trust-server"]);
    let said = refusal(place, &format!("{forged} --same-as second"), 3, &["second evaluation", "keygen"]);
    assert!(!said.contains("\"outputs\""), "{said}");
    refusal(place, &format!("{forged} --same-as forged"), 2, &["which this command reads"]);
    let data = format!("{forged} --data d.csv");
    if is_exact {
        refusal(place, &data, 3, &["differs from the plain computation", "do not tell"]);
    } else {
        refusal(place, &data, 2, &["--same-as"]);
    }
    refusal(place, &format!("{forged} --trust-server"), 3, &["bits", "--same-as", "keygen"]);

    let honest = format!("{DECRYPT} results{publish}");
    let report = place.call(&format!("{honest} --same-as second")).json();
    let counts = |shown: &Value| shown["bits"].is_null() && shown["limit_bits"].is_null();
    assert!(report["shown"]["ground"] == "second-evaluation" && counts(&report["shown"]), "{report}");
    let text = place.call(&format!("{honest} --same-as second")).text();
    assert!(text.contains("the same as second: they can be shown"), "{text}");
    if is_exact {
        let report = place.call(&format!("{honest} --data d.csv")).json();
        assert_eq!(report["shown"]["ground"], "plain-computation");
        let text = place.call(&format!("{honest} --data d.csv")).text();
        assert!(text.contains("equal to the plain computation on d.csv: they can be shown"), "{text}");
    }
    assert_eq!(place.call(&format!("{DECRYPT} results")).json()["shown"], Value::Null);
}

#[test]
fn bits_of_a_tfhe_key_in_results_are_not_shown() {
    let rows = 16;
    let place = place(
        "s = a + b\n",
        &columns(rows, |row| (row as i64 % 2, 1)),
        "--range a=0:3 --range b=0:3 --scheme tfhe",
    );
    // The message of a digit is above its five highest bits.
    forge(&place, |shape, words| {
        let of_digit = *shape.last().unwrap();
        let of_row = words.len() / rows;
        assert!(of_row.is_multiple_of(of_digit));
        for row in 0..rows {
            let mask = &mut words[row * of_row + row];
            *mask = mask.wrapping_sub(1 << 59);
        }
    });
    // The attack works: each number tells a bit of the key.
    let (honest, forged) = (numbers(&place, "results"), numbers(&place, "forged"));
    let secret = OpenFile::read(&place.path("keys/secret.safetensors"));
    let start = secret.tensors["glwe"]["data_offsets"][0].as_u64().unwrap() as usize;
    for row in 0..rows {
        let [honest, forged] = [&honest, &forged].map(|numbers| numbers["s"][row].as_i64().unwrap());
        assert_eq!(forged - honest, i64::from(secret.body[start + 8 * row]), "row {row}");
    }
    only_honest_results_are_shown(&place, "", true);
}

#[test]
fn a_bgv_key_in_a_difference_is_not_shown() {
    // A range that fills the plaintext modulus refuses no number, and all slots hold rows.
    let rows = 1 << 12;
    let data = columns(rows, |row| (row as i64 * 7 % 30_000, row as i64 * 11 % 30_000));
    let place = place("d = a - b\n", &data, "--range a=0:32768 --range b=0:32768 --scheme bgv");
    add_constant(&place, 1);
    let (honest, forged) = (numbers(&place, "results"), numbers(&place, "forged"));
    let differs = |at: &usize| honest["d"][*at] != forged["d"][*at];
    assert!((0..rows).filter(differs).count() > rows / 2, "the key is in the numbers");
    only_honest_results_are_shown(&place, "", true);
}

#[test]
fn a_ckks_key_in_flooded_results_is_not_shown() {
    let rows = 300;
    let data = (0..rows).fold("x\n".to_owned(), |mut text, row| {
        let _ = writeln!(text, "{}", f64::from(row) / 512.0 + 0.001);
        text
    });
    let planning = "--range x=0:1 --scheme ckks --precision-bits 6 --publish 30";
    let place = place("y = 0.5 * x\n", &data, planning);
    // The multiple of the key is no vector of real numbers that repeats after the rows.
    add_constant(&place, 1 << 38);
    for more in ["", " --publish 30 --trust-server", " --publish 30 --same-as forged-too"] {
        std::fs::copy(place.path("forged"), place.path("forged-too")).unwrap();
        refusal(&place, &format!("{DECRYPT} forged{more}"), 3, &["`y`, one of the rows 1 to 300", "copies"]);
    }
    // One that is smaller than the errors passes, and tells of the key what noise hides.
    add_constant(&place, 1);
    only_honest_results_are_shown(&place, " --publish 30", false);
}

#[test]
fn numbers_of_a_trusted_server_are_counted_up_to_the_limit_of_the_key() {
    let place = place(
        "m = a + b\nt = sum(m)\n",
        &columns(1, |_| (5, 9)),
        "--range a=0:15 --range b=0:15 --scheme bgv",
    );
    // m has 5 bits and t too.
    let line = format!("{DECRYPT} results --trust-server");
    let shown = place.call(&line).json()["shown"].clone();
    assert_eq!(shown["ground"], "trusted-server");
    let (bits, limit) = (shown["bits"].as_u64().unwrap(), shown["limit_bits"].as_u64().unwrap());
    assert_eq!((bits, &shown["all_bits"]), (10, &json!(10)));
    // The same results count once.
    assert_eq!(place.call(&line).json()["shown"]["all_bits"], 10);
    let text = place.call(&line).text();
    let says = ["they can be shown if the server followed the plan", &format!("10 of at most {limit}")];
    assert!(says.iter().all(|says| text.contains(says)), "{text}");
    // Other results count anew, until the key bears no more.
    let mut all = bits;
    loop {
        place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
        place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
        if all + bits > limit {
            refusal(&place, &line, 3, &["10 bits", &all.to_string(), &limit.to_string(), "--data FILE"]);
            break;
        }
        all += bits;
        assert_eq!(place.call(&line).json()["shown"]["all_bits"], all);
    }
    // Checked results are shown all the same, and nothing more is counted.
    place.call("evaluate --plan plan.json --keys keys --in in --out second").text();
    for ground in ["--same-as second", "--data d.csv"] {
        let report = place.call(&format!("{DECRYPT} results --in-of in {ground}")).json();
        assert_eq!(report["shown"]["all_bits"], Value::Null);
    }
    // A record that is edited or missing counts nothing.
    let record = place.path("keys/published.json");
    let honest = std::fs::read_to_string(&record).unwrap();
    let edited = honest.replacen("\"bits\":10", "\"bits\":1", 1);
    assert_ne!(edited, honest);
    for (text, says) in [(Some(edited), "damaged"), (None, "no record")] {
        match text {
            Some(text) => std::fs::write(&record, text).unwrap(),
            None => std::fs::remove_file(&record).unwrap(),
        }
        refusal(&place, &format!("{line} --in-of in"), 2, &[says]);
    }
}

#[test]
fn a_rotated_key_counts_what_was_shown_under_the_old_one() {
    let data = "x\n1000\n-1024\n1023\n0\n";
    let place = place("y = x * x\ns = sum(x)\nm = mean(x)\n", data, "--scheme bfv");
    let before = place.call(&format!("{DECRYPT} results --trust-server")).json()["shown"]["bits"].clone();
    place.call("keygen --no-passphrase --plan plan.json --rotate keys --out new").text();
    place.call("encrypt --plan plan.json --keys new --data d.csv --out in").text();
    place.call("evaluate --plan plan.json --keys new --in in --out results").text();
    let line = "decrypt --plan plan.json --keys new --in results --in-of in --trust-server";
    // Both together are more than a key bears.
    refusal(&place, line, 3, &[&format!("{before} bits, {before} were shown under this key before")]);
}

#[test]
fn a_restored_backup_says_that_later_counts_are_missing() {
    let place = place(
        "m = a + b\n",
        &columns(2, |row| (row as i64, 1)),
        "--range a=0:15 --range b=0:15 --scheme bgv",
    );
    place.call(&format!("{DECRYPT} results --trust-server")).text();
    place.call("keys backup --keys keys --no-passphrase --out backup").text();
    place.call("keys restore backup --out again").text();
    let report = {
        std::fs::remove_dir_all(place.path("again")).unwrap();
        place.call("keys restore backup --out again").json()
    };
    assert_eq!(report["counts"], json!({ "publications": 0, "shown_bits": 10 }));
    std::fs::remove_dir_all(place.path("again")).unwrap();
    let text = place.call("keys restore backup --out again").text();
    assert!(text.contains("10 bits shown unchecked when the backup was made"), "{text}");
    assert!(text.contains("since then isn't counted") && text.contains("new keys"), "{text}");
}

#[test]
fn refusals_print_no_decrypted_number_and_name_the_row() {
    // A value that only a canary row or an altered one has: 9999 is in no range here.
    let place = place(
        "s = 3 * a + b\n",
        &columns(5, |row| (row as i64 * 50, 77)),
        "--range a=0:255 --range b=0:100 --scheme bgv",
    );
    add_constant(&place, 1 << 20);
    let output = place.call(&format!("{DECRYPT} forged --json")).output();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("`s`") && said.contains("do not tell the server why"), "{said}");
    assert!(said.contains("keygen --force") && !said.contains("evaluate again"), "{said}");
    let error: Value = serde_json::from_str(said.lines().next().unwrap()).unwrap();
    let figures = error["error"]["figures"].as_object().unwrap();
    let known = ["output", "first_row", "last_row"];
    assert!(figures.keys().all(|key| known.contains(&&**key)), "{said}");
    // No number stands there but rows and ends of ranges.
    let message = error["error"]["message"].as_str().unwrap();
    let numbers = message.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<u64>().ok());
    let allowed = [0, 1, 2, 3, 4, 5, 865];
    for number in numbers {
        assert!(allowed.contains(&number), "{number}: {message}");
    }
}
