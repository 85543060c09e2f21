//! Files that lie, with digests that are right: none is believed.

use crate::common::Place;
use asanoha_testkit::OpenFile;
use serde_json::{Value, json};

const DECRYPT: &str = "decrypt --plan plan.json --keys keys --in results";

/// A program with its plan, keys, encrypted columns and results, in a scheme.
fn place(scheme: &str, program: &str, data: &str) -> Place {
    let place = Place::new();
    place.write("p.asa", program);
    place.write("d.csv", data);
    place.call(&format!("plan p.asa --data d.csv --scheme {scheme} --out plan.json")).text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    place
}

fn ckks() -> Place {
    place("ckks", "y = x * x + 0.5 * z\ns = mean(y)", "x,z\n0.5,1.5\n0.25,-2\n0.125,0.75\n")
}

fn whole(scheme: &str) -> Place {
    place(scheme, "y = x * z\ns = sum(y) - 3 * sum(x)", "x,z\n5,-1\n200,20\n7,3\n")
}

fn read_json(place: &Place, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(place.path(name)).unwrap()).unwrap()
}

/// Changes what a file of ciphertexts states of its first one.
fn restate(place: &Place, file: &str, key: &str, value: &Value) {
    let mut open = OpenFile::read(&place.path(file));
    let mut fields = open.fields();
    fields["values"][0]["ciphertexts"][0][key] = value.clone();
    open.set_fields(&fields);
    open.seal(&place.path(file));
}

#[test]
fn a_sealed_file_that_says_the_same_is_read() {
    let place = ckks();
    let before = place.call(DECRYPT).json()["outputs"].clone();
    for file in ["results", "in", "keys/public.safetensors", "keys/evaluation.safetensors"] {
        OpenFile::read(&place.path(file)).seal(&place.path(file));
    }
    assert_eq!(place.call(DECRYPT).json()["outputs"], before);
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
}

#[test]
fn a_result_that_states_its_own_noise_scale_or_bound_is_refused() {
    for (key, value) in [
        ("noise", json!([1.0, -900])),
        ("noise", json!([1.0, 900])),
        ("scale", json!(2f64.powi(50))),
        ("bound", json!(1e-3)),
        ("factor", json!(1)),
        ("other", json!(1)),
    ] {
        let place = ckks();
        restate(&place, "results", key, &value);
        for line in [DECRYPT.to_owned(), format!("{DECRYPT} --publish 30")] {
            place.refuses(&format!("{line} --out o.csv"), 2, &["results"]);
        }
    }
    for (scheme, key, value) in [
        ("bgv", "noise", json!([1.0, 3])),
        ("bgv", "factor", json!(2)),
        ("bfv", "noise", json!([1.0, 3])),
        ("bfv", "orders", Value::Null),
    ] {
        let place = whole(scheme);
        restate(&place, "results", key, &value);
        place.refuses(&format!("{DECRYPT} --out o.csv"), 2, &["results"]);
    }
}

#[test]
fn inputs_that_state_their_own_noise_are_not_evaluated() {
    for (scheme, place) in [("ckks", ckks()), ("bgv", whole("bgv")), ("bfv", whole("bfv"))] {
        restate(&place, "in", "noise", &json!([1.0, -900]));
        let line = "evaluate --plan plan.json --keys keys --in in --out new";
        place.refuses(line, 2, &["in:"]);
        assert!(!place.path("new").exists(), "{scheme}");
    }
}

#[test]
fn a_result_of_another_level_is_refused() {
    let place = ckks();
    let mut open = OpenFile::read(&place.path("results"));
    let [parts, primes, degree] =
        [0, 1, 2].map(|i| open.tensors["y.0"]["shape"][i].as_u64().unwrap() as usize);
    let from = open.tensors["y.0"]["data_offsets"][0].as_u64().unwrap() as usize;
    // Each part with its last prime left out, and the tensors behind it moved up.
    let mut shorter = open.body[..from].to_vec();
    for part in 0..parts {
        let start = from + part * primes * degree * 8;
        shorter.extend(&open.body[start..start + (primes - 1) * degree * 8]);
    }
    assert!(primes > 1 || shorter.len() == from);
    let end = from + parts * primes * degree * 8;
    shorter.extend(&open.body[end..]);
    let moved = (open.body.len() - shorter.len()) as u64;
    open.body = shorter;
    open.tensors["y.0"]["shape"] = json!([parts, primes - 1, degree]);
    for (name, info) in &mut open.tensors {
        let [start, stop] = [0, 1].map(|i| info["data_offsets"][i].as_u64().unwrap());
        if name == "y.0" {
            info["data_offsets"] = json!([start, stop - moved]);
        } else if start >= end as u64 {
            info["data_offsets"] = json!([start - moved, stop - moved]);
        }
    }
    open.seal(&place.path("results"));
    place.refuses(&format!("{DECRYPT} --out o.csv"), 2, &["results"]);
}

/// Refused with and without the keys of the plan before.
fn refuses_plan(place: &Place, says: &[&str]) {
    for line in [
        "keygen --no-passphrase --plan plan.json --out more",
        "encrypt --plan plan.json --keys keys --data d.csv --out new",
        "evaluate --plan plan.json --keys keys --in in --out new",
        "decrypt --plan plan.json --keys keys --in results --out new",
        "inspect plan.json",
    ] {
        place.refuses(line, 2, says);
    }
}

#[test]
fn an_output_that_points_at_an_input_is_refused() {
    let place = whole("bgv");
    let mut plan = read_json(&place, "plan.json");
    plan["circuit"]["outputs"][0]["step"] = json!(0);
    place.write("plan.json", plan.to_string());
    refuses_plan(&place, &["plan.json", "schedule"]);
}

#[test]
fn a_range_that_was_widened_after_planning_is_refused() {
    for scheme in ["bgv", "bfv", "ckks"] {
        let place = whole(scheme);
        let mut plan = read_json(&place, "plan.json");
        let columns = plan["schema"]["columns"].as_array_mut().unwrap();
        let column = columns.iter_mut().find(|column| column["name"] == "x").unwrap();
        column["range"]["hi"] = json!("1048575");
        place.write("plan.json", plan.to_string());
        refuses_plan(&place, &["plan.json"]);
    }
}

#[test]
fn a_program_edited_in_a_plan_is_refused() {
    for (place, from, to) in [(ckks(), "0.5 *", "0.25 *"), (whole("bgv"), "3 *", "4 *")] {
        let mut plan = read_json(&place, "plan.json");
        let program = plan["program"].as_str().unwrap().to_owned();
        assert!(program.contains(from), "{program}");
        plan["program"] = json!(program.replace(from, to));
        place.write("plan.json", plan.to_string());
        refuses_plan(&place, &["plan.json"]);
    }
}

#[test]
fn plans_that_are_not_what_they_say_are_refused_whatever_was_edited() {
    for place in [ckks(), whole("bgv"), whole("bfv")] {
        let plan = read_json(&place, "plan.json");
        let scheme = plan["params"]["scheme"].as_str().unwrap().to_owned();
        let mut edits: Vec<(&str, Value)> = vec![
            ("/circuit/steps/1/level", json!(0)),
            ("/circuit/steps/1/noise_bits", json!(1.0)),
            ("/circuit/steps/0/bound", json!(-1.0)),
            ("/circuit/steps/0/bound", json!(1e-6)),
            ("/circuit/outputs/0/factor", json!([[1, [0]], [1, [1]]])),
            ("/circuit/outputs/0/name", json!("s")),
            ("/circuit/inputs/0/column", json!("z")),
            ("/circuit/inputs", json!([{"column": "x"}, {"column": "x"}])),
            ("/circuit/steps", json!([])),
            ("/circuit/outputs", json!([])),
            ("/circuit", json!({})),
            ("/schema/rows", json!(2)),
            ("/schema/rows", json!(1 << 28)),
            ("/params/rlwe/digits", json!(0)),
            ("/params/rlwe/q_primes", json!(vec![1_099_511_922_689u64; 400_000])),
            ("/params/rlwe/ring_degree", json!(3)),
            ("/params/rlwe/ring_degree", json!(1u64 << 60)),
            ("/security", json!(512)),
            ("/security", json!(0)),
            ("/version", json!(1)),
        ];
        if scheme == "ckks" {
            edits.push(("/params/log2_scale", json!(1e300)));
            edits.push(("/params/log2_scale", json!(12.5)));
        } else {
            edits.push(("/params/plaintext_modulus", json!(40961)));
            edits.push(("/params/plaintext_factors", json!(vec![2; 400_000])));
        }
        for (pointer, value) in edits {
            let mut edited = plan.clone();
            if let Some(place) = edited.pointer_mut(pointer) {
                *place = value;
            } else {
                let (parent, key) = pointer.rsplit_once('/').unwrap();
                edited.pointer_mut(parent).unwrap()[key] = value;
            }
            place.write("plan.json", edited.to_string());
            place.refuses("keygen --no-passphrase --plan plan.json --out more", 2, &["plan.json"]);
        }
    }
}

#[test]
fn a_real_constant_in_an_exact_schedule_is_refused() {
    let place = whole("bgv");
    let mut plan = read_json(&place, "plan.json");
    let steps = plan["circuit"]["steps"].as_array_mut().unwrap();
    let step = steps.iter_mut().find(|step| step.get("mul_constant").is_some()).expect("3 * sum(x)");
    step["mul_constant"]["k"] = json!(3.5);
    place.write("plan.json", plan.to_string());
    refuses_plan(&place, &["plan.json"]);
}

/// A plan whose modulus is several times what the table allows at its ring degree, and which says so.
fn insecure(place: &Place) {
    let mut plan = read_json(place, "plan.json");
    plan["params"]["rlwe"]["insecure"] = json!(true);
    place.write("plan.json", plan.to_string());
}

#[test]
fn an_insecure_plan_is_refused_without_the_flag_and_named_with_it() {
    let place = whole("bgv");
    insecure(&place);
    for line in [
        "keygen --no-passphrase --plan plan.json --out more",
        "encrypt --plan plan.json --keys keys --data d.csv --out new",
        "evaluate --plan plan.json --keys keys --in in --out new",
        "decrypt --plan plan.json --keys keys --in results --out new",
    ] {
        place.refuses(line, 2, &["plan.json", "insecure", "128", "--insecure"]);
    }
    place.call("keygen --no-passphrase --plan plan.json --out more --insecure").text();
    let inspected = place.call("inspect plan.json").json();
    assert_eq!(inspected["insecure"], true);
}

#[test]
fn a_plan_that_claims_more_security_than_its_parameters_have_is_refused() {
    let place = whole("bgv");
    let mut plan = read_json(&place, "plan.json");
    plan["security"] = json!(256);
    place.write("plan.json", plan.to_string());
    place.refuses("keygen --no-passphrase --plan plan.json --out more", 2, &["plan.json", "256", "128"]);
}

#[test]
fn a_result_tells_which_inputs_it_was_computed_from() {
    let place = whole("bgv");
    std::fs::rename(place.path("results"), place.path("old")).unwrap();
    std::fs::rename(place.path("in"), place.path("old-in")).unwrap();
    place.write("d.csv", "x,z\n4,2\n5,4\n6,6\n");
    place.call("encrypt --plan plan.json --keys keys --data d.csv --out in").text();
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    let today = place.call(&format!("{DECRYPT} --in-of in")).json();
    assert_eq!(today["outputs"]["y"], json!([8, 20, 36]));
    assert_eq!(today["inputs"]["checked"], true);
    let digest = today["inputs"]["digest"].as_str().unwrap().to_owned();
    assert_eq!(digest.len(), 64);
    assert_eq!(place.call("inspect results").json()["fields"]["inputs"], json!(digest));
    let old = "decrypt --plan plan.json --keys keys --in old";
    place.refuses(&format!("{old} --in-of in --out o.csv"), 3, &["old", "in"]);
    assert_eq!(place.call(&format!("{old} --in-of old-in")).json()["outputs"]["y"], json!([-5, 4000, 21]));
    assert_eq!(place.call(old).json()["inputs"]["checked"], false);
}

#[test]
fn results_of_altered_evaluation_keys_are_an_error_and_no_numbers() {
    for scheme in ["bgv", "bfv"] {
        let place = whole(scheme);
        let keys = place.path("keys/evaluation.safetensors");
        let mut open = OpenFile::read(&keys);
        open.body.chunks_exact_mut(8).step_by(97).for_each(|word| word[0] ^= 1);
        open.seal(&keys);
        for more in ["", " --low-memory"] {
            let line = format!("evaluate --plan plan.json --keys keys --in in --out results{more}");
            place.call(&line).text();
            place.refuses(&format!("{DECRYPT} --out o.csv"), 3, &["noise"]);
        }
    }
}
