//! What the README and the book say of the papers is what the newest record says.

use std::path::{Path, PathBuf};

use asanoha_bench::record::{CellRow, Standing};
use serde_json::Value;

/// The marks of a table that comes out of a record.
const MARKS: [&str; 2] = ["<!-- papers -->\n", "<!-- /papers -->"];

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The name of the newest record of the papers, and its cells.
fn newest() -> (String, Vec<CellRow>) {
    let names = std::fs::read_dir(top().join("records")).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap()).filter(|name| name.ends_with("-papers"));
    let name = names.max().expect("a record of the papers");
    let report = std::fs::read(top().join("records").join(&name).join("report.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    (name, serde_json::from_value(report["rows"].clone()).unwrap())
}

/// The text between the marks of a page.
fn marked(page: &str) -> String {
    let text = std::fs::read_to_string(top().join(page)).unwrap();
    let (_, rest) = text.split_once(MARKS[0]).unwrap_or_else(|| panic!("{page} has no {}", MARKS[0]));
    rest.split_once(MARKS[1]).expect("a closing mark").0.to_owned()
}

#[test]
fn tables_of_papers_are_those_of_the_newest_record() {
    let (name, rows) = newest();
    let link = format!("records/{name}/report.md");
    for (page, standings) in
        [("README.md", Standing::of_papers(&rows)), ("docs/performance.md", Standing::all(&rows))]
    {
        let table = Standing::table(&standings);
        assert_eq!(marked(page), table, "{page}: between its marks should stand\n{table}");
        let text = std::fs::read_to_string(top().join(page)).unwrap();
        assert!(text.contains(&link), "{page} names another record than {link}");
    }
}

#[test]
fn cells_without_a_value_say_why() {
    let (_, rows) = newest();
    assert!(rows.len() > 500, "{} cells", rows.len());
    for row in rows {
        let has_reason = row.reason.as_ref().is_some_and(|reason| reason.len() > 10);
        assert!(
            row.ours.is_some() || has_reason,
            "{}, {}: {}, {}",
            row.paper,
            row.place,
            row.row,
            row.column
        );
    }
}
