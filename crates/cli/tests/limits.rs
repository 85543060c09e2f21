//! `--max-seconds` and `--max-memory`.

use crate::common::{Place, example};

fn place() -> Place {
    let place = Place::new();
    place.write("p.asa", "y = x * x - 1");
    place.write("d.csv", "x\n1000003\n-7\n");
    place.call("plan p.asa --data d.csv --scheme bgv --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    place
}

/// Has the plan predict something else, which is no part of what is checked of it.
fn predict(place: &Place, key: &str, value: f64) {
    let mut plan: serde_json::Value =
        serde_json::from_slice(&std::fs::read(place.path("plan.json")).unwrap()).unwrap();
    assert!(plan["prediction"][key].is_number(), "{plan}");
    plan["prediction"][key] = value.into();
    place.write("plan.json", plan.to_string());
}

#[test]
fn an_evaluation_that_is_predicted_to_exceed_them_is_not_begun() {
    let place = place();
    let evaluate = "evaluate --plan plan.json --keys keys --in in --out results";
    place.call(&format!("{evaluate} --max-seconds 3600 --max-memory 16GiB")).text();
    std::fs::remove_file(place.path("results")).unwrap();
    predict(&place, "evaluate_s", 7200.0);
    let too_long = ["predicted to take", "--max-seconds grants", "fewer rows"];
    place.refuses(&format!("{evaluate} --max-seconds 3600"), 1, &too_long);
    let error = place.call(&format!("{evaluate} --max-seconds 3600 --json")).output().stdout;
    let error: serde_json::Value = serde_json::from_slice(&error).unwrap();
    let figures = &error["error"]["figures"];
    assert!(figures["predicted_s"].as_f64() > Some(7200.0) && figures["max_s"] == 3600.0, "{error}");
    place.call(&format!("{evaluate} --max-seconds 1e9")).text();
}

#[test]
#[cfg(target_os = "linux")]
fn memory_beyond_the_granted_is_not_asked_for_or_stops_the_call() {
    let place = Place::new();
    // Its keys and ciphertexts take more than the process has before.
    std::fs::copy(example("invoice.asa"), place.path("p.asa")).unwrap();
    std::fs::copy(example("data/invoice.csv"), place.path("d.csv")).unwrap();
    place.call("plan p.asa --data d.csv --scheme bgv --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    let evaluate = "evaluate --plan plan.json --keys keys --in in --out results";
    let too_much = ["predicted to need", "--max-memory grants 40.0 MiB", "--low-memory needs less"];
    place.refuses(&format!("{evaluate} --max-memory 40MiB"), 1, &too_much);
    place.call(&format!("{evaluate} --max-memory 1GiB --low-memory")).text();
    // Nothing is predicted of this one. What it has finished stays, so that it can go on.
    let triples =
        "triples generate --dim 8 --bits 64 --count 100000 --parties 2 --out triples --max-memory 1MB";
    let stopped = place.call(triples).output();
    let stderr = String::from_utf8(stopped.stderr).unwrap();
    assert!(stopped.status.code() == Some(1) && stderr.contains("stopped at"), "{stderr}");
    assert!(stderr.contains("--max-memory grants 976.6 KiB") && stderr.lines().count() == 1, "{stderr}");
}

#[test]
fn a_call_that_takes_longer_is_stopped_and_leaves_no_half_files() {
    let place = Place::new();
    std::fs::copy(example("risk.asa"), place.path("p.asa")).unwrap();
    std::fs::copy(example("data/diabetes.csv"), place.path("d.csv")).unwrap();
    place.refuses(
        "plan p.asa --data d.csv --out plan.json --max-seconds 0.001",
        1,
        &["stopped after", "grant more"],
    );
    let flags = "--max-seconds 0";
    place.refuses(&format!("plan p.asa --data d.csv {flags}"), 2, &["--max-seconds", "above 0"]);
    place.refuses("plan p.asa --data d.csv --max-memory 3X", 2, &["--max-memory", "4GiB"]);
}
