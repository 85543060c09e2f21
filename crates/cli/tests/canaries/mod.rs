//! Canaries: what an honest server's client gets, and what a server that alters results is noticed by. Each attack is a test.

mod parties;

use std::path::PathBuf;

use crate::common::{Place, has_keys};
use asanoha::{
    execute::{Contents, EvaluationKey, MOST_CANARY_RESULTS, plan_of},
    plan::SecurityCheck,
    programs::*,
};
use asanoha_testkit::OpenFile;
use serde_json::{Value, json};

use parties::{numbers, with_added};

const DECRYPT: &str = "decrypt --plan plan.json --keys keys --in results";

/// Plans with some flags, and makes keys.
fn planned(program: &str, data: &str, flags: &str) -> Place {
    let place = Place::new();
    place.write("p.asa", program);
    place.write("d.csv", data);
    place.call(&format!("plan p.asa --data d.csv {flags} --out plan.json")).text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place
}

/// Encrypts with some flags and evaluates; the report of the encryption.
fn evaluated(place: &Place, flags: &str) -> Value {
    let line = format!("encrypt --plan plan.json --keys keys --data d.csv --out in {flags}");
    let report = place.call(&line).json();
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    report
}

/// The record of the encrypted inputs.
fn record(place: &Place, report: &Value) -> PathBuf {
    place.path(&format!("keys/inputs-{}.json", report["inputs_digest"].as_str().unwrap()))
}

/// Alters the results in a file, as a server does: with public keys, and with a digest that is right.
fn alter(place: &Place, alter: impl FnOnce(&EvaluationKey, Encrypted) -> Encrypted) {
    let path = place.path("results");
    let backend = Backend::detect().unwrap();
    let plan = Plan::read(&place.path("plan.json"), SecurityCheck::Required, backend).unwrap();
    let plan = plan_of(&plan, &*path).unwrap();
    let results = Encrypted::read(&plan, Contents::Outputs, &*path).unwrap();
    let keys = Keys::read_evaluation(&plan, &place.path("keys")).unwrap();
    alter(&keys, results).write(&plan, Contents::Outputs, &*path).unwrap();
}

#[test]
fn exact_results_are_those_of_the_data_whatever_the_number_of_canaries() {
    let program = "y = x * x + z\nn = sum(t == 'b')\ns = 5 - 2 * sum(x)\nm = mean(x * z) + 0.5\nd = dot(x, z)\n\
                   w = mean_where(z, t == 'a')\nf = least_squares(z, [x])\nq = ratio(sum(z), sum(x))\nc = 7\n";
    let data = "x,z,t\n3,2,a\n1,,b\n4,-1,b\n1,8,a\n5,-2,c\n9,0,b\n2,4,a\n6,-5,c\n5,3,a\n";
    for (scheme, counts) in [("bgv", &[1, 3, 20][..]), ("bfv", &[4]), ("tfhe", &[2])] {
        let program =
            if scheme == "tfhe" { "y = x - z\ns = sum(x) + 1\nm = mean(z)\nc = 7\n" } else { program };
        let flags = format!("--missing mask --range x=0:15 --range z=-8:15 --rows 28 --scheme {scheme}");
        let place = planned(program, data, &flags);
        let right = place.call("run p.asa --data d.csv --missing mask --scheme bgv").json();
        assert_eq!(right["check"]["exact"], true);
        for count in counts {
            let report = evaluated(&place, &format!("--missing mask --canaries {count}"));
            assert_eq!((&report["rows"], &report["left_out"]), (&json!(8 + count), &json!([2])));
            assert_eq!(report["canaries"], json!({ "rows": count }));
            let found = place.call(&format!("{DECRYPT} --in-of in --out o.csv")).json();
            assert_eq!(found["outputs"], right["outputs"], "{scheme}, {count}");
            let undetected = found["canaries"]["undetected_rows"].as_u64().unwrap();
            assert_eq!(
                found["canaries"],
                json!({ "rows": count, "wrong": 0, "undetected_rows": undetected })
            );
            // So few canaries miss any number of altered rows with more than 2^-40.
            assert!(undetected == 8 || *count > 5 && undetected < 8, "{count}: {undetected}");
            assert_eq!(std::fs::read_to_string(place.path("o.csv")).unwrap().lines().count(), 1 + 9);
        }
    }
}

#[test]
fn approximate_results_are_those_of_the_data_within_their_bounds() {
    let program = "y = 0.5 * x - sigmoid(z)\nm = 3 - mean(y)\ns = sum(x * z)\nf = least_squares(z, [x])\n";
    let row = |row: usize| format!("{:e},{:e}\n", (row * 5 % 11) as f64 / 11.0, (row * row % 7) as f64 - 3.0);
    let data: String = std::iter::once("x,z\n".to_owned()).chain((0..13).map(row)).collect();
    let near = |place: &Place, flags: &str, count: usize, right: &Value| {
        evaluated(place, &format!("--canaries {count}"));
        place.call("evaluate --plan plan.json --keys keys --in in --out again").text();
        let found = place.call(&format!("{DECRYPT} --in-of in {flags}")).json();
        assert_eq!((&found["canaries"]["rows"], &found["canaries"]["wrong"]), (&json!(count), &json!(0)));
        let bounds = found["error_bounds"].as_array().unwrap();
        for ((name, values), bound) in right["outputs"].as_object().unwrap().iter().zip(bounds) {
            let numbers = |values: &Value| -> Vec<f64> {
                values.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
            };
            let (found, right) = (numbers(&found["outputs"][name]), numbers(values));
            assert_eq!(found.len(), right.len(), "{name}");
            for (found, right) in found.iter().zip(right) {
                // What `run` prints has an error of its own.
                let off = (found - right).abs();
                assert!(
                    off <= 2.5 * bound.as_f64().unwrap(),
                    "{name}: {found} and {right}, {count} canaries"
                );
            }
        }
    };
    let place = planned(program, &data, "--rows 40 --scheme ckks");
    let right = place.call("run p.asa --data d.csv --scheme ckks").json();
    for count in [1, 27] {
        near(&place, "", count, &right);
    }
    let place =
        planned("y = 0.5 * x\nm = mean(x)", &data, "--rows 20 --scheme ckks --publish 30 --precision-bits 8");
    let right = place.call("run p.asa --data d.csv --scheme ckks").json();
    near(&place, "--publish 30 --same-as again", 5, &right);
}

#[test]
fn results_of_columns_less_a_constant_are_right() {
    let data = include_str!("../field/offset.csv");
    let place = planned("y = t - 5\nm = mean(t)\n", data, "--scheme ckks --rows 12");
    assert_eq!(place.call("inspect plan.json").json()["columns"][0]["centre"], "secret");
    evaluated(&place, "--canaries 4");
    let found = place.call(&format!("{DECRYPT} --in-of in")).json()["outputs"].clone();
    let values: Vec<f64> = data.lines().skip(1).map(|line| line.parse().unwrap()).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    assert!((found["m"][0].as_f64().unwrap() - mean).abs() < 1e-4, "{found}");
    assert_eq!(found["y"].as_array().unwrap().len(), values.len());
    for (found, value) in found["y"].as_array().unwrap().iter().zip(values) {
        assert!((found.as_f64().unwrap() - (value - 5.0)).abs() < 1e-4, "{found} of {value}");
    }
}

#[test]
fn wrong_results_end_with_code_3_and_no_results() {
    let place = planned("y = x * z\n", &numbers(10), "--rows 15");
    evaluated(&place, "--canaries 5");
    alter(&place, |keys, results| with_added(keys, &results, &[1; 15]));
    let says = ["5 of 5 canaries", "`y`", "keygen --force", "do not tell the server why"];
    let output = place.call(&format!("{DECRYPT} --json")).output();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(says.iter().all(|says| stderr.contains(says)), "{stderr}");
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["canaries"], json!({ "rows": 5, "wrong": 5 }));
    assert_eq!(
        (&object["error"]["kind"], &object["error"]["figures"]["output"]),
        (&json!("check-failed"), &json!("y"))
    );
    assert_eq!(object.as_object().unwrap().len(), 2);
}

#[test]
fn canaries_that_a_plan_has_no_room_for_are_refused_with_what_to_do() {
    let line = |count: &str| {
        format!("encrypt --plan plan.json --keys keys --data d.csv --out in --canaries={count}")
    };
    for (flags, most) in [("--rows 12", "12"), ("", "10")] {
        let place = planned("y = x\n", &numbers(10), flags);
        let says =
            ["10 rows of data and 3 canaries are 13 rows", &*format!("the plan is for {most}"), "--rows 13"];
        place.refuses(&line("3"), 2, &says);
        for count in ["0", "65537", "-1", "x", "18446744073709551616"] {
            place.refuses(&line(count), 2, &["--canaries", "from 1 to 65536"]);
        }
        place.refuses(&line("65536"), 2, &["--rows 65546"]);
    }
    // The advice works, and so do more canaries than rows.
    let place = planned("y = x\n", &numbers(2), "--rows 13");
    evaluated(&place, "--canaries 11");
    assert_eq!(place.call(DECRYPT).json()["outputs"]["y"], json!([0, 1]));
}

#[test]
fn programs_that_canaries_would_change_are_refused_with_what_to_do() {
    for (program, says) in [
        ("y = x\nv = var(x)", "`v`"),
        ("y = x - mean(x)", "`y`"),
        ("y = x\np = sum(x) * sum(z)", "`p`"),
        ("y = x\nd = std(x)", "`d`"),
        ("y = x\nm = mean(x) + sum(z)", "`m`"),
        ("s = sum(x)", "no output has a value for each row"),
    ] {
        let place = planned(program, &numbers(4), "--rows 9");
        let line = "encrypt --plan plan.json --keys keys --data d.csv --out in --canaries 3";
        place.refuses(line, 2, &[says, "leave --canaries out"]);
        evaluated(&place, "");
    }
}

#[test]
fn rows_of_the_data_that_are_refused_are_counted_without_canaries() {
    let place = planned("y = 12 // x\n", "x\n3\n2\n5\n", "--rows 40 --range x=0:7 --scheme bgv");
    place.write("d.csv", "x\n3\n2\n0\n");
    let line = "encrypt --plan plan.json --keys keys --data d.csv --out in --canaries 30";
    place.refuses(line, 2, &["row 3 ", "`x`"]);
    place.write("d.csv", "x\n3\n200\n1\n");
    place.refuses(line, 2, &["row 2 ", "`x`"]);
}

#[test]
fn a_record_that_is_edited_or_missing_gives_no_results() {
    let place = planned("y = x * z\ns = sum(x)\n", &numbers(10), "--rows 15");
    let path = record(&place, &evaluated(&place, "--canaries 4"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let right = std::fs::read(&path).unwrap();
    let inspected = place.call(&format!("inspect {}", path.display())).json();
    assert_eq!((&inspected["rows"], &inspected["canaries"]), (&json!(14), &json!(4)));
    let edits: [(&str, Value, i32, &str); 10] = [
        ("/canaries/results/0/0", json!("123456"), 3, "1 of 4 canaries"),
        ("/canaries/results/0/0", json!("many"), 2, "damaged"),
        ("/canaries/results/0/0", json!("1/0"), 2, "damaged"),
        ("/canaries/results/0", json!(["1"]), 2, "altered"),
        ("/canaries/results", json!([]), 2, "altered"),
        ("/canaries/places", json!([]), 2, "altered"),
        ("/canaries/places", json!([1, 1, 2, 3]), 2, "altered"),
        ("/canaries/places", json!([3, 2, 1, 0]), 2, "altered"),
        ("/canaries/places", json!([0, 1, 2, 14]), 2, "altered"),
        ("/canaries/more", json!(1), 2, "damaged"),
    ];
    for (pointer, value, code, says) in edits {
        let mut edited: Value = serde_json::from_slice(&right).unwrap();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match edited.pointer_mut(parent).unwrap() {
            Value::Array(items) => items[key.parse::<usize>().unwrap()] = value,
            object => object[key] = value,
        }
        for more in ["", " --in-of in", " --rows 14"] {
            std::fs::write(&path, edited.to_string()).unwrap();
            place.refuses_and_records(&format!("{DECRYPT}{more} --out o.csv"), code, &[says]);
        }
    }
    std::fs::write(&path, &right).unwrap();
    place.refuses(&format!("{DECRYPT} --rows 10 --out o.csv"), 2, &["14 rows were encrypted"]);
    std::fs::remove_file(&path).unwrap();
    for more in ["", " --in-of in"] {
        place.refuses(&format!("{DECRYPT}{more} --out o.csv"), 2, &["no record"]);
    }
    std::fs::write(&path, &right).unwrap();
    assert_eq!(place.call(DECRYPT).json()["outputs"]["s"], json!([45]));
}

#[test]
fn results_that_name_other_inputs_do_not_choose_the_canaries() {
    // A plan for exactly so many rows.
    let place = planned("y = x * z\n", &numbers(14), "");
    let restate = |digest: &Value| {
        let mut open = OpenFile::read(&place.path("results"));
        let mut fields = open.fields();
        fields["inputs"] = digest.clone();
        open.set_fields(&fields);
        open.seal(&place.path("results"));
    };
    let plain = evaluated(&place, "");
    std::fs::rename(place.path("in"), place.path("plain")).unwrap();
    assert_eq!(place.call(DECRYPT).json()["canaries"], Value::Null);
    place.write("d.csv", numbers(10));
    let first = evaluated(&place, "--canaries 4");
    let honest = std::fs::read(place.path("results")).unwrap();
    let named = format!("{DECRYPT} --in-of in");
    assert_eq!(place.call(&named).json()["canaries"]["rows"], 4);
    // Altered, with the digest of inputs without canaries, or none: they aren't believed.
    alter(&place, |keys, results| with_added(keys, &results, &[1; 14]));
    let wrong = format!("{DECRYPT} --out o.csv");
    place.refuses(&wrong, 2, &["canaries", "--in-of"]);
    let of_first = record(&place, &first);
    let unspent = std::fs::read(&of_first).unwrap();
    place.refuses_and_records(&format!("{named} --out o.csv"), 3, &["4 of 4 canaries"]);
    for digest in [&plain["inputs_digest"], &json!("0".repeat(64)), &json!("../../d.csv"), &Value::Null] {
        restate(digest);
        let is_plain = *digest == plain["inputs_digest"];
        place.refuses(&wrong, 2, &[if is_plain { "--in-of" } else { "no record" }]);
        place.refuses(&format!("{wrong} --rows 14"), 2, &["--in-of"]);
        place.refuses(&format!("{named} --out o.csv"), 3, &["other inputs"]);
    }
    std::fs::write(&of_first, unspent).unwrap();
    // With canaries twice, only the client knows which are meant.
    place.write("results", &honest);
    std::fs::rename(place.path("in"), place.path("first")).unwrap();
    std::fs::rename(place.path("results"), place.path("of-first")).unwrap();
    let second = evaluated(&place, "--canaries 4");
    assert_ne!(first["inputs_digest"], second["inputs_digest"]);
    place.refuses(&wrong, 2, &["canaries", "--in-of"]);
    assert_eq!(place.call(&named).json()["canaries"]["wrong"], 0);
    restate(&first["inputs_digest"]);
    place.refuses_and_records(&format!("{wrong} --in-of first"), 3, &["of 4 canaries"]);
    // They are spent: a server that learns of refusals would find their places.
    let of_first = "decrypt --plan plan.json --keys keys --in of-first --in-of first";
    place.refuses(of_first, 3, &["had wrong results before", "keygen --force"]);
}

#[test]
fn a_server_that_learns_of_refusals_does_not_find_the_places_of_canaries() {
    let place = planned("y = x\n", &numbers(20), "--rows 30");
    let path = record(&place, &evaluated(&place, "--canaries 5"));
    let places: Vec<usize> = {
        let record: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        serde_json::from_value(record["canaries"]["places"].clone()).unwrap()
    };
    let honest = std::fs::read(place.path("results")).unwrap();
    // The server alters one row at a time and sees which answers are refused.
    let mut refused = Vec::new();
    let mut accepted = 0;
    for row in 0..25 {
        place.write("results", &honest);
        alter(&place, |keys, results| {
            let mut added = vec![0; 25];
            added[row] = 1;
            with_added(keys, &results, &added)
        });
        let output = place.call(DECRYPT).output();
        match output.status.code() {
            Some(0) => accepted += 1,
            Some(3) => refused.push(row),
            code => panic!("{code:?}: {}", String::from_utf8_lossy(&output.stderr)),
        }
    }
    // It learns of one canary at most, and nothing is decrypted after that.
    assert!(accepted <= 4 && refused.len() >= 21, "{accepted}, {refused:?}");
    let told = refused.iter().take(1).filter(|row| places.contains(row)).count();
    assert!(told <= 1 && refused[accepted..].len() > 5, "{refused:?}");
    place.write("results", &honest);
    let output = place.call(DECRYPT).output();
    assert_eq!(output.status.code(), Some(3), "the record is spent, whoever made the results");
}

#[test]
fn canaries_are_good_for_a_stated_number_of_different_results() {
    let place = planned("y = x\n", &numbers(60), "--rows 70");
    let path = record(&place, &evaluated(&place, "--canaries 2"));
    let honest = std::fs::read(place.path("results")).unwrap();
    let places: Vec<usize> = {
        let record: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        serde_json::from_value(record["canaries"]["places"].clone()).unwrap()
    };
    let mut rows = (0..62).filter(|row| !places.contains(row));
    // The same results count once.
    for _ in 0..3 {
        assert_eq!(place.call(DECRYPT).json()["canaries"]["wrong"], 0);
    }
    for _ in 1..MOST_CANARY_RESULTS {
        place.write("results", &honest);
        let row = rows.next().unwrap();
        alter(&place, |keys, results| {
            let mut added = vec![0; 62];
            added[row] = 1;
            with_added(keys, &results, &added)
        });
        assert_eq!(place.call(DECRYPT).json()["canaries"]["wrong"], 0, "row {row} is no canary");
    }
    place.write("results", &honest);
    assert_eq!(place.call(DECRYPT).json()["canaries"]["wrong"], 0, "these were decrypted before");
    let row = rows.next().unwrap();
    alter(&place, |keys, results| {
        let mut added = vec![0; 62];
        added[row] = 1;
        with_added(keys, &results, &added)
    });
    place.refuses(&format!("{DECRYPT} --out o.csv"), 3, &["4 different results", "keygen --force"]);
}

#[test]
fn no_public_file_says_anything_of_canaries() {
    let place = planned("y = x * z\n", &numbers(10), "--rows 15");
    let before = place.contents();
    let report = evaluated(&place, "--canaries 5");
    has_keys(&report, &["canaries", "inputs_digest"]);
    let fields = OpenFile::read(&place.path("in")).fields();
    let length = place.path("in").metadata().unwrap().len();
    // The same plan without canaries, for as many rows.
    place.write("d.csv", numbers(15));
    std::fs::rename(place.path("in"), place.path("with")).unwrap();
    std::fs::rename(place.path("results"), place.path("with-results")).unwrap();
    evaluated(&place, "");
    assert_eq!(OpenFile::read(&place.path("in")).fields(), fields);
    assert_eq!(place.path("in").metadata().unwrap().len(), length);
    assert_eq!(
        place.path("results").metadata().unwrap().len(),
        place.path("with-results").metadata().unwrap().len()
    );
    let is_same = |name: &str| before[&place.path(name)] == std::fs::read(place.path(name)).unwrap();
    assert!(is_same("plan.json") && is_same("keys/published.json") && is_same("keys/evaluation.safetensors"));
}
