//! What a server or whoever carries files could do: each attack is a test, and a failing test is an attack that succeeds.
//!
//! `cargo xtask attack` runs these against the release build of the program.

use crate::common::Place;
use asanoha_testkit::OpenFile;
use serde_json::json;

const DECRYPT: &str = "decrypt --plan plan.json --keys keys --in results";

/// Makes a plan for up to a number of rows, and its keys.
fn place(scheme: &str, program: &str, most: usize) -> Place {
    let place = Place::new();
    place.write("p.asa", program);
    encrypted_rows(&place, 2);
    let plan = format!(
        "plan p.asa --data d.csv --range x=0:15 --rows {most} --scheme {scheme} --precision-bits 8 --publish 30"
    );
    place.call(&format!("{plan} --out plan.json")).text();
    place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    place
}

fn encrypted_rows(place: &Place, rows: usize) {
    let numbers: Vec<String> = (0..rows).map(|row| (row % 9 + 3).to_string()).collect();
    place.write("d.csv", format!("x\n{}\n", numbers.join("\n")));
}

/// Encrypts so many rows as `in` and evaluates them to `results`.
fn evaluated(place: &Place, rows: usize, from: &str, to: &str) {
    encrypted_rows(place, rows);
    place.call(&format!("encrypt --plan plan.json --keys keys --data d.csv --out {from}")).text();
    place.call(&format!("evaluate --plan plan.json --keys keys --in {from} --out {to}")).text();
}

/// Makes `results` state what the results in another file do of everything but their inputs: rows, plan, noise and shape.
fn disguise(place: &Place, as_those: &str) {
    let own = OpenFile::read(&place.path("results")).fields();
    let mut forged = OpenFile::read(&place.path(as_those));
    let mut fields = forged.fields();
    fields["inputs"] = own["inputs"].clone();
    forged.set_fields(&fields);
    forged.seal(&place.path("results"));
}

#[test]
fn results_that_state_another_count_of_rows_are_refused() {
    for (scheme, most, rows, forged) in
        [("bgv", 21, 5, 8), ("bfv", 13, 7, 2), ("ckks", 21, 5, 20), ("tfhe", 5, 2, 3)]
    {
        let place = place(scheme, "m = mean(x)\ny = x + 1\n", most);
        evaluated(&place, rows, "in", "results");
        let right = place.call(DECRYPT).json()["outputs"].clone();
        let copy = Place::new();
        for name in ["plan.json", "p.asa"] {
            copy.write(name, std::fs::read(place.path(name)).unwrap());
        }
        // A server makes any results with the public keys, under a folder of its own.
        let keys = std::fs::read_dir(place.path("keys")).unwrap().map(|entry| entry.unwrap().path());
        std::fs::create_dir(copy.path("keys")).unwrap();
        for key in keys {
            std::fs::copy(&key, copy.path("keys").join(key.file_name().unwrap())).unwrap();
        }
        evaluated(&copy, forged, "in", "others");
        place.write("others", std::fs::read(copy.path("others")).unwrap());
        let honest = std::fs::read(place.path("results")).unwrap();
        disguise(&place, "others");
        let says = [&*format!("{forged} rows"), &*rows.to_string()];
        for more in ["", " --in-of in", " --publish 30 --trust-server", &format!(" --rows {rows}")] {
            place.refuses(&format!("{DECRYPT}{more} --out o.csv"), 2, &says);
        }
        // The header's count alone, and none.
        for stated in [json!(forged), json!(null)] {
            place.write("results", &honest);
            let mut open = OpenFile::read(&place.path("results"));
            let mut fields = open.fields();
            fields["rows"] = stated.clone();
            open.set_fields(&fields);
            open.seal(&place.path("results"));
            let output = place.call(&format!("{DECRYPT} --json")).output();
            if stated.is_null() {
                let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
                assert_eq!(found["outputs"], right, "the count is the client's");
            } else {
                assert_eq!(output.status.code(), Some(2));
            }
        }
    }
}

#[test]
fn results_that_name_other_inputs_of_the_client_do_not_choose_the_count_of_rows() {
    let place = place("bgv", "m = mean(x)\n", 21);
    evaluated(&place, 4, "in", "results");
    assert_eq!(place.call(DECRYPT).json()["outputs"]["m"], json!([4.5]));
    evaluated(&place, 6, "other", "others");
    // Both are inputs of this plan: only the client knows which one it means.
    for line in [DECRYPT.to_owned(), format!("{DECRYPT} --publish 30 --trust-server")] {
        place.refuses(&format!("{line} --out o.csv"), 2, &["4 rows", "6 rows", "--in-of", "--rows"]);
    }
    // What the message advises works, and holds the results to what the client says.
    assert_eq!(place.call(&format!("{DECRYPT} --rows 4")).json()["outputs"]["m"], json!([4.5]));
    assert_eq!(place.call(&format!("{DECRYPT} --in-of in")).json()["outputs"]["m"], json!([4.5]));
    let others = "decrypt --plan plan.json --keys keys --in others";
    assert_eq!(place.call(&format!("{others} --in-of other")).json()["outputs"]["m"], json!([5.5]));
    place.refuses(
        &format!("{others} --in-of in --out o.csv"),
        3,
        &["computed from other inputs", "than in ("],
    );
    place.refuses(&format!("{others} --rows 4 --out o.csv"), 2, &["6 rows", "4"]);
}

#[test]
fn results_without_a_record_of_their_inputs_need_the_count_of_rows() {
    let place = place("ckks", "m = mean(x)\n", 9);
    evaluated(&place, 5, "in", "results");
    let name = |place: &Place| {
        let entries = std::fs::read_dir(place.path("keys")).unwrap();
        let mut paths = entries.map(|entry| entry.unwrap().path());
        paths.find(|path| path.file_name().unwrap().to_str().unwrap().starts_with("inputs-")).unwrap()
    };
    let record = name(&place);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(record.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let text = std::fs::read_to_string(&record).unwrap();
    let edits =
        [text.replace("\"rows\":5", "\"rows\":500"), text.replace('}', ",\"more\":1}"), " ".repeat(2 << 20)];
    for (edited, says) in edits.iter().zip(["at most 9", "damaged", "damaged"]) {
        std::fs::write(&record, edited).unwrap();
        place.refuses(&format!("{DECRYPT} --out o.csv"), 2, &[says]);
    }
    std::fs::remove_file(&record).unwrap();
    for more in ["", " --in-of in", " --publish 30 --trust-server"] {
        place.refuses(&format!("{DECRYPT}{more} --out o.csv"), 2, &["keys", "no record", "--rows"]);
    }
    assert!(place.call(&format!("{DECRYPT} --rows 5")).text().contains('m'));
    // A name that leads elsewhere is no digest.
    let mut open = OpenFile::read(&place.path("results"));
    let mut fields = open.fields();
    fields["inputs"] = json!("../../d.csv");
    open.set_fields(&fields);
    open.seal(&place.path("results"));
    place.refuses(&format!("{DECRYPT} --out o.csv"), 2, &["no record"]);
}

#[test]
fn results_of_an_altered_bootstrapping_or_switching_key_are_an_error_and_no_numbers() {
    let place = place("tfhe", "y = (x + 1) * (x > 3)\n", 2);
    let path = place.path("keys/evaluation.safetensors");
    let honest = OpenFile::read(&path);
    evaluated(&place, 2, "in", "results");
    let right = place.call(DECRYPT).json()["outputs"].clone();
    assert_eq!(right["y"], json!([0, 5]));
    for name in ["bootstrap.bodies", "switch.bodies"] {
        let from = honest.tensors[name]["data_offsets"][0].as_u64().unwrap() as usize;
        let end = honest.tensors[name]["data_offsets"][1].as_u64().unwrap() as usize;
        // One row of the first, one of the middle, and one of the last bit.
        for start in [from, from + (end - from) / 2 / (1 << 14) * (1 << 14), end - (1 << 14)] {
            let mut open = honest.clone();
            open.body[start..start + (1 << 14)].iter_mut().step_by(3).for_each(|byte| *byte ^= 0xA5);
            open.seal(&path);
            place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
            let output = place.call(&format!("{DECRYPT} --json")).output();
            // An alteration that the noise hides changes no number.
            if output.status.success() {
                let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
                assert_eq!(found["outputs"], right, "{name} at {start}");
            } else {
                assert_eq!(output.status.code(), Some(3), "{name} at {start}");
            }
        }
    }
    // The alteration of the report: the message says what to do.
    let mut open = honest.clone();
    open.body[..1 << 17].iter_mut().step_by(3).for_each(|byte| *byte ^= 0xA5);
    open.seal(&path);
    place.call("evaluate --plan plan.json --keys keys --in in --out results").text();
    place.refuses(&format!("{DECRYPT} --out o.csv"), 3, &["altered", "do not tell", "keygen --force"]);
}
