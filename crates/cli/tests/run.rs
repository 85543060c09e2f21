//! `run` and `plan` on the examples.

use crate::common::{Place, SEED, example, has_keys};
use serde_json::Value;

fn run_example(program: &str, data: &str, more: &str) -> Value {
    let (program, data) = (example(program), example("data").join(data));
    let line = format!("run {} --data {} {more}", program.display(), data.display());
    Place::new().call(&line).json()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

#[test]
fn run_has_the_keys_of_its_contract() {
    let report = run_example("risk.asa", "diabetes.csv", "");
    has_keys(
        &report,
        &[
            "scheme",
            "params",
            "security_bits",
            "timings",
            "peak_memory_bytes",
            "sizes",
            "outputs",
            "check",
            "noise",
        ],
    );
    has_keys(&report["params"], &["ring_degree", "log2_q", "log2_p", "plaintext_modulus", "primes"]);
    has_keys(&report["timings"], &["plan_s", "keygen_s", "encrypt_s", "evaluate_s", "decrypt_s"]);
    has_keys(&report["sizes"], &["ciphertext_bytes", "evaluation_key_bytes"]);
    has_keys(&report["check"], &["exact", "max_abs_error", "max_rel_error"]);
    has_keys(&report["noise"], &["predicted_bits", "measured_bits", "budget_bits"]);
}

#[test]
fn risk_scores_of_all_patients_are_right_to_eighteen_bits() {
    let report = run_example("risk.asa", "diabetes.csv", "--scheme ckks");
    assert_eq!(report["scheme"], "ckks");
    assert!(report["security_bits"].as_u64().unwrap() >= 128);
    assert!(report["check"]["max_abs_error"].as_f64().unwrap() < 2f64.powi(-18));
    assert_eq!(numbers(&report["outputs"]["score"]).len(), 442);
    assert_eq!(numbers(&report["outputs"]["mean_score"]).len(), 1);
    let noise = &report["noise"];
    assert!(noise["predicted_bits"].as_f64() >= noise["measured_bits"].as_f64());
}

#[test]
fn invoices_are_exact_and_whole() {
    let report = run_example("invoice.asa", "invoice.csv", "");
    assert_eq!(report["scheme"], "bgv");
    assert_eq!(report["check"]["exact"], true);
    assert!(report["params"]["plaintext_modulus"].as_u64().is_some());
    assert!(report["outputs"]["gross"].as_array().unwrap().iter().all(Value::is_i64));
    assert_eq!(report["outputs"]["total_gross"], serde_json::json!([25434461400i64]));
}

#[test]
fn invoices_run_in_ckks_too() {
    let report = run_example("invoice.asa", "invoice.csv", "--scheme ckks");
    assert_eq!((&report["scheme"], &report["check"]["exact"]), (&"ckks".into(), &false.into()));
    let total = numbers(&report["outputs"]["total_gross"])[0];
    assert!((total / 25434461400.0 - 1.0).abs() < 1e-6);
}

#[test]
fn statistics_run_and_are_written_as_csv() {
    let place = Place::new();
    let (program, data) = (example("stats.asa"), example("data/diabetes.csv"));
    let line = format!("run {} --data {} --out out.csv", program.display(), data.display());
    let text = place.call(&line).text();
    for name in ["scheme", "parameters", "security", "predicted", "noise", "check", "mean_age"] {
        assert!(text.contains(name), "{text}");
    }
    let csv = std::fs::read_to_string(place.path("out.csv")).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("mean_age,mean_bmi,"));
    let age: f64 = lines[1].split(',').next().unwrap().parse().unwrap();
    assert!((age - 48.5181).abs() < 1e-3);
}

#[test]
fn columns_are_shown_by_their_first_rows_and_numbers_stand_in_the_first_row_of_csv() {
    let place = Place::new();
    place.write("p.asa", "double = 2 * x\ntotal = sum(x)");
    place.write("d.csv", "x\n1\n2\n3\n4\n5\n6\n7\n");
    let text = place.call("run p.asa --data d.csv --out o.csv").text();
    assert!(text.contains("     5      10\n  … 2 more\n  total = 28\n"), "{text}");
    let csv = std::fs::read_to_string(place.path("o.csv")).unwrap();
    assert_eq!(csv, "double,total\n2,28\n4,\n6,\n8,\n10,\n12,\n14,\n");
}

#[test]
fn a_declared_range_is_planned_for() {
    let place = Place::new();
    place.write("p.asa", "y = x * x");
    place.write("d.csv", "x\n1\n2\n");
    let modulus = |more: &str| {
        let report = place.call(&format!("run p.asa --data d.csv {more}")).json();
        assert_eq!(report["outputs"]["y"], serde_json::json!([1, 4]));
        report["params"]["plaintext_modulus"].as_u64().unwrap()
    };
    assert!(modulus("--range x=-1000:100000") > 10_000_000_000);
    assert!(modulus("") < 10_000_000_000);
}

#[test]
fn more_security_takes_less_modulus_for_its_ring() {
    let report = run_example("risk.asa", "diabetes.csv", "--security 256 --precision-bits 12");
    assert!(report["security_bits"].as_u64().unwrap() >= 256);
}

#[test]
fn the_same_seed_gives_the_same_bits_on_any_number_of_threads() {
    let place = Place::new();
    let line = format!(
        "run {} --data {} --scheme ckks --json",
        example("risk.asa").display(),
        example("data/diabetes.csv").display()
    );
    let outputs = |threads: &str| {
        let report = place.call(&line).args(SEED).args(["--threads", threads]).text();
        serde_json::from_str::<Value>(&report).unwrap()["outputs"].clone()
    };
    assert_eq!(outputs("1"), outputs("2"));
    let unseeded: Value = serde_json::from_str(&place.call(&line).text()).unwrap();
    assert_ne!(outputs("2"), unseeded["outputs"]);
}

#[test]
fn plan_answers_for_every_scheme() {
    let place = Place::new();
    let line = format!(
        "plan {} --data {} --out plan.json",
        example("invoice.asa").display(),
        example("data/invoice.csv").display()
    );
    let report = place.call(&line).json();
    assert_eq!(report["chosen"], "bgv");
    let candidates = report["candidates"].as_array().unwrap();
    let schemes: Vec<_> = candidates.iter().map(|candidate| candidate["scheme"].as_str()).collect();
    assert_eq!(schemes, [Some("bgv"), Some("bfv"), Some("tfhe"), Some("ckks")]);
    for candidate in candidates {
        has_keys(
            candidate,
            &[
                "scheme",
                "feasible",
                "why",
                "params",
                "predicted_s",
                "predicted_read_s",
                "input_bytes",
                "predicted_bytes",
                "precision_bits",
            ],
        );
        assert_eq!(candidate["feasible"], true);
        has_keys(&candidate["params"], &["ring_degree", "log2_q", "log2_p", "plaintext_modulus", "primes"]);
    }
    assert!(place.path("plan.json").is_file());
}

#[test]
fn a_plan_can_be_made_from_a_schema_alone() {
    let place = Place::new();
    place.write("p.asa", "y = x * 0.5");
    let schema =
        r#"{"rows": 10, "columns": [{"name": "x", "whole": false, "range": {"lo": "0", "hi": "64"}}]}"#;
    place.write("s.json", schema);
    let report = place.call("plan p.asa --schema s.json --out plan.json").json();
    assert_eq!(report["chosen"], "ckks");
    assert_eq!(report["candidates"][0]["feasible"], false);
    assert_eq!(report["candidates"][0]["params"], Value::Null);
    assert_eq!(place.call("inspect plan.json").json()["rows"], 10);
}

#[test]
fn a_program_that_nothing_can_run_is_still_answered_for() {
    let place = Place::new();
    place.write("p.asa", "y = sigmoid(x)");
    place.write("d.csv", "x\n1\n2\n");
    let output = place.call("plan p.asa --data d.csv --scheme bgv --out plan.json --json").output();
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["chosen"], Value::Null);
    assert_eq!(report["candidates"][3]["feasible"], true);
    assert!(
        String::from_utf8(output.stderr).unwrap().starts_with("error: p.asa:1:5: bgv can't run this program")
    );
    assert!(!place.path("plan.json").exists());
}

#[test]
fn functions_of_whole_numbers_are_exact_in_both_schemes_and_wide_ranges() {
    let place = Place::new();
    place.write("wide.csv", "x,y\n40000,-7\n65535,7\n0,3\n39999,-8\n");
    place.write("p.asa", "fee = where(x >= 40000, max(y, 0), abs(y))\nboth = (x > 0) * (y % 3 == 2)\n");
    for scheme in ["bgv", "bfv"] {
        let report = place.call(&format!("run p.asa --data wide.csv --scheme {scheme}")).json();
        assert_eq!(report["scheme"], scheme);
        assert_eq!(report["check"]["exact"], true);
        assert_eq!(numbers(&report["outputs"]["fee"]), [0.0, 7.0, 3.0, 8.0]);
        assert_eq!(numbers(&report["outputs"]["both"]), [1.0, 0.0, 0.0, 0.0]);
    }
}

#[test]
fn functions_too_wide_for_any_table_are_refused_with_their_entries() {
    let place = Place::new();
    place.write("wide.csv", "x,y\n40000,1000000\n65535,7\n");
    place.write("p.asa", "z = table2(x, y, [[1, 2], [3, 4]])\n");
    let says = ["`table2` of 32768 times 1048572 values", "34359607296 entries", "--range"];
    place.refuses("run p.asa --data wide.csv --scheme bgv", 1, &says);
}

#[test]
fn exact_results_survive_json_and_csv() {
    let place = Place::new();
    place.write("exact.asa", "half = x * 0.5\nthird = x / 3\nlarge = w + x");
    let large = "1".to_owned() + &"0".repeat(309);
    place.write("exact.csv", format!("x,w\n9007199254740993,{large}\n10.0,-0.0\n1e3,0x10\n"));
    let report = place.call("run exact.asa --data exact.csv --out results.csv").json();
    assert_eq!(report["check"]["exact"], true);
    let text = |name: &str| serde_json::to_string(&report["outputs"][name]).unwrap();
    assert_eq!(text("half"), "[\"9007199254740993/2\",5,500]");
    assert_eq!(text("third"), "[3002399751580331,\"10/3\",\"1000/3\"]");
    let sum = format!("1{}9007199254740993", "0".repeat(293));
    assert_eq!(text("large"), format!("[\"{sum}\",10,1016]"));
    let csv = std::fs::read_to_string(place.path("results.csv")).unwrap();
    let rows = [
        "half,third,large",
        &format!("4503599627370496.5,3002399751580331,{sum}"),
        "5,3.3333333333333333,10",
        "500,333.33333333333333,1016",
    ];
    assert_eq!(csv.lines().collect::<Vec<_>>(), rows);
}

#[test]
fn small_values_are_checked_against_their_own_range() {
    let place = Place::new();
    place.write("square.asa", "y = x * x");
    place.write("small.csv", "x\n6e-7\n-3e-7\n1e-9\n");
    let report = place.call("run square.asa --data small.csv").json();
    // (2^-20)^2 bounds the range, and 20 bits are asked.
    assert!(report["check"]["max_abs_error"].as_f64().unwrap() <= 2f64.powi(-60));
    let report = place.call("run square.asa --data small.csv --precision abs=1e-3").json();
    assert!(report["check"]["max_abs_error"].as_f64().unwrap() <= 1e-3);
}

#[test]
fn ranges_take_the_decimals_that_the_data_are_written_in() {
    let place = Place::new();
    place.write("p.asa", "y = x * x");
    place.write("radius.csv", "x\n6.981\n28.11\n17.99\n");
    for range in ["6.981:28.11", "-1e1:3e1", "6981e-3:2811/100"] {
        for (real, scheme) in [("", "bgv"), (" --real x", "ckks")] {
            let report = place.call(&format!("run p.asa --data radius.csv --range x={range}{real}")).json();
            assert_eq!(report["scheme"], scheme, "{range}");
        }
    }
    place.refuses("run p.asa --data radius.csv --range x=6.982:28.11", 2, &["row 1", "6.981 is outside"]);
    place.refuses("run p.asa --data radius.csv --range x=6.981:28.1", 2, &["row 2", "28.11 is outside"]);
}

#[test]
fn constants_added_to_fewer_rows_than_slots_are_exact() {
    for scheme in ["bgv", "bfv"] {
        let place = Place::new();
        place.write("padded.asa", "y = x * 3 + 40\nq = x * x + 7\np = (x + 5) * (z + 2) - 1\n");
        place.write("padded.csv", "x,z\n1,10\n-2,20\n30,-7\n");
        let report = place.call(&format!("run padded.asa --data padded.csv --scheme {scheme}")).json();
        assert_eq!((&report["scheme"], &report["check"]["exact"]), (&scheme.into(), &true.into()));
        assert_eq!(numbers(&report["outputs"]["y"]), [43.0, 34.0, 130.0]);
        assert_eq!(numbers(&report["outputs"]["q"]), [8.0, 11.0, 907.0]);
        assert_eq!(numbers(&report["outputs"]["p"]), [71.0, 65.0, -176.0]);
    }
}
