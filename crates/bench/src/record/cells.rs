//! Our value of each cell beside the published one.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Call, Outcome, Paper, Saved, calls,
    numbers::short,
    papers::{Better, Cell, Place, Selector, Source},
};

/// A cell of a table, or a point of a figure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CellRow {
    /// The paper.
    pub paper: String,
    /// The table or figure.
    pub place: String,
    /// The row, or the place of a point in words.
    pub row: String,
    /// The column, or the line.
    pub column: String,
    /// The place of a point on the horizontal axis.
    pub x: Option<f64>,
    /// The unit of the values.
    pub unit: String,
    /// The published value.
    pub published: Option<f64>,
    /// Our value.
    pub ours: Option<f64>,
    /// How many times better ours is than the published one, if one of them is better.
    pub times_better: Option<f64>,
    /// Why there is no value of ours.
    pub reason: Option<String>,
    /// The benches that ours comes from.
    pub benches: Vec<String>,
}

/// All cells, and the calls that they come from.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// What each call gave, without the reports.
    pub calls: Vec<CallRow>,
    /// The cells.
    pub rows: Vec<CellRow>,
    #[serde(skip)]
    pub(super) papers: Vec<Paper>,
}

/// A call of a bench.
#[derive(Clone, Debug, Serialize)]
pub struct CallRow {
    /// The bench and its flags.
    pub call: String,
    /// Whether it took a quick look.
    pub quick: bool,
    /// The program.
    pub program: String,
    /// The commit of its sources.
    pub commit: Option<String>,
    /// The end of the measurement, in seconds since 1970.
    pub unix_seconds: u64,
    /// The duration in seconds.
    pub seconds: f64,
    /// The processor.
    pub cpu: Option<String>,
    /// The fastest kernels.
    pub kernels: Option<String>,
    /// The most threads.
    pub threads: Option<u64>,
    /// The message, if it failed.
    pub error: Option<String>,
}

impl CallRow {
    fn new(saved: &Saved) -> Self {
        let (report, error) = match &saved.outcome {
            Outcome::Report(report) => (Some(report), None),
            Outcome::Error(error) => (None, Some(error.clone())),
        };
        let of_machine = |key: &str| report?.get("machine")?.get(key);
        let text = |key: &str| Some(of_machine(key)?.as_str()?.to_owned());
        Self {
            call: saved.call.clone(),
            quick: saved.quick,
            program: saved.program.clone(),
            commit: saved.commit.clone(),
            unix_seconds: saved.unix_seconds,
            seconds: saved.seconds,
            cpu: text("cpu"),
            kernels: text("kernels"),
            threads: of_machine("threads").and_then(Value::as_u64),
            error,
        }
    }
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
