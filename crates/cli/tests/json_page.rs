//! The tables of `docs/json.md`, and objects that are held against them.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde_json::Value;

use crate::common::Call;

/// The keys from an object to a value in it; `[]` stands for the elements of a list and, in tables, `*` for any key.
pub(crate) type Keys = Vec<String>;

/// A row of a table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) keys: Keys,
    types: Vec<String>,
    /// Whether a run of the tests prints it.
    is_tested: bool,
}

/// A shared section whose rows belong to another section too.
#[derive(Debug)]
pub(crate) struct Also {
    section: String,
    /// The keys that its rows stand below.
    below: Keys,
    /// Its keys that are always null there.
    nulls: Vec<Keys>,
}

#[derive(Debug, Default)]
pub(crate) struct Section {
    pub(crate) rows: Vec<Row>,
    pub(crate) also: Vec<Also>,
}

const TYPES: [&str; 8] = ["integer", "number", "string", "boolean", "null", "object", "list", "any"];

/// Reads keys such as `a.b[].c`.
fn keys(text: &str) -> Keys {
    text.replace("[]", ".[]").split('.').map(str::to_owned).collect()
}

/// The sections of the page, by their headings.
pub(crate) fn sections() -> BTreeMap<String, Section> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    let text = std::fs::read_to_string(path).unwrap();
    let mut sections: BTreeMap<String, Section> = BTreeMap::new();
    let (mut heading, mut is_in_table) = (String::new(), false);
    for line in text.lines() {
        if line.starts_with('#') {
            heading = line.trim_start_matches('#').trim().replace('`', "");
            assert!(sections.insert(heading.clone(), Section::default()).is_none(), "{heading} twice");
        }
        let section = sections.get_mut(&heading).expect("a heading comes first");
        is_in_table = line.starts_with('|') && (is_in_table || line == "| key | type | meaning |");
        if is_in_table && line.starts_with("| `") {
            section.rows.push(row(line));
        } else if let Some(also) = line.strip_prefix("Also: [") {
            let (name, rest) = also.split_once(']').unwrap();
            let mut named = rest.split('`').skip(1).step_by(2).map(keys);
            let below = if rest.contains(" below ") { named.next().unwrap() } else { Keys::new() };
            section.also.push(Also { section: name.to_owned(), below, nulls: named.collect() });
        }
    }
    sections
}

fn row(line: &str) -> Row {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [key, types, meaning] = cells[..] else { panic!("{line}") };
    let types: Vec<String> = types.replace(" or ", ", ").split(", ").map(str::to_owned).collect();
    assert!(types.iter().all(|name| TYPES.contains(&name.as_str())), "{line}");
    // Memory is measured on Linux only.
    let is_measured = cfg!(target_os = "linux") || !meaning.contains("where the system doesn't report it");
    let is_tested = is_measured && !meaning.contains("(not in tests)");
    Row { keys: keys(key.trim_matches('`')), types, is_tested }
}

/// The rows of a section, those of shared sections included.
pub(crate) fn rows(sections: &BTreeMap<String, Section>, heading: &str) -> Vec<Row> {
    let section = sections.get(heading).unwrap_or_else(|| panic!("json.md has no section {heading:?}"));
    let mut all = section.rows.clone();
    for Also { section, below, nulls } in &section.also {
        for mut row in rows(sections, section) {
            if nulls.contains(&row.keys) {
                row.types = vec!["null".to_owned()];
            }
            row.keys = [&below[..], &row.keys[..]].concat();
            all.push(row);
        }
    }
    all
}

/// Whether keys are some that those of a row stand for.
fn fit(row: &[String], keys: &[String]) -> bool {
    let fit = |(row, key): (&String, &String)| row == key || row == "*" && key != "[]";
    row.len() == keys.len() && row.iter().zip(keys).all(fit)
}

/// A value in an object, and the type that it has.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    keys: Keys,
    kind: &'static str,
}

impl Row {
    /// Whether it is the row of a value.
    fn is_of(&self, node: &Node) -> bool {
        let has = |kind: &str| self.types.iter().any(|name| name == kind);
        let is_typed = has(node.kind) || has("number") && node.kind == "integer";
        is_typed && fit(&self.keys, &node.keys)
            || has("any") && node.keys.get(..self.keys.len()).is_some_and(|keys| fit(&self.keys, keys))
    }

    /// Whether it is the row of something in a value.
    fn is_within(&self, node: &Node) -> bool {
        self.keys.len() > node.keys.len() && fit(&self.keys[..node.keys.len()], &node.keys)
    }
}

/// Every value in a value.
fn nodes(value: &Value, keys: &[String], found: &mut BTreeSet<Node>) {
    let mut below = |key: &str, value: &Value| {
        let keys = [keys, &[key.to_owned()]].concat();
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "list",
            Value::Object(_) => "object",
        };
        nodes(value, &keys, found);
        found.insert(Node { keys, kind });
    };
    match value {
        Value::Object(values) => values.iter().for_each(|(name, value)| below(name, value)),
        Value::Array(values) => values.iter().for_each(|value| below("[]", value)),
        _ => {}
    }
}

/// Fails unless a section's tables have a row for every key of the objects, and the objects the key of every row.
pub(crate) fn compare(heading: &str, objects: &[Value]) {
    let rows = rows(&sections(), heading);
    let mut found = BTreeSet::new();
    objects.iter().for_each(|object| nodes(object, &[], &mut found));
    let has_row = |node: &&Node| {
        let has_parts = ["object", "list"].contains(&node.kind);
        rows.iter().any(|row| row.is_of(node) || has_parts && row.is_within(node))
    };
    let missing: Vec<&Node> = found.iter().filter(|node| !has_row(node)).collect();
    assert!(missing.is_empty(), "{heading}: json.md has no row, or one of another type, for {missing:?}");
    let is_printed = |row: &&Row| {
        let may_be_null = row.types == ["null"];
        found.iter().any(|node| row.is_of(node) && (may_be_null || node.kind != "null"))
    };
    let unseen: Vec<&Row> = rows.iter().filter(|row| row.is_tested && !is_printed(row)).collect();
    assert!(unseen.is_empty(), "{heading}: no run prints {unseen:?}");
}

/// The object that a call prints, once it's held against a section.
pub(crate) fn documented(heading: &str, call: Call) -> Value {
    let object = call.json();
    compare(heading, std::slice::from_ref(&object));
    object
}
