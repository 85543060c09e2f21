//! The situations of clients that the program, the Python package and the npm package answer or refuse alike.

use std::{collections::BTreeMap, path::Path};

use serde_json::{Map, Value};

use crate::common::Place;

const SITUATIONS: &str = include_str!("../../testkit/situations/client.json");

/// The exit status and the output of the last step.
type Outcome = (i32, Value, String);

/// A folder in which the steps of one situation take place.
struct Stage<'a> {
    place: Place,
    data: &'a Value,
    /// The records of inputs by the inputs' names.
    records: BTreeMap<String, String>,
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{value}: no {key}"))
}

/// Columns of numbers as CSV.
fn csv(columns: &Value) -> String {
    let columns: Vec<(&String, &Vec<Value>)> =
        columns.as_object().unwrap().iter().map(|(name, cells)| (name, cells.as_array().unwrap())).collect();
    let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let row = |row: usize| {
        let cells = columns.iter().map(|(_, cells)| match &cells[row] {
            Value::Null => "\"\"".to_owned(),
            number => number.to_string(),
        });
        cells.collect::<Vec<_>>().join(",")
    };
    let rows: Vec<String> = (0..columns[0].1.len()).map(row).collect();
    format!("{}\n{}\n", names.join(","), rows.join("\n"))
}

impl Stage<'_> {
    fn run(&self, line: &str) -> Outcome {
        let output = self.place.call(&format!("{line} --json")).output();
        let answer = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        let says = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap(), answer, says)
    }

    fn take(&mut self, step: &Value) -> Outcome {
        let keys = step["keys"].as_str().unwrap_or("keys");
        match text(step, "do") {
            "program" => self.run(text(step, "call")),
            "encrypt" => {
                self.place.write("step.csv", csv(&self.data[text(step, "data")]));
                let options = ["missing", "canaries"].map(|option| match &step[option] {
                    Value::Null => String::new(),
                    Value::String(value) => format!(" --{option} {value}"),
                    value => format!(" --{option} {value}"),
                });
                let name = text(step, "as");
                let call = format!("encrypt --plan plan.json --keys {keys} --data step.csv --out {name}");
                let outcome = self.run(&format!("{call}{}", options.concat()));
                let record = outcome.1["record"].as_str().unwrap_or_default();
                self.records.insert(name.to_owned(), format!("{keys}/{record}"));
                outcome
            }
            "evaluate" => {
                let (inputs, name) = (text(step, "inputs"), text(step, "as"));
                self.run(&format!("evaluate --plan plan.json --keys {keys} --in {inputs} --out {name}"))
            }
            "decrypt" => {
                let of = step["of"].as_str().map_or_else(String::new, |of| format!(" --in-of {of}"));
                let results = text(step, "results");
                self.run(&format!("decrypt --plan plan.json --keys {keys} --in {results}{of}"))
            }
            "copy" => {
                let [from, to] = ["from", "to"].map(|key| self.place.path(text(step, key)));
                copy(&from, &to, step["records"].as_bool().unwrap());
                (0, Value::Null, String::new())
            }
            "cut" => {
                let path = self.place.path(text(step, "file"));
                let contents = std::fs::read(&path).unwrap();
                std::fs::write(path, &contents[..contents.len() - 8]).unwrap();
                (0, Value::Null, String::new())
            }
            "forget" | "edit" => {
                let path = self.place.path(&self.records[text(step, "inputs")]);
                let contents = std::fs::read(&path).unwrap();
                if let Some(cut) = step["cut"].as_u64() {
                    std::fs::write(path, &contents[..contents.len() - cut as usize]).unwrap();
                } else if let Some(fields) = step["set"].as_object() {
                    let mut record: Map<String, Value> = serde_json::from_slice(&contents).unwrap();
                    record.extend(fields.clone());
                    std::fs::write(path, Value::from(record).to_string()).unwrap();
                } else {
                    std::fs::remove_file(path).unwrap();
                }
                (0, Value::Null, String::new())
            }
            other => panic!("{other}"),
        }
    }
}

fn copy(from: &Path, to: &Path, records: bool) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let name = entry.unwrap().file_name();
        if records || !name.to_str().unwrap().starts_with("inputs-") {
            std::fs::copy(from.join(&name), to.join(&name)).unwrap();
        }
    }
}

#[test]
fn situations_of_clients_are_answered_or_refused_as_in_the_packages() {
    let all: Value = serde_json::from_str(SITUATIONS).unwrap();
    let situations = all["situations"].as_array().unwrap();
    assert!(situations.len() >= 30);
    let wrong: Vec<String> =
        situations.iter().filter_map(|situation| differing(&all, situation).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Carries out the steps of a situation. The error is how its outcome differs from the one that is stated.
fn differing(all: &Value, situation: &Value) -> Result<(), String> {
    let (name, plan) = (text(situation, "name"), &all["plans"][text(situation, "plan")]);
    let mut stage = Stage { place: Place::new(), data: &all["data"], records: BTreeMap::new() };
    stage.place.write("p.asa", text(plan, "program"));
    stage.place.write("p.csv", text(plan, "data"));
    let options = text(plan, "options");
    stage.place.call(&format!("plan p.asa --data p.csv --out plan.json {options}")).text();
    stage.place.call("keygen --no-passphrase --plan plan.json --out keys").text();
    let (last, before) = situation["steps"].as_array().unwrap().split_last().unwrap();
    for step in before {
        let (code, _, says) = stage.take(step);
        assert_eq!(code, 0, "{name}: {step}: {says}");
    }
    let (code, answer, says) = stage.take(last);
    let refused = &situation["refused"];
    let is_right = if let Some(expected) = situation["answers"].as_object() {
        code == 0 && expected.iter().all(|(output, expected)| is_near(expected, &answer["outputs"][output]))
    } else {
        i64::from(code) == refused["exit"].as_i64().unwrap_or(2) && says.contains(text(refused, "says"))
    };
    if is_right { Ok(()) } else { Err(format!("{name}: exit status {code}, {}, {says}", answer["outputs"])) }
}

/// Returns true if an output is what is expected, a list of numbers and gaps or one number.
fn is_near(expected: &Value, found: &Value) -> bool {
    let one = std::slice::from_ref(expected);
    let expected = expected.as_array().map_or(one, Vec::as_slice);
    let found = found.as_array().map_or(&[][..], Vec::as_slice);
    let is_same = |(found, expected): (&Value, &Value)| match (found.as_f64(), expected.as_f64()) {
        (Some(found), Some(expected)) => (found - expected).abs() < 1e-3,
        _ => found == expected,
    };
    found.len() == expected.len() && found.iter().zip(expected).all(is_same)
}
