//! `--json`: exactly one object on stdout, of failures too.

use crate::common::{Place, has_keys};
use serde_json::{Value, json};

/// The object of a call that fails with this code: stdout holds nothing else.
fn failure(place: &Place, line: &str, code: i32) -> Value {
    let output = place.call(line).args(["--json"]).output();
    assert_eq!(output.status.code(), Some(code), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let error = &report["error"];
    has_keys(error, &["kind", "message", "figures"]);
    assert!(error["figures"].is_object(), "{error}");
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told, format!("error: {}\n", error["message"].as_str().unwrap()));
    report
}

fn place() -> Place {
    let place = Place::new();
    place.write("p.asa", "y = x * 2\n");
    place.write("wrong.asa", "y = x\nz = sigmod(x)\n");
    place.write("d.csv", "x\n1\n2\n");
    place.write("wrong.csv", "x\n1\nmany\n");
    place.call("plan p.asa --data d.csv --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place
}

#[test]
fn wrong_flags_of_every_command_are_told_as_json() {
    let place = Place::new();
    for line in [
        "run",
        "plan",
        "keygen",
        "encrypt",
        "evaluate",
        "decrypt",
        "inspect",
        "triples generate",
        "triples verify",
        "triples export",
        "genome index",
        "genome query",
        "genome serve",
        "bench",
        "info --many",
        "completions",
        "man --many",
        "",
        "what",
        "run --threads 0",
        "genome",
        "triples",
    ] {
        let report = failure(&place, line, 2);
        assert_eq!(report["error"]["kind"], "usage", "{line}");
        assert_eq!(report.as_object().unwrap().len(), 1);
    }
}

#[test]
fn a_missing_file_of_every_command_is_told_with_its_name() {
    let place = place();
    for (line, file) in [
        ("run none --data d.csv", "none"),
        ("run p.asa --data none", "none"),
        ("plan none --data d.csv", "none"),
        ("plan p.asa --schema none", "none"),
        ("keygen --no-passphrase --plan none --out new", "none"),
        ("encrypt --plan plan.json --keys keys --data none --out o", "none"),
        ("encrypt --plan plan.json --keys none --data d.csv --out o", "none"),
        ("evaluate --plan plan.json --keys keys --in none --out o", "none"),
        ("decrypt --plan plan.json --keys keys --in none", "none"),
        ("inspect none", "none"),
        ("run p.asa --data d.csv --out none/o.csv", "none/o.csv"),
    ] {
        let report = failure(&place, line, 2);
        let place = json!({ "file": file, "line": null, "column": null });
        assert_eq!(
            (&report["error"]["kind"], &report["error"]["place"]),
            (&json!("bad-input"), &place),
            "{line}"
        );
    }
    for line in ["triples verify none", "triples export --format npz none", "genome index none --out o"] {
        assert_eq!(failure(&place, line, 2)["error"]["kind"], "bad-input", "{line}");
    }
}

#[test]
fn places_in_files_have_a_line_and_a_column() {
    let place = place();
    place.write("plan.txt", "{\"version\": }");
    place.write("schema.json", "{\"rows\": 1,\n \"columns\": 7}");
    place.write("latin.asa", b"y = x\nz = \xe9\n");
    for (line, file, row, column) in [
        ("run wrong.asa --data d.csv", "wrong.asa", 2, 5),
        ("run p.asa --data wrong.csv", "wrong.csv", 3, 1),
        ("plan p.asa --schema schema.json", "schema.json", 2, 13),
        ("keygen --no-passphrase --plan plan.txt --out new", "plan.txt", 1, 13),
        ("plan latin.asa --data d.csv", "latin.asa", 2, 1),
    ] {
        let report = failure(&place, line, 2);
        let expected = json!({ "file": file, "line": row, "column": column });
        assert_eq!(report["error"]["place"], expected, "{line}");
    }
}

#[test]
fn figures_are_those_of_the_message() {
    let place = place();
    place.write("three.csv", "x\n1\n2\n3\n");
    place.write("large.csv", "x\n1\n2000\n");
    place.write("divide.asa", "y = 7 // x");
    place.write("zero.csv", "x\n1\n0\n");
    place.write("table.asa", "y = table(x, [1, 2])");
    place.write("sigmoid.asa", "y = sigmoid(x)");
    place.write("mixed.asa", "y = sigmoid(x)\nz = x // 3");
    place.write("half.csv", "x\n1.5\n7\n");
    let figures = |line: &str, code| failure(&place, line, code)["error"]["figures"].clone();
    let encrypt = "encrypt --plan plan.json --keys keys --out o --data";
    assert_eq!(figures(&format!("{encrypt} three.csv"), 2), json!({ "found": 3, "planned": 2 }));
    let outside = json!({ "row": 2, "column": "x", "range": "1..3" });
    assert_eq!(figures(&format!("{encrypt} large.csv"), 2), outside);
    let declared = json!({ "row": 2, "column": "x", "value": "2000", "range": "0..7" });
    assert_eq!(figures("run p.asa --data large.csv --range x=0:7", 2), declared);
    assert_eq!(figures("run divide.asa --data zero.csv", 2), json!({ "row": 2, "function": "//" }));
    let table = json!({ "row": 2, "value": "2", "function": "table" });
    assert_eq!(figures("run table.asa --data d.csv", 2), table);
    assert_eq!(figures("run sigmoid.asa --data d.csv --scheme bgv", 1), json!({ "scheme": "bgv" }));
    let reasons = figures("run mixed.asa --data half.csv", 1)["reasons"].clone();
    let schemes: Vec<&Value> = reasons.as_array().unwrap().iter().map(|reason| &reason["schemes"]).collect();
    assert_eq!(schemes, [&json!(["bgv", "bfv", "tfhe"]), &json!(["ckks"])]);
    has_keys(&reasons[0], &["schemes", "reason"]);
    place.write("product.asa", "y = x * x * 0.3");
    let precise = figures("run product.asa --data half.csv --precision-bits 50 --scheme ckks", 1);
    has_keys(&precise, &["scheme", "missing_bits", "largest_log2_scale"]);
}

#[test]
fn a_failure_after_a_report_stands_in_it() {
    let place = place();
    place.write("sigmoid.asa", "y = sigmoid(x)");
    let report = failure(&place, "plan sigmoid.asa --data d.csv --scheme bgv", 1);
    has_keys(&report, &["candidates", "chosen", "error"]);
    assert_eq!(report["error"]["kind"], "impossible");
}

#[test]
fn a_failed_check_is_of_its_own_kind() {
    let place = place();
    for name in ["one", "two"] {
        place.call(&format!("encrypt --plan plan.json --keys keys --data d.csv --out {name}")).text();
    }
    place.call("evaluate --plan plan.json --keys keys --in one --out results").text();
    let report = failure(&place, "decrypt --plan plan.json --keys keys --in results --in-of two", 3);
    assert_eq!(report["error"]["kind"], "check-failed");
}
