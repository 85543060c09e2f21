//! The newest record of the papers' tables and figures, and the documents that state its figures.

use std::{fs, path::PathBuf};

use asanoha_bench::record::{CellRow, Standing};

fn top() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The name of the newest record, and its cells.
fn newest() -> (String, Vec<CellRow>) {
    let folders = fs::read_dir(top().join("records")).unwrap();
    let names = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let name = names.filter(|name| name.ends_with("-papers")).max().expect("there is a record of the papers");
    let text = fs::read_to_string(top().join("records").join(&name).join("report.json")).unwrap();
    let mut report: serde_json::Value = serde_json::from_str(&text).unwrap();
    (name, serde_json::from_value(report["rows"].take()).unwrap())
}

#[test]
fn the_documents_have_the_tables_of_the_newest_record() {
    let (name, rows) = newest();
    for (document, table) in [
        ("README.md", Standing::table(&Standing::of_papers(&rows))),
        ("docs/performance.md", Standing::table(&Standing::all(&rows))),
    ] {
        let text = fs::read_to_string(top().join(document)).unwrap();
        assert!(text.contains(&table), "{document} needs the table of {name}:\n{table}");
        assert!(text.contains(&format!("records/{name}")), "{document} doesn't name {name}");
    }
}

#[test]
fn every_cell_of_the_newest_record_has_a_value_or_its_reason() {
    let (name, rows) = newest();
    assert!(rows.len() > 1000, "{name}: {}", rows.len());
    for row in &rows {
        let place = format!("{name}: {}, {}, {}, {}", row.paper, row.place, row.row, row.column);
        match (&row.ours, &row.reason) {
            (Some(value), None) => assert!(value.is_finite(), "{place}: {value}"),
            (None, Some(reason)) => {
                let is_an_excuse = ["gave no value", "failed", "wasn't run", "--quick"]
                    .iter()
                    .any(|word| reason.contains(word));
                assert!(!is_an_excuse, "{place}: {reason}");
            }
            both => panic!("{place}: {both:?}"),
        }
    }
}
