//! `asanoha bench list`, `all` and `report`.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::{common::Place, json_page::compare};

/// The files that `report` writes.
const PAGES: [&str; 4] = ["report.html", "report.md", "report.json", "reports.json"];

/// A report with two values that a paper has beside published ones of the same, the second of them predicted, and its call.
fn two_values() -> (String, Value) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../bench/record/integer-division.json");
    let paper: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut places = paper["places"].as_array().unwrap().iter();
    let place = places.find(|place| place["better"] != "none").unwrap();
    let cells = place["cells"].as_array().unwrap().iter();
    let both = |cell: &&Value| !cell["ours"].is_null() && cell["published"].as_f64() > Some(0.0);
    let mut ours: Vec<&Value> = cells.filter(both).map(|cell| &cell["ours"]).collect();
    // Cells of one row of the report stand side by side.
    ours.dedup_by_key(|ours| &ours["where"]);
    let mut rows: Vec<Value> = ours[..2]
        .iter()
        .map(|ours| {
            let mut row = ours["where"].clone();
            row[ours["value"].as_str().unwrap()] = json!(2.5);
            row
        })
        .collect();
    rows[1]["predicted"] = json!("from another");
    let machine = json!({ "cpu": "a processor", "kernels": "scalar", "threads": 2 });
    let text = |key: &str| ours[0][key].as_str().unwrap().to_owned();
    (text("bench"), json!({ "machine": machine, text("list"): rows }))
}

/// A folder that has the report of every call, made by hand.
fn measured(place: &Place) -> PathBuf {
    let list = place.call("bench list").json();
    let folder = place.path("record");
    std::fs::create_dir_all(&folder).unwrap();
    for (at, call) in list["calls"].as_array().unwrap().iter().enumerate() {
        let name = call["call"].as_str().unwrap();
        let (with_value, value) = two_values();
        let report = if name == with_value {
            value
        } else {
            json!({ "machine": { "cpu": "a processor", "kernels": "scalar", "threads": 2 } })
        };
        let saved = json!({ "call": name, "quick": true, "program": list["program"], "commit": if at == 0 { json!("0123456789ab") } else { Value::Null },
            "unix_seconds": 1_798_761_599u64 + at as u64, "seconds": 1.5, "outcome": { "report": report } });
        std::fs::write(folder.join(file(name)), saved.to_string()).unwrap();
    }
    folder
}

fn file(call: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    format!("{}.json", call.replace("--", "").chars().map(plain).collect::<String>())
}

fn changed(folder: &std::path::Path, call: &str, change: impl Fn(&mut Value)) {
    let path = folder.join(file(call));
    let mut saved: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    change(&mut saved);
    std::fs::write(path, saved.to_string()).unwrap();
}

#[test]
fn the_list_names_every_paper_and_the_whole_time() {
    let place = Place::new();
    let list = place.call("bench list").json();
    let gives: Vec<&str> = list["calls"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|call| call["gives"].as_array().unwrap())
        .map(|gives| gives.as_str().unwrap())
        .collect();
    for paper in ["trace-avx512", "matrix-triples", "scheme-comparison", "integer-division", "large-moduli"] {
        assert!(gives.iter().any(|gives| gives.starts_with(paper)), "{paper}");
    }
    let text = place.call("bench list").text();
    assert!(text.contains("all, on two cores") && text.contains("large-moduli: Figure"), "{text}");
}

#[test]
fn only_what_a_folder_lacks_is_measured() {
    let place = Place::new();
    let folder = measured(&place);
    // From another program, a failure, and one that is missing.
    changed(&folder, "ntt", |saved| saved["program"] = json!("0.1.0 0123456789abcdef"));
    changed(&folder, "fma", |saved| saved["outcome"] = json!({ "error": "no memory" }));
    std::fs::remove_file(folder.join("kernels.json")).unwrap();
    let all = place.call("bench all --quick --kernels scalar").args([&folder]).json();
    for call in all["calls"].as_array().unwrap() {
        let anew = ["ntt", "fma", "kernels"].contains(&call["call"].as_str().unwrap());
        assert_eq!(call["cpu"] != "a processor", anew, "{call}");
        assert_eq!(call["kernels"], "scalar");
        assert!(call["error"].is_null() && call["quick"] == true);
    }
    let again = place.call("bench all --quick --kernels scalar").args([&folder]).json();
    assert_eq!(again, all);
}

#[test]
fn a_page_has_values_reasons_and_failures() {
    let place = Place::new();
    let folder = measured(&place);
    changed(&folder, "plan", |saved| saved["outcome"] = json!({ "error": "no <memory>" }));
    let call = || place.call("bench report").args([&folder]);
    let output = call().output();
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("bench plan: no <memory>"), "{error}");
    changed(&folder, "plan", |saved| saved["outcome"] = json!({ "report": { "machine": {} } }));
    let report = call().json();
    let files: Vec<PathBuf> = report["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| PathBuf::from(file.as_str().unwrap()))
        .collect();
    assert_eq!(files, PAGES.map(|name| folder.join(name)));
    let html = std::fs::read_to_string(&files[0]).unwrap();
    assert!(html.contains("a processor") && html.contains("--quick."), "{}", &html[..2000]);
    for row in report["rows"].as_array().unwrap() {
        assert_ne!(row["ours"].is_null(), row["reason"].is_null(), "{row}");
    }
    let saved: Value = serde_json::from_slice(&std::fs::read(&files[2]).unwrap()).unwrap();
    assert_eq!(saved["rows"], report["rows"]);
}

#[test]
fn the_file_of_all_reports_makes_the_same_record_again() {
    let place = Place::new();
    let folder = measured(&place);
    changed(&folder, "fma", |saved| saved["quick"] = json!(false));
    place.call("bench report").args([&folder]).text();
    let copy = place.path("copy");
    std::fs::create_dir(&copy).unwrap();
    std::fs::copy(folder.join("reports.json"), copy.join("reports.json")).unwrap();
    place.call("bench report").args([&copy]).text();
    for name in PAGES {
        let [first, again] =
            [&folder, &copy].map(|folder| std::fs::read_to_string(folder.join(name)).unwrap());
        assert!(first == again, "{name}");
    }
    // It serves in place of the calls' files.
    let all = place.call("bench all --quick").args([&copy]).json();
    assert!(all["calls"].as_array().unwrap().iter().all(|call| call["cpu"] == "a processor"), "{all}");
    std::fs::write(copy.join("reports.json"), "[{").unwrap();
    place.refuses(&format!("bench report {}", copy.display()), 2, &["reports.json", "remove the file"]);
}

#[test]
fn folders_that_hold_no_record_are_refused() {
    let place = Place::new();
    place.refuses("bench all", 2, &["bench all DIR"]);
    place.refuses("bench report", 2, &["bench report DIR"]);
    place.refuses("bench report nowhere", 2, &["nowhere", "bench all"]);
    place.refuses("bench ntt folder", 2, &["DIR"]);
    place.refuses("bench all folder --run", 2, &["--run"]);
    for line in ["bench list --quick", "bench report folder --quick", "bench report folder --kernels scalar"]
    {
        place.refuses(line, 2, &["--run"]);
    }
    let folder = measured(&place);
    std::fs::write(folder.join("ntt.json"), "[1, 2").unwrap();
    place.refuses(&format!("bench report {}", folder.display()), 2, &["ntt.json", "measure again"]);
}

#[test]
fn keys_of_the_record_are_documented() {
    let place = Place::new();
    let folder = measured(&place);
    compare("asanoha bench list", &[place.call("bench list").json()]);
    compare("asanoha bench all", &[place.call("bench all --quick").args([&folder]).json()]);
    compare("asanoha bench report", &[place.call("bench report").args([&folder]).json()]);
}

/// Measuring a search takes long, so that no other test sees whether its cells find their values.
#[test]
fn cells_of_the_genome_search_name_documented_keys() {
    let record = include_str!("../../bench/record/scheme-comparison.json");
    let page = include_str!("../../../docs/json.md");
    let (_, section) = page.split_once("### `asanoha bench genome`").unwrap();
    let section = section.split("\n#").next().unwrap();
    let selectors: Vec<&str> = record.split(r#""bench": "genome"#).skip(1).collect();
    assert!(selectors.len() > 40, "{}", selectors.len());
    for selector in selectors {
        let (_, value) = selector.split_once(r#""value": ""#).unwrap();
        let (value, _) = value.split_once('"').unwrap();
        assert!(section.contains(&format!("| `rows[].{value}` |")), "{value}");
    }
}
