//! Our value of each cell beside the published one.

use std::path::Path;

use serde::Serialize;

use super::{
    Call, CallRow, CellRow, Outcome, Paper, Saved, Standing, calls,
    markdown::markdown,
    numbers::short,
    page::html,
    papers::{Better, Cell, Place, Selector, Source},
};

/// All cells, and the calls that they come from.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// What each call gave, without the reports.
    pub calls: Vec<CallRow>,
    /// The cells.
    pub rows: Vec<CellRow>,
    #[serde(skip)]
    papers: Vec<Paper>,
}

impl Record {
    /// Reads the reports in a folder.
    ///
    /// # Errors
    /// A file that can't be read, or a folder without any report.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let papers = Paper::all();
        let calls = calls(&papers);
        let read = |call: &Call| Saved::read(folder, call);
        let saved: Vec<Saved> =
            calls.iter().filter_map(|call| read(call).transpose()).collect::<Result<_, _>>()?;
        if saved.is_empty() {
            return Err(format!(
                "{}: there is no report of a bench; make them by bench all",
                folder.display()
            ));
        }
        Ok(Self::of(papers, &saved))
    }

    pub(super) fn of(papers: Vec<Paper>, saved: &[Saved]) -> Self {
        let mut rows = Vec::new();
        for paper in &papers {
            for place in &paper.places {
                rows.extend(place.cells.iter().map(|cell| row(saved, paper, place, cell)));
            }
        }
        Self { calls: saved.iter().map(CallRow::new).collect(), rows, papers }
    }

    /// Returns the record as Markdown: a table for each table and figure of the papers.
    pub fn markdown(&self) -> String {
        markdown(&self.papers, &self.calls, &self.rows)
    }

    /// Returns the record as an HTML page: tables and figures, light or dark as the reader's system, for wide and narrow screens.
    pub fn html(&self) -> String {
        html(&self.papers, &self.calls, &self.rows)
    }

    /// Compares the values of each table and figure with the published ones.
    pub fn standings(&self) -> Vec<Standing> {
        Standing::all(&self.rows)
    }
}

fn row(saved: &[Saved], paper: &Paper, place: &Place, cell: &Cell) -> CellRow {
    let found = cell.ours.as_ref().map(|source| value(saved, source, (&place.unit, &cell.reason)));
    let (ours, reason) = match found {
        Some(Ok(value)) => (Some(value), None),
        Some(Err(reason)) => (None, Some(reason)),
        None => (None, Some(cell.reason.clone())),
    };
    let ratio = ours.zip(cell.published).and_then(|(ours, published)| match place.better {
        Better::Lower => Some(published / ours),
        Better::Higher => Some(ours / published),
        Better::None => None,
    });
    let selectors = cell.ours.as_ref().map_or(&[][..], Source::selectors);
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
        times_better: ratio.filter(|ratio| ratio.is_finite() && *ratio > 0.0),
        reason,
        benches,
    }
}

/// A value of ours, or why there is none: for a reason that is known where the bench gives none.
fn value(saved: &[Saved], source: &Source, (unit, known): (&str, &str)) -> Result<f64, String> {
    let one = |selector: &Selector| {
        let call = saved.iter().find(|saved| saved.call == selector.bench);
        let call = call.ok_or_else(|| format!("bench {} wasn't run.", selector.bench))?;
        match &call.outcome {
            Outcome::Error(error) => Err(format!("bench {} failed: {error}", selector.bench)),
            Outcome::Report(report) => match selector.value(report) {
                Some((value, None)) => Ok(value),
                Some((value, Some(source))) => {
                    Err(format!("Predicted, not measured: {} {unit}; {source}.", short(value)))
                }
                None if call.quick => Err(format!("Not measured by bench {} --quick.", selector.bench)),
                None if !known.is_empty() => Err(known.to_owned()),
                None => Err(format!("bench {} gave no value on this machine.", selector.bench)),
            },
        }
    };
    match source {
        Source::Value(selector) => one(selector),
        Source::Ratio { ratio: [above, below] } => Ok(one(above)? / one(below)?),
    }
}
