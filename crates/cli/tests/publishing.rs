//! Plans with room for publishing results.

use crate::common::Place;

fn place(program: &str) -> Place {
    let place = Place::new();
    place.write("p.asa", program);
    place.write("d.csv", "a\n5e-1\n-0.25\n0.75\n");
    place
}

const PROGRAM: &str = "y = 3 * a * a\nm = mean(a)\n";

#[test]
fn a_plan_for_publication_keeps_its_precision_when_results_are_published() {
    let place = place(PROGRAM);
    place.call("plan p.asa --data d.csv --precision-bits 10 --publish 30 --out plan.json").text();
    let plan = place.call("inspect plan.json").json();
    assert_eq!((&plan["publish"], &plan["fewer_rows"]), (&30.into(), &false.into()));
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    let line = "decrypt --plan plan.json --keys keys --in results --publish 30 --trust-server";
    let report = place.call(line).json();
    // The power of two that bounds y is 4, and that of m is 1.
    for (at, (bound, right)) in [(4.0, 0.75), (1.0, 1.0 / 3.0)].into_iter().enumerate() {
        let error = report["error_bounds"][at].as_f64().unwrap();
        assert!(error <= bound * 2f64.powi(-10), "{error}");
        let found = report["outputs"][["y", "m"][at]][0].as_f64().unwrap();
        assert!((found - right).abs() <= error);
    }
    assert_eq!(report["publication"]["within_precision"], true);
    let text = place.call(line).text();
    assert!(text.contains("y is off by at most ") && text.contains("m is off by at most "), "{text}");
}

#[test]
fn a_run_publishes_its_results_within_the_precision() {
    let place = place(PROGRAM);
    let report = place.call("run p.asa --data d.csv --precision-bits 10 --publish 30").json();
    assert!(report["check"]["max_abs_error"].as_f64().unwrap() <= 4.0 * 2f64.powi(-10));
    assert_eq!(report["published_bits"], 30);
    assert!(report["error_bounds"][0].as_f64().unwrap() > 1e-6);
    // What the noise was without the flooding would tell of the key.
    assert!(report["noise"]["measured_bits"].is_null());
    let plain = place.call("run p.asa --data d.csv --precision-bits 10").json();
    assert!(plain["published_bits"].is_null() && plain["noise"]["measured_bits"].is_f64());
    let text = place.call("run p.asa --data d.csv --precision-bits 10 --publish 30").text();
    assert!(text.contains("y is off by at most ") && text.contains("30 bits"), "{text}");
}

#[test]
fn a_plan_without_room_says_how_to_make_one() {
    let place = place(PROGRAM);
    place.call("plan p.asa --data d.csv --out plan.json").text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    let line = "decrypt --plan plan.json --keys keys --in results --publish 30 --trust-server";
    place.refuses(line, 1, &["leaves nothing", "asanoha plan", "--publish 30"]);
}

#[test]
fn precision_that_publication_leaves_no_room_for_is_refused_when_it_is_planned() {
    let place = place(PROGRAM);
    let says =
        ["ckks", "publishes results to 30 bits", "scale, 2^58", "bits are missing", "--precision-bits"];
    place.refuses("run p.asa --data d.csv --precision-bits 40 --publish 30 --scheme ckks", 1, &says);
    let says = ["no noise so wide can be drawn"];
    place.refuses("run p.asa --data d.csv --precision-bits 5 --publish 128 --scheme ckks", 1, &says);
    place.refuses("plan p.asa --data d.csv --publish 29", 2, &["from 30 to 128"]);
}

#[test]
fn exact_results_are_published_as_they_are() {
    let place = place("y = 3 * a");
    place.write("d.csv", "a\n5\n");
    let report = place.call("run p.asa --data d.csv --publish 30").json();
    assert_eq!(
        (&report["outputs"]["y"], &report["check"]["exact"]),
        (&serde_json::json!([15]), &true.into())
    );
}
