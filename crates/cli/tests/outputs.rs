//! Results as they are told: in the program's order, exact ones in full, others with no more digits than their bounds allow.

use crate::common::Place;
use serde_json::{Value, json};

fn place(program: &str, table: &str) -> Place {
    let place = Place::new();
    place.write("p.asa", program);
    place.write("d.csv", table);
    place
}

const NUMBERS: &str = "x,y\n12345678901.25,0.123456789\n3.5,2\n";

#[test]
fn exact_values_are_told_in_full() {
    let place = place("a = x * 1000 + y\nd = 1 / 3\ne = x / 3\nm = mean(x)\n", NUMBERS);
    let text = place.call("run p.asa --data d.csv").text();
    for part in [
        "12345678901250.123456789",
        "4115226300.41666…",
        "1.16666666666666…",
        "m = 6172839452.375",
        "d = 0.333333333333333…",
    ] {
        assert!(text.contains(part), "{part} isn't in {text}");
    }
    let report = place.call("run p.asa --data d.csv").json();
    assert_eq!(report["outputs"]["a"][0], "12345678901250123456789/1000000000");
    assert_eq!(report["outputs"]["e"], json!(["49382715605/12", "7/6"]));
}

#[test]
fn results_are_in_the_order_of_the_program_in_one_process_and_apart() {
    let program = "z = sum(x)\nc = 12\nr = ratio(sum(x), sum(y))\na = x + y\ns = std(x)\nb = 2 / 3\n";
    let place = place(program, "x,y\n3,4\n8,1\n");
    let names = ["z", "c", "r", "a", "s", "b"];
    let ordered = |text: &str| {
        let outputs = text.split_once("\"outputs\":{").unwrap().1;
        let at: Vec<usize> =
            names.iter().map(|name| outputs.find(&format!("\"{name}\":")).unwrap()).collect();
        assert!(at.is_sorted(), "{outputs}");
    };
    ordered(&place.call("run p.asa --data d.csv --json").text());
    place.call("run p.asa --data d.csv --out r.csv").text();
    let csv = std::fs::read_to_string(place.path("r.csv")).unwrap();
    assert_eq!(csv.lines().next(), Some("z,c,r,a,s,b"));
    place.call("plan p.asa --data d.csv --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    place.call("evaluate --plan plan.json --keys keys --in in --out out").text();
    ordered(&place.call("decrypt --plan plan.json --keys keys --in out --json").text());
}

/// The digits behind the point of a number as JSON has it.
fn places(value: &Value) -> usize {
    value.to_string().split_once('.').map_or(0, |(_, places)| places.len())
}

#[test]
fn approximate_values_have_no_more_digits_than_their_bounds_allow() {
    let place = place("w = sigmoid(y)\nk = 1000 * exp(y)\nn = 7\n", "y\n0.123456789\n2\n-1.5\n");
    let report = place.call("run p.asa --data d.csv --out r.csv --errors").json();
    let bounds: Vec<f64> = serde_json::from_value(report["error_bounds"].clone()).unwrap();
    let right = [|y: f64| 1.0 / (1.0 + (-y).exp()), |y: f64| 1000.0 * y.exp()];
    for (at, name) in ["w", "k"].into_iter().enumerate() {
        let most = (1.0 - bounds[at].log10()).ceil() as usize;
        for (value, y) in report["outputs"][name].as_array().unwrap().iter().zip([0.123456789, 2.0, -1.5]) {
            assert!(places(value) <= most, "{name}: {value} ± {}", bounds[at]);
            let off = (value.as_f64().unwrap() - right[at](y)).abs();
            assert!(off <= bounds[at], "{name}: {value} is off by {off}, above {}", bounds[at]);
        }
    }
    assert_eq!((&report["outputs"]["n"], bounds[2]), (&json!([7.0]), 0.0));
    let csv = std::fs::read_to_string(place.path("r.csv")).unwrap();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("w,w_error,k,k_error,n,n_error"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!((rows.len(), &rows[0][4..], &rows[1][4..]), (3, &["7", "0"][..], &["", ""][..]));
    for (row, y) in rows.iter().zip([0.123456789, 2.0, -1.5]) {
        for (at, right) in right.iter().enumerate() {
            let [value, error] = [row[2 * at], row[2 * at + 1]].map(|cell| cell.parse::<f64>().unwrap());
            assert!((value - right(y)).abs() <= error && error > 0.0, "{row:?}");
        }
    }
}

#[test]
fn a_column_of_errors_does_not_take_a_results_name() {
    let place = place("y = x / 3\ny_error = x\n", "x\n1\n2\n");
    place.refuses("run p.asa --data d.csv --out r.csv --errors", 2, &["`y_error`", "rename"]);
    place.refuses("run p.asa --data d.csv --errors", 2, &["--out"]);
    place.call("run p.asa --data d.csv --out r.csv").text();
}
