//! Moments of columns that are far from 0 and narrow, as users call them.

use crate::common::Place;

const OFFSET: [&str; 2] = [include_str!("field/offset.asa"), include_str!("field/offset.csv")];

fn place(program: &str) -> Place {
    let place = Place::new();
    place.write("p.asa", program);
    place.write("d.csv", OFFSET[1]);
    place
}

fn assert_variance(value: &serde_json::Value) {
    let value = value[0].as_f64().unwrap();
    assert!((value - 0.010_495_264).abs() < 1e-7, "{value}");
}

#[test]
fn the_variance_of_an_offset_column_is_right_in_one_step() {
    let place = place(OFFSET[0]);
    for scheme in ["auto", "ckks"] {
        let report = place.call(&format!("run p.asa --data d.csv --scheme {scheme}")).json();
        assert_variance(&report["outputs"]["v"]);
    }
}

#[test]
fn the_constant_of_a_column_is_beside_the_keys_and_nowhere_else() {
    let place = place("v = var(t)\nm = mean(t)\n");
    let plan = place.call("plan p.asa --data d.csv --scheme ckks --out plan.json").json();
    let column = &plan["columns"][0];
    assert_eq!((&column["centre"], &column["range"]["hi"]), (&"secret".into(), &"0.25".into()));
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    let text = place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    assert!(text.contains("constants of yours"), "{text}");
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    let report = place.call("decrypt --plan plan.json --keys keys --in results").json();
    assert_variance(&report["outputs"]["v"]);
    let mean = report["outputs"]["m"][0].as_f64().unwrap();
    assert!((mean - 99_999_999.970_806).abs() < 1e-4, "{mean}");
    let is_record =
        |path: &std::path::Path| path.file_name().unwrap().to_str().unwrap().starts_with("inputs-");
    let files = place.contents();
    let (record, _) = files.iter().find(|(path, _)| is_record(path)).unwrap();
    assert!(record.starts_with(place.path("keys")));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(record.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    for (path, contents) in files.iter().filter(|(path, _)| !path.ends_with("d.csv") && !is_record(path)) {
        let has = |text: &[u8]| contents.windows(text.len()).any(|window| window == text);
        assert!(!has(b"99999999.") && !has(b"100000000."), "{}", path.display());
    }
    std::fs::remove_file(record).unwrap();
    place.refuses("decrypt --plan plan.json --keys keys --in results", 2, &["column `t`", "constant"]);
}

#[test]
fn results_that_name_other_inputs_do_not_choose_the_constant() {
    let place = place("m = mean(t)\nv = var(t)\n");
    place.call("plan p.asa --data d.csv --scheme ckks --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    // As many rows, as far from each other, elsewhere.
    let rows: Vec<String> =
        OFFSET[1].lines().skip(1).map(|line| format!("{:.6}", line.parse::<f64>().unwrap() - 5e7)).collect();
    place.write("other.csv", format!("t\n{}\n", rows.join("\n")));
    for (data, inputs, results) in [("d.csv", "in", "results"), ("other.csv", "other", "others")] {
        place.call(&format!("encrypt --plan plan.json --keys keys --data {data} --out {inputs}")).text();
        place.call(&format!("evaluate --plan plan.json --keys keys --in {inputs} --out {results}")).text();
    }
    for results in ["results", "others"] {
        let line = format!("decrypt --plan plan.json --keys keys --in {results}");
        place.refuses(&line, 2, &["different constants", "--in-of"]);
        place.refuses(&format!("{line} --rows 8"), 2, &["different constants", "--in-of"]);
    }
    for (inputs, results, right) in
        [("in", "results", 99_999_999.970_806), ("other", "others", 49_999_999.970_806)]
    {
        let line = format!("decrypt --plan plan.json --keys keys --in {results} --in-of {inputs}");
        let mean = place.call(&line).json()["outputs"]["m"][0].as_f64().unwrap();
        assert!((mean - right).abs() < 1e-4, "{mean}");
        place.refuses(
            &format!("{line} --rows 7"),
            2,
            &["8 rows were encrypted", "7 are stated: leave --rows out"],
        );
    }
    place.refuses("decrypt --plan plan.json --keys keys --in results --in-of other", 3, &["other inputs"]);
}

#[test]
fn a_column_that_is_needed_as_it_is_takes_a_declared_constant() {
    let place = place("v = var(t)\nz = (t - 100000000)**2\n");
    let line = "run p.asa --data d.csv --scheme ckks";
    place.refuses(line, 1, &["`z` needs them as they are", "--center t=VALUE"]);
    let report = place.call(&format!("{line} --center t=100000000")).json();
    assert_variance(&report["outputs"]["v"]);
    let first = report["outputs"]["z"][0].as_f64().unwrap();
    assert!((first - 0.077_767f64.powi(2)).abs() < 1e-6, "{first}");
    for bad in ["t", "t=x", "=5"] {
        let refused = place.call(&format!("{line} --center {bad}")).output();
        assert_eq!(refused.status.code(), Some(2));
    }
    place.refuses(&format!("{line} --center u=5"), 2, &["no such column"]);
    // The steps apart know a public constant from the plan.
    place.call("plan p.asa --data d.csv --scheme ckks --center t=1e8 --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    assert_variance(&place.call("decrypt --plan plan.json --keys keys --in results").json()["outputs"]["v"]);
}
