//! Plans for any number of rows up to a number.

use crate::common::Place;
use serde_json::{Value, json};

const MOST: usize = 21;

/// Data of a number of rows.
fn data(place: &Place, rows: usize, decimals: bool) {
    let row = |row: usize| if decimals { format!("{}.5", row % 11) } else { (row % 11).to_string() };
    place.write("d.csv", format!("x\n{}\n", (1..=rows).map(row).collect::<Vec<_>>().join("\n")));
}

/// Plans for up to [`MOST`] rows, with ranges and fractions that fewer rows needn't have.
fn place(program: &str, scheme: &str, decimals: bool) -> Place {
    let place = Place::new();
    place.write("p.asa", program);
    data(&place, 12, decimals);
    place
        .call(&format!(
            "plan p.asa --data d.csv --range x=0:16 --rows {MOST} --scheme {scheme} --out plan.json"
        ))
        .text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place
}

/// Every step on data of so many rows; the outputs.
fn outputs(place: &Place, rows: usize, decimals: bool) -> Value {
    data(place, rows, decimals);
    let report = place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").json();
    assert_eq!(report["rows"], rows);
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    place.call("decrypt --plan plan.json --keys keys --in results --in-of in").json()["outputs"].clone()
}

const COUNTS: [usize; 8] = [1, 2, 3, 8, 9, 16, MOST - 1, MOST];

#[test]
fn exact_plans_serve_any_number_of_rows() {
    let program = "m = mean((x - 3) * (x - 3))\ns = sum(x + 1)\ny = x * x - mean(x)\n";
    let small = "m = mean(x)\ny = x + sum(x)\n";
    for (scheme, program, counts) in
        [("bgv", program, &COUNTS[..]), ("bfv", program, &COUNTS[..]), ("tfhe", small, &[1, 3, MOST])]
    {
        let place = place(program, scheme, false);
        for &rows in counts {
            let found = outputs(&place, rows, false);
            place.write("all.csv", std::fs::read(place.path("d.csv")).unwrap());
            let right = place.call("run p.asa --data all.csv --scheme bgv").json();
            assert_eq!(right["check"]["exact"], true);
            assert_eq!(found, right["outputs"], "{scheme}, {rows} rows");
        }
    }
}

#[test]
fn approximate_plans_serve_any_number_of_rows_to_the_precision() {
    let place = place("v = var(x)\ns = sum(x + 1)\ny = x * 0.25 - mean(x)\nz = sigmoid(x)\n", "ckks", true);
    for rows in COUNTS {
        let found = outputs(&place, rows, true);
        let values: Vec<f64> = (1..=rows).map(|row| (row % 11) as f64 + 0.5).collect();
        let count = rows as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
        let near = |found: &Value, right: f64, bound: f64| {
            let found = found.as_f64().unwrap();
            assert!(
                (found - right).abs() <= bound * 2f64.powi(-20),
                "{rows} rows: {found}, and {right} is right"
            );
        };
        near(&found["v"][0], variance, 256.0);
        near(&found["s"][0], count * (mean + 1.0), 512.0);
        assert_eq!(found["y"].as_array().unwrap().len(), rows);
        for ((y, z), x) in
            found["y"].as_array().unwrap().iter().zip(found["z"].as_array().unwrap()).zip(&values)
        {
            near(y, x * 0.25 - mean, 16.0);
            near(z, 1.0 / (1.0 + (-x).exp()), 1.0);
        }
    }
}

#[test]
fn more_rows_than_planned_are_refused_with_what_to_do() {
    let place = place("m = mean(x)", "bgv", false);
    data(&place, MOST + 1, false);
    let line = "encrypt --plan plan.json --keys keys --data d.csv --out in";
    place.refuses(line, 2, &["22 rows", "at most 21", "--rows 22"]);
    place.refuses("plan p.asa --data d.csv --rows 21 --out o", 2, &["--rows 21", "22 rows"]);
    place.refuses("plan p.asa --data d.csv --rows 0", 2, &["from 1 to"]);
}

#[test]
fn plans_for_exactly_the_data_say_how_to_plan_for_others() {
    let place = Place::new();
    place.write("p.asa", "m = mean(x)");
    data(&place, 4, false);
    place.call("plan p.asa --data d.csv --range x=0:15 --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    data(&place, 3, false);
    let line = "encrypt --plan plan.json --keys keys --data d.csv --out in";
    place.refuses(line, 2, &["3 rows", "is for 4", "--rows"]);
}

#[test]
fn a_schema_is_planned_for_as_many_rows_as_are_asked() {
    let place = Place::new();
    place.write("p.asa", "m = mean(x)");
    let schema =
        r#"{"rows": 2, "columns": [{"name": "x", "whole": true, "range": {"lo": "0", "hi": "15"}}]}"#;
    place.write("s.json", schema);
    place.call("plan p.asa --schema s.json --rows 5 --out plan.json").text();
    let plan = place.call("inspect plan.json").json();
    assert_eq!(
        (&plan["rows"], &plan["fewer_rows"], &plan["publish"]),
        (&json!(5), &json!(true), &Value::Null)
    );
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    assert_eq!(outputs(&place, 3, false)["m"], json!([2]));
    // The number of rows is public: it stands in the file's header, and another isn't believed.
    assert_eq!(place.call("inspect in").json()["fields"]["rows"], 3);
}
