//! Results that were wrong once and looked right: differences and sums of large decimals.

use std::path::Path;

use crate::common::{Place, example};
use serde_json::{Value, json};

/// Columns of declared ranges are computed on as they are.
const UNCENTRED: &str = "--range start=0:2147483648 --range end=0:2147483648";

const STAMPS: &str =
    "start,end\n1700000000.25,1700000005.50\n1700000100.00,1700000100.25\n1700000200.75,1700000262.50\n";

fn field(name: &str, more: &str) -> Value {
    let file =
        |end: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field").join(format!("{name}.{end}"));
    let line = format!("run {} --data {} {more}", file("asa").display(), file("csv").display());
    Place::new().call(&line).json()
}

fn place(program: &str, data: &str) -> Place {
    let place = Place::new();
    place.write("p.asa", program);
    place.write("d.csv", data);
    place
}

fn is_exact(report: &Value) -> bool {
    report["check"]["exact"] == true && report["scheme"] != "ckks"
}

#[test]
fn durations_of_time_stamps_are_exact() {
    let report = field("durations", "");
    assert!(is_exact(&report));
    assert_eq!(
        report["outputs"],
        json!({"seconds": [157.557, 162.919, 145.899, 110.262, 150.096, 143.606], "total": [870.339]})
    );
    let report = place("dur = end - start", STAMPS).call("run p.asa --data d.csv").json();
    assert!(is_exact(&report));
    assert_eq!(report["outputs"]["dur"], json!([5.25, 0.25, 61.75]));
}

#[test]
fn totals_and_differences_of_amounts_are_exact() {
    let report = field("totals", "");
    assert!(is_exact(&report));
    assert_eq!(report["outputs"]["total"], json!([209886507.31]));
    assert_eq!(report["outputs"]["largest_share_percent"][0], json!(877386312.84));
    let place = place("s = sum(x)", "x\n12345678.90\n0.25\n1.50\n");
    let report = place.call("run p.asa --data d.csv").json();
    assert!(is_exact(&report));
    assert_eq!(report["outputs"]["s"], json!([12345680.65]));
}

#[test]
fn products_of_decimals_are_exact_for_any_number_of_rows() {
    for rows in [1i64, 3, 50, 300] {
        let pairs: Vec<(i64, i64)> =
            (1..=rows).map(|row| (row * 7_919 % 316_200, row * 104_729 % 316_300)).collect();
        let lines =
            pairs.iter().map(|(p, q)| format!("{}.{:02},{}.{:02}\n", p / 100, p % 100, q / 100, q % 100));
        let data = format!("p,q\n{}", lines.collect::<String>());
        let report = place("y = p * q", &data).call("run p.asa --data d.csv").json();
        assert!(is_exact(&report), "{rows}");
        let found = report["outputs"]["y"].as_array().unwrap();
        for (found, (p, q)) in found.iter().zip(&pairs) {
            assert_eq!((found.as_f64().unwrap() * 1e4).round(), (p * q) as f64, "{rows}");
        }
    }
}

#[test]
fn results_lost_in_their_errors_fail_with_advice_that_works() {
    let place = place("dur = end - start", STAMPS);
    let output = place.call(&format!("run p.asa --data d.csv --scheme ckks {UNCENTRED}")).output();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("output `dur` may be off by") && told.contains("--scheme bgv"), "{told}");
    assert_eq!(place.call("run p.asa --data d.csv --scheme bgv").json()["check"]["exact"], true);
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains(" ± ") && !shown.contains("bits asked"), "{shown}");
}

#[test]
fn differences_of_large_real_numbers_fail_with_advice_that_works() {
    let place = place("dur = end - start", STAMPS);
    let line = format!("run p.asa --data d.csv --real start --real end {UNCENTRED}");
    let output = place.call(&line).output();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(!told.contains("--scheme"), "{told}");
    let advice = told.split("--precision ").nth(1).expect(&told).trim();
    let report = place.call(&format!("{line} --precision {advice}")).json();
    let bound = report["error_bounds"][0].as_f64().unwrap();
    assert!(bound < 6.2, "{bound}");
    for (found, right) in report["outputs"]["dur"].as_array().unwrap().iter().zip([5.25, 0.25, 61.75]) {
        assert!((found.as_f64().unwrap() - right).abs() <= bound, "{found} for {right}");
    }
}

#[test]
fn decrypted_results_lost_in_their_errors_fail_too() {
    let place = place("dur = end - start", STAMPS);
    place.call(&format!("plan p.asa --data d.csv --scheme ckks {UNCENTRED} --out plan.json")).text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    place.call("evaluate --plan plan.json --keys keys --in in --out out").text();
    let output = place.call("decrypt --plan plan.json --keys keys --in out").output();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("--scheme bgv"), "{told}");
    assert!(String::from_utf8(output.stdout).unwrap().contains(" ± "));
}

#[test]
fn means_of_decimals_are_exact_with_and_without_data() {
    let data = "x\n41.25\n38.50\n55.75\n";
    let report = place("m = mean(x)", data).call("run p.asa --data d.csv").json();
    assert!(is_exact(&report));
    assert_eq!(report["outputs"]["m"], json!(["271/6"]));
    let report =
        place("m = mean(end - start)", STAMPS).call(&format!("run p.asa --data d.csv {UNCENTRED}")).json();
    assert!(is_exact(&report));
    assert_eq!(report["outputs"]["m"], json!(["269/12"]));
    let place = place("m = mean(x)", "");
    let schema = |lo: &str| {
        format!(
            r#"{{"rows": 9, "columns": [{{"name": "x", "whole": false, "places": 2, "range": {{"lo": "{lo}", "hi": "64"}}}}]}}"#
        )
    };
    for lo in ["0", "-8", "32"] {
        place.write("s.json", schema(lo));
        assert_eq!(place.call("plan p.asa --schema s.json").json()["chosen"], "bgv", "{lo}");
    }
}

#[test]
fn every_approximate_value_stands_beside_its_bound_and_a_zero_passes() {
    let (program, data) = (example("risk.asa"), example("data/diabetes.csv"));
    let line = format!("run {} --data {} --scheme ckks", program.display(), data.display());
    let text = Place::new().call(&line).text();
    assert!(text.contains("within the stated bounds"), "{text}");
    assert_eq!(text.matches(" ± ").count(), 6, "{text}");
    let place = place("z = x * y", "x,y\n3.5,0\n-0.25,0\n");
    let text = place.call("run p.asa --data d.csv --real x --real y --range y=0:1").text();
    assert!(text.contains("within the stated bounds") && text.contains(" ± "), "{text}");
}
