//! Our value of each cell beside the published one.

use std::path::Path;

use serde::Serialize;

use super::{
    CallRow, CellRow, Outcome, Paper, Saved, Standing, calls,
    markdown::markdown,
    page::html,
    papers::{Cell, Place, Selector, Source},
};

/// All cells, and the calls that they come from.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// The calls, without their reports.
    pub calls: Vec<CallRow>,
    /// The cells.
    pub rows: Vec<CellRow>,
    #[serde(skip)]
    papers: Vec<Paper>,
    #[serde(skip)]
    saved: Vec<Saved>,
}

impl Record {
    /// Reads the reports in a folder.
    ///
    /// # Errors
    /// A file that can't be read, or a folder without any report.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let papers = Paper::all();
        let saved = Saved::read_all(folder, &calls(&papers))?;
        if saved.is_empty() {
            return Err(format!(
                "{}: there is no report of a bench; make them by bench all",
                folder.display()
            ));
        }
        Ok(Self::of(papers, saved))
    }

    pub(super) fn of(papers: Vec<Paper>, saved: Vec<Saved>) -> Self {
        let mut rows = Vec::new();
        for paper in &papers {
            for place in &paper.places {
                rows.extend(place.cells.iter().map(|cell| row(&saved, paper, place, cell)));
            }
        }
        Self { calls: saved.iter().map(CallRow::new).collect(), rows, papers, saved }
    }

    /// Returns the record as Markdown: a table for each table and figure of the papers.
    pub fn markdown(&self) -> String {
        markdown(&self.papers, &self.calls, &self.rows)
    }

    /// Returns the record as an HTML page: tables and figures, light or dark as the reader's system, for wide and narrow screens.
    pub fn html(&self) -> String {
        html(&self.papers, &self.calls, &self.rows)
    }

    /// Returns the reports as the file [`super::REPORTS`], from which the same record is made again.
    ///
    /// # Panics
    /// Never: reports are plain data.
    pub fn reports(&self) -> String {
        serde_json::to_string(&self.saved).expect("reports are plain data")
    }

    /// Compares the values of each table and figure with the published ones.
    pub fn standings(&self) -> Vec<Standing> {
        Standing::all(&self.rows)
    }
}

fn row(saved: &[Saved], paper: &Paper, place: &Place, cell: &Cell) -> CellRow {
    let found = match &cell.ours {
        Some(source) => found(saved, source, &cell.reason),
        None => Found::Missing(cell.reason.clone()),
    };
    let (ours, predicted, reason) = match found {
        Found::Measured(value) => (Some(value), None, None),
        Found::Predicted(value, source) => {
            (None, Some(value), Some(format!("Predicted, not measured: {source}.")))
        }
        Found::Missing(reason) => (None, None, Some(reason)),
    };
    let selectors = cell.ours.as_ref().map_or(Vec::new(), Source::selectors);
    let mut benches: Vec<String> = selectors.iter().map(|selector| selector.bench.clone()).collect();
    benches.dedup();
    CellRow {
        paper: paper.name.clone(),
        place: place.name.clone(),
        row: cell.row.clone(),
        column: cell.column.clone(),
        x: cell.x,
        unit: place.unit.clone(),
        published: cell.published,
        ours,
        predicted,
        times_better: place.compared.times_better(cell.published, ours),
        reason,
        benches,
    }
}

/// A value of ours.
enum Found {
    Measured(f64),
    /// With where it comes from.
    Predicted(f64, String),
    /// The reason for a missing value.
    Missing(String),
}

/// Finds the value of a source. `known` is the reason for a missing value, if one is known.
fn found(saved: &[Saved], source: &Source, known: &str) -> Found {
    match source {
        Source::Value(selector) => one(saved, selector, known),
        Source::Ratio { ratio } => {
            all(ratio.iter().map(|selector| one(saved, selector, known)), |values| values[0] / values[1])
        }
        Source::Least { least } => all(least.iter().map(|source| found(saved, source, known)), |values| {
            values.iter().copied().fold(f64::INFINITY, f64::min)
        }),
        Source::Most { most } => all(most.iter().map(|source| found(saved, source, known)), |values| {
            values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        }),
    }
}

/// A value of several measured ones, or the first that wasn't measured, as what is missing.
fn all(found: impl Iterator<Item = Found>, of: impl Fn(&[f64]) -> f64) -> Found {
    let measured = |found| match found {
        Found::Measured(value) => Ok(value),
        Found::Predicted(_, source) => Err(format!("A part of it is predicted, not measured: {source}.")),
        Found::Missing(reason) => Err(reason),
    };
    match found.map(measured).collect::<Result<Vec<f64>, String>>() {
        Ok(values) => Found::Measured(of(&values)),
        Err(reason) => Found::Missing(reason),
    }
}

fn one(saved: &[Saved], selector: &Selector, known: &str) -> Found {
    let Some(call) = saved.iter().find(|saved| saved.call == selector.bench) else {
        return Found::Missing(format!("bench {} wasn't run.", selector.bench));
    };
    match &call.outcome {
        Outcome::Error(error) => Found::Missing(format!("bench {} failed: {error}", selector.bench)),
        Outcome::Report(report) => match selector.value(report) {
            Some((value, None)) => Found::Measured(value),
            Some((value, Some(source))) => Found::Predicted(value, source.to_owned()),
            None if call.quick => {
                Found::Missing(format!("Not measured by bench {} --quick.", selector.bench))
            }
            None if !known.is_empty() => Found::Missing(known.to_owned()),
            None => Found::Missing(format!(
                "The report of bench {} has no value for this cell: it is newer than the report, or this machine gives none.",
                selector.bench
            )),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn saved(report: Value) -> Vec<Saved> {
        vec![Saved {
            call: "x".into(),
            quick: false,
            program: String::new(),
            commit: None,
            unix_seconds: 0,
            seconds: 0.0,
            outcome: Outcome::Report(report),
        }]
    }

    /// The words of what a source gives.
    fn words(saved: &[Saved], source: Value) -> String {
        match found(saved, &serde_json::from_value(source).unwrap(), "known") {
            Found::Measured(value) => format!("{value}"),
            Found::Predicted(value, source) => format!("{value} predicted {source}"),
            Found::Missing(reason) => format!("missing: {reason}"),
        }
    }

    #[test]
    fn sources_of_several_values_need_all_of_them_measured() {
        let saved =
            saved(json!({ "a": 6, "b": 2, "c": 3, "list": [{ "n": 1, "v": 8, "predicted": "from n = 0" }] }));
        let of = |path: &str| json!({ "bench": "x", "list": "", "value": path });
        let predicted = json!({ "bench": "x", "list": "list", "where": { "n": 1 }, "value": "v" });
        let [a_by_b, a_by_c] = ["b", "c"].map(|below| json!({ "ratio": [of("a"), of(below)] }));
        for (source, expected) in [
            (of("a"), "6"),
            (of("d"), "missing: known"),
            (predicted.clone(), "8 predicted from n = 0"),
            (a_by_b.clone(), "3"),
            (json!({ "least": [&a_by_b, &a_by_c] }), "2"),
            (json!({ "most": [&a_by_b, &a_by_c] }), "3"),
            (json!({ "most": [of("a"), of("d")] }), "missing: known"),
            (
                json!({ "ratio": [of("a"), predicted] }),
                "missing: A part of it is predicted, not measured: from n = 0.",
            ),
        ] {
            assert_eq!(words(&saved, source.clone()), expected, "{source}");
        }
    }

    /// The ratios of the newest record are those of the statements of today: if one changes, the record's pages do, too.
    #[test]
    fn the_newest_record_has_ratios_of_like_with_like_only() {
        let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../records");
        let names = std::fs::read_dir(&records).unwrap().map(|entry| entry.unwrap().file_name());
        let newest = names.map(|name| name.into_string().unwrap()).filter(|name| name.ends_with("-papers"));
        let report = std::fs::read(records.join(newest.max().unwrap()).join("report.json")).unwrap();
        let report: Value = serde_json::from_slice(&report).unwrap();
        let rows: Vec<CellRow> = serde_json::from_value(report["rows"].clone()).unwrap();
        let papers = Paper::all();
        let places = || papers.iter().flat_map(|paper| paper.places.iter().map(move |place| (paper, place)));
        let cells: usize = places().map(|(_, place)| place.cells.len()).sum();
        assert_eq!(rows.len(), cells, "cells of the newest record, and of the papers' files");
        for row in rows {
            let is_place =
                |(paper, place): &(&Paper, &Place)| (&paper.name, &place.name) == (&row.paper, &row.place);
            let (_, place) = places().find(is_place).unwrap_or_else(|| panic!("no place has {row:?}"));
            let expected = place.compared.times_better(row.published, row.ours);
            let close = |(a, b): (f64, f64)| (a / b - 1.0).abs() < 1e-9;
            assert_eq!(row.times_better.is_some(), expected.is_some(), "{row:?}");
            assert!(row.times_better.zip(expected).is_none_or(close), "{row:?} {expected:?}");
        }
    }
}
