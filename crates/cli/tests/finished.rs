//! Outputs that are finished after decryption, and weights from files, through the program's commands.

use crate::common::Place;
use serde_json::{Value, json};

const DATA: &str = "y,a,b,r\n3,1,0,0.25\n-2,4,1,2.75\n5,-7,1,-1.375\n0,4,0,4.125\n";
const PROGRAM: &str = "m = mean_where(y, b != 0)\nnone = mean_where(y, b > 5)\nq = ratio(sum(a), sum(b))\n\
                       fit = least_squares(y, [a, b])\ntotal = sum(y)\n";

fn place(program: &str) -> Place {
    let place = Place::new();
    place.write("p.asa", program);
    place.write("d.csv", DATA);
    place
}

#[test]
fn finished_outputs_are_told_with_those_that_are_missing() {
    let place = place(PROGRAM);
    let report = place.call("run p.asa --data d.csv --range b=0:7 --out o.csv").json();
    let outputs = &report["outputs"];
    let keys: Vec<&String> = outputs.as_object().unwrap().keys().collect();
    let mut expected = ["total", "m", "none", "q", "fit_intercept", "fit_a", "fit_b"];
    // Objects may be sorted where they're read.
    expected.sort_unstable();
    let mut found = keys.clone();
    found.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!((&outputs["m"], &outputs["q"]), (&json!([1.5]), &json!([1])));
    assert_eq!((&outputs["none"], &outputs["total"]), (&json!([null]), &json!([6])));
    assert_eq!(report["missing"], json!({ "none": "the divisor is 0" }));
    assert_eq!(report["check"]["exact"], true);
    assert_eq!(
        std::fs::read_to_string(place.path("o.csv")).unwrap().lines().next().unwrap(),
        "m,none,q,fit_intercept,fit_a,fit_b,total"
    );
    let text = place.call("run p.asa --data d.csv --range b=0:7").text();
    assert!(text.contains("= none (the divisor is 0)"), "{text}");
}

#[test]
fn a_column_without_values_has_a_place_for_every_row() {
    let place = Place::new();
    place.write("p.asa", "z = (x - mean(x)) / std(x)\nm = mean(x)\n");
    place.write("d.csv", "x\n-41\n-41\nNA\n-41\n");
    let report = place.call("run p.asa --data d.csv --missing mask --out o.csv").json();
    assert_eq!(report["outputs"], json!({ "z": [null, null, null, null], "m": [-41] }));
    assert_eq!(report["missing"], json!({ "z": "the divisor is 0" }));
    assert_eq!(std::fs::read_to_string(place.path("o.csv")).unwrap(), "z,m\n,-41\n,\n,\n,\n");
    let text = place.call("run p.asa --data d.csv --missing mask").text();
    assert!(text.contains("  z has no values: the divisor is 0\n"), "{text}");
    assert!(text.contains("  m = -41\n"), "{text}");
}

#[test]
fn canaries_beside_scores_are_refused() {
    let place = Place::new();
    place.write("p.asa", "z = (x - mean(x)) / std(x)\n");
    place.write("d.csv", "x\n1\n5\n9\n");
    place.call("plan p.asa --data d.csv --rows 40 --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    let encrypt = "encrypt --plan plan.json --keys keys --data d.csv --canaries 2 --out in";
    place.refuses(encrypt, 2, &["canaries would change output `z"]);
}

#[test]
fn the_steps_apart_finish_the_same_outputs() {
    let place = place(PROGRAM);
    let plan = place.call("plan p.asa --data d.csv --range b=0:7 --out plan.json").text();
    let told = plan.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("finished m: computed by the key holder from decrypted values"), "{plan}");
    assert!(told.contains("(m.dividend, m.divisor)"), "{plan}");
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    place.call("evaluate --plan plan.json --keys keys --in in --out out").text();
    let decrypted = place.call("decrypt --plan plan.json --keys keys --in out").json();
    let run = place.call("run p.asa --data d.csv --range b=0:7").json();
    assert_eq!(decrypted["outputs"], run["outputs"]);
    assert_eq!(decrypted["missing"], run["missing"]);
    let names = place.call("inspect plan.json").json()["outputs"].clone();
    assert_eq!(names, json!(["m", "none", "q", "fit_intercept", "fit_a", "fit_b", "total"]));
}

#[test]
fn real_results_state_their_error_published_or_not() {
    let place = place("q = ratio(sum(r), sum(y * r))\ns = std(r)\n");
    let published = "--publish 30 --precision-bits 10";
    for (flags, most) in [("", 1e-2), (published, 0.5)] {
        let report = place.call(&format!("run p.asa --data d.csv --scheme ckks {flags}")).json();
        let bounds = report["error_bounds"].as_array().unwrap();
        let plain = [5.75 / (0.75 - 5.5 - 6.875), 4.56640625f64.sqrt()];
        for ((name, plain), bound) in ["q", "s"].iter().zip(plain).zip(bounds) {
            let found = report["outputs"][name][0].as_f64().unwrap();
            let bound = bound.as_f64().unwrap();
            assert!(bound > 0.0 && bound < most, "{name}: {bound}");
            assert!((found - plain).abs() <= bound, "{name}: {found} ± {bound} for {plain}");
        }
    }
    let text = place.call(&format!("run p.asa --data d.csv --scheme ckks {published}")).text();
    assert!(text.contains("q is off by at most") && text.contains(" ± "), "{text}");
}

#[test]
fn weights_are_read_from_files_and_stay_in_the_plan() {
    let place = place("score = linear(@w)\ntotal = sum(dot([a, b], @v))\n");
    place.write("w.csv", "a,b,intercept\n2,-3,10\n");
    let mut array = b"\x93NUMPY\x01\x00".to_vec();
    let header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\n";
    array.extend((header.len() as u16).to_le_bytes());
    array.extend(header.as_bytes());
    array.extend([5i32, -1].iter().flat_map(|value| value.to_le_bytes()));
    place.write("v.npy", array);
    let flags = "--data d.csv --weights w=w.csv --weights v=v.npy";
    let report = place.call(&format!("run p.asa {flags}")).json();
    assert_eq!(report["outputs"], json!({ "score": [12, 15, -7, 18], "total": [8] }));
    place.call(&format!("plan p.asa {flags} --out plan.json")).text();
    let plan: Value = serde_json::from_slice(&std::fs::read(place.path("plan.json")).unwrap()).unwrap();
    assert!(!plan["program"].as_str().unwrap().contains('@'));
    let output = place.call("run p.asa --data d.csv --weights w=w.csv").output();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(
        told.contains("p.asa:2:25: there are no weights `v`") && told.contains("--weights v=FILE"),
        "{told}"
    );
    place.refuses("run p.asa --data d.csv --weights w=none", 2, &["none: cannot be read"]);
    place.refuses(
        "run p.asa --data d.csv --weights w=d.csv",
        2,
        &["d.csv: it's 4 rows", "save one row or one column"],
    );
    place.refuses(
        "run p.asa --data d.csv --weights w=w.csv --weights w=w.csv",
        2,
        &["--weights w is given twice"],
    );
    place.refuses("run p.asa --data d.csv --weights w", 2, &["NAME=FILE"]);
    place.refuses(&format!("run p.asa {flags} --out w.csv"), 2, &["w.csv"]);
    place.refuses(&format!("plan p.asa {flags} --out v.npy"), 2, &["v.npy"]);
}
