//! The papers as data.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::statement::{Better, Compared, Fact, Statement};

const FILES: [&str; 5] = [
    include_str!("../../record/trace-avx512.json"),
    include_str!("../../record/matrix-triples.json"),
    include_str!("../../record/scheme-comparison.json"),
    include_str!("../../record/integer-division.json"),
    include_str!("../../record/large-moduli.json"),
];

/// A paper and its measurements.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// The short name.
    #[serde(rename = "paper")]
    pub name: String,
    /// The title.
    pub title: String,
    /// The authors.
    pub authors: String,
    /// The year of publication.
    pub year: u32,
    /// The machine of the published values.
    pub machine: String,
    /// The tables and figures.
    pub(super) places: Vec<Place>,
}

impl Paper {
    /// Returns all papers.
    ///
    /// # Panics
    /// Never: a test reads the files.
    pub fn all() -> Vec<Self> {
        let paper = |text: &&str| serde_json::from_str(text).expect("a test reads the files");
        FILES.iter().map(paper).collect()
    }
}

/// A table or figure, or a part of one whose values are of the same.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "PlaceFile")]
pub(super) struct Place {
    /// Its name in the paper, such as "Table 2".
    pub(super) name: String,
    pub(super) title: String,
    /// The unit of all values; empty if they have none or several.
    pub(super) unit: String,
    pub(super) compared: Compared,
    pub(super) kind: Kind,
    /// What the horizontal axis of lines shows.
    pub(super) x: String,
    pub(super) x_log: bool,
    pub(super) y_log: bool,
    /// Notes for readers beside the statement of the comparison. The page prints a note of several places once.
    pub(super) notes: Vec<String>,
    pub(super) cells: Vec<Cell>,
}

/// A table or figure as it stands in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlaceFile {
    place: String,
    title: String,
    unit: String,
    better: Direction,
    statement: Option<Statement>,
    kind: Kind,
    #[serde(default)]
    x: String,
    #[serde(default)]
    x_log: bool,
    #[serde(default)]
    y_log: bool,
    notes: Vec<String>,
    cells: Vec<Cell>,
}

/// The better of two values, lower or higher; none where there are no ratios.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Direction {
    Lower,
    Higher,
    None,
}

impl TryFrom<PlaceFile> for Place {
    type Error = String;

    fn try_from(file: PlaceFile) -> Result<Self, String> {
        let PlaceFile { place: name, title, unit, statement, kind, x, x_log, y_log, notes, cells, .. } = file;
        let better = match file.better {
            Direction::Lower => Some(Better::Lower),
            Direction::Higher => Some(Better::Higher),
            Direction::None => None,
        };
        let refused = |error: String| format!("{name}: {error}");
        if let Some(Statement { unit: Fact::Both(stated), .. }) = &statement
            && !unit.is_empty()
            && *stated != unit
        {
            return Err(refused(format!("the unit is {unit}, and its statement says {stated}")));
        }
        let has_pairs = cells.iter().any(|cell| cell.published.is_some() && cell.ours.is_some());
        let compared = Compared::new(better, statement, has_pairs).map_err(refused)?;
        Ok(Self { name, title, unit, compared, kind, x, x_log, y_log, notes, cells })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Table,
    Lines,
}

/// A value of a table, or a point of a line.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cell {
    pub(super) row: String,
    /// The column, or the line.
    pub(super) column: String,
    /// The place of a point on the horizontal axis.
    #[serde(default)]
    pub(super) x: Option<f64>,
    pub(super) published: Option<f64>,
    pub(super) ours: Option<Source>,
    /// Why there is no value of ours, or, of one that some machines don't give, why this one doesn't.
    #[serde(default)]
    pub(super) reason: String,
}

/// Where a value of ours comes from.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Source {
    Ratio { ratio: [Selector; 2] },
    Least { least: Vec<Source> },
    Most { most: Vec<Source> },
    Value(Selector),
}

impl Source {
    pub(super) fn selectors(&self) -> Vec<&Selector> {
        match self {
            Self::Ratio { ratio } => ratio.iter().collect(),
            Self::Least { least: sources } | Self::Most { most: sources } => {
                sources.iter().flat_map(Self::selectors).collect()
            }
            Self::Value(selector) => vec![selector],
        }
    }
}

/// One value of the report of a bench.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Selector {
    /// The bench and its flags.
    pub(super) bench: String,
    /// The path to a list of objects; the report itself if it's empty.
    pub(super) list: String,
    /// The values that only one object of the list has. Of several values in a list, the first counts that any object has: so a
    /// place of AVX-512 has a value on other processors too.
    #[serde(rename = "where", default)]
    pub(super) keys: Map<String, Value>,
    /// The path to the value in that object.
    pub(super) value: String,
    #[serde(default = "one")]
    pub(super) times: f64,
}

fn one() -> f64 {
    1.0
}

impl Selector {
    /// The value in a report, and where that comes from if it wasn't measured; `None` if it isn't there.
    pub(super) fn value<'v>(&self, report: &'v Value) -> Option<(f64, Option<&'v str>)> {
        let list = at(report, &self.list)?;
        let all = list.as_array().map_or(std::slice::from_ref(list), Vec::as_slice);
        let has = |object: &Value, key: &str, value: &Value| {
            at(object, key).is_some_and(|found| same(found, value))
        };
        let keys: Option<Vec<(&String, &Value)>> = self
            .keys
            .iter()
            .map(|(key, value)| match value {
                Value::Array(some) => {
                    let first = some.iter().find(|value| all.iter().any(|object| has(object, key, value)))?;
                    Some((key, first))
                }
                value => Some((key, value)),
            })
            .collect();
        let keys = keys?;
        let fits = |object: &&Value| keys.iter().all(|(key, value)| has(object, key, value));
        let mut found = all.iter().filter(fits);
        let object = found.next().filter(|_| found.next().is_none())?;
        let value = at(object, &self.value)?.as_f64()? * self.times;
        Some((value, object.get("predicted").and_then(Value::as_str)))
    }
}

/// Whether two values are the same, whole numbers and others alike.
fn same(a: &Value, b: &Value) -> bool {
    a == b || a.as_f64().is_some_and(|a| b.as_f64() == Some(a))
}

/// What stands at a path of keys and indices, separated by dots.
fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').filter(|key| !key.is_empty()).try_fold(value, |value, key| match value {
        Value::Array(list) => list.get(key.parse::<usize>().ok()?),
        other => other.get(key),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    #[test]
    fn no_cell_is_empty_without_a_reason() {
        for paper in Paper::all() {
            assert!(!paper.places.is_empty() && !paper.machine.is_empty(), "{}", paper.name);
            for place in &paper.places {
                let name = format!("{}, {}", paper.name, place.name);
                let mut cells = BTreeSet::new();
                assert!(!place.cells.is_empty(), "{name}");
                for cell in &place.cells {
                    assert!(cells.insert((&cell.row, &cell.column)), "{name}: {cell:?} stands twice");
                    assert!(cell.ours.is_some() || !cell.reason.is_empty(), "{name}: {cell:?}");
                    assert_eq!(cell.x.is_some(), place.kind == Kind::Lines, "{name}: {cell:?}");
                    assert!(cell.published.is_none_or(|value| value.is_finite() && value >= 0.0), "{name}");
                }
            }
        }
    }

    /// The file of a paper with one place altered, read again.
    fn read_with(file: &str, place: usize, change: impl Fn(&mut Value)) -> Result<Paper, String> {
        let mut paper: Value = serde_json::from_str(file).unwrap();
        change(&mut paper["places"][place]);
        serde_json::from_value(paper).map_err(|error| error.to_string())
    }

    #[test]
    fn no_entry_has_a_ratio_without_a_statement_that_both_sides_are_alike() {
        let (mut with_ratios, mut apart) = (0, 0);
        for file in FILES {
            let places = serde_json::from_str::<Paper>(file).unwrap().places;
            for (at, place) in places.iter().enumerate() {
                let has_pairs =
                    place.cells.iter().any(|cell| cell.published.is_some() && cell.ours.is_some());
                let refused = |change: &dyn Fn(&mut Value)| {
                    let read = read_with(file, at, change);
                    assert!(read.as_ref().is_err_and(|error| error.contains(&place.name)), "{read:?}");
                };
                let ratio_of = |change: &dyn Fn(&mut Value)| {
                    refused(&|place: &mut Value| {
                        place["better"] = json!("lower");
                        change(place);
                    });
                };
                ratio_of(&|place| place["statement"] = Value::Null);
                if has_pairs {
                    refused(&|place| place["statement"] = Value::Null);
                    for key in ["quantity", "unit", "work", "batch"] {
                        ratio_of(&|place| place["statement"][key] = json!(["one", "another"]));
                    }
                    for key in ["quantity", "unit", "work", "batch", "parameters"] {
                        refused(&|place| place["statement"][key] = json!(["one", ""]));
                    }
                }
                match place.compared {
                    Compared::Ratios(_) => with_ratios += 1,
                    Compared::Apart(_) => apart += 1,
                    Compared::Alone => assert!(!has_pairs, "{}", place.name),
                }
            }
        }
        assert!(with_ratios > 8 && apart > 20, "{with_ratios} {apart}");
    }

    #[test]
    fn a_statement_has_the_unit_of_its_place() {
        let at = Paper::all()[1].places.iter().position(|place| place.unit == "GiB").unwrap();
        let read = read_with(FILES[1], at, |place| place["statement"]["unit"] = json!("GB"));
        assert!(read.unwrap_err().contains("the unit is GiB"));
    }

    #[test]
    fn a_selector_takes_the_one_value_that_fits() {
        let report = json!({ "a": [{ "n": 4, "t": { "ms": [1.5, 2.5] } }, { "n": 8, "t": { "ms": [3.0] } },
            { "n": 8, "t": {} }, { "n": 16 }], "b": { "seconds": 2 } });
        let found = |text: &str| serde_json::from_str::<Selector>(text).unwrap().value(&report);
        let value = |text: &str| found(text).map(|(value, _)| value);
        let of = |n: &str, path: &str| {
            value(&format!(
                r#"{{ "bench": "x", "list": "a", "where": {{ "n": {n} }}, "value": "{path}", "times": 2 }}"#
            ))
        };
        assert_eq!(of("4", "t.ms.1"), Some(5.0));
        assert_eq!(of("4.0", "t.ms.0"), Some(3.0));
        let report = json!({ "n": 4, "ms": 1.5, "predicted": "from 2" });
        let text = r#"{ "bench": "x", "list": "", "value": "ms" }"#;
        let predicted = serde_json::from_str::<Selector>(text).unwrap();
        assert_eq!(predicted.value(&report), Some((1.5, Some("from 2"))));
        // The first of several values that the list has.
        assert_eq!(of("[9, 4, 5]", "t.ms.1"), Some(5.0));
        assert_eq!(of("[9, 5]", "t.ms.1"), None);
        // Two objects fit, none does, or the value isn't there or no number.
        for (n, path) in [
            ("8", "t.ms.0"),
            ("[8, 4]", "t.ms.0"),
            ("5", "t.ms.0"),
            ("\"4\"", "t.ms.0"),
            ("16", "t.ms.0"),
            ("4", "t.ms.2"),
            ("4", "t"),
        ] {
            assert_eq!(of(n, path), None, "{n} {path}");
        }
        assert_eq!(value(r#"{ "bench": "x", "list": "b", "value": "seconds" }"#), Some(2.0));
        assert_eq!(value(r#"{ "bench": "x", "list": "", "value": "b.seconds" }"#), Some(2.0));
    }
}
