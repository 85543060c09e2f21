//! The cells of the papers' tables and figures, and the calls that our values come from.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Outcome, Saved, numbers::short};

/// A cell of a table, or a point of a figure.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
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
    /// Our value, where it's predicted from measured ones.
    pub predicted: Option<f64>,
    /// The published value divided by ours, or the inverse if higher is better; only of the same quantity, unit, amount of work and batch.
    pub times_better: Option<f64>,
    /// The reason for a missing measured value of ours.
    pub reason: Option<String>,
    /// The benches that ours comes from.
    pub benches: Vec<String>,
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
    pub(super) fn new(saved: &Saved) -> Self {
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

/// The cells of a table or figure.
pub(super) fn of_place<'r>(rows: &'r [CellRow], paper: &str, place: &str) -> Vec<&'r CellRow> {
    rows.iter().filter(|row| row.paper == paper && row.place == place).collect()
}

/// How ours compares with the published value.
pub(super) fn compared(cell: &CellRow) -> Option<String> {
    let ratio = cell.times_better?;
    Some(if ratio >= 1.0 {
        format!("{} times better", short(ratio))
    } else {
        format!("{} times worse", short(1.0 / ratio))
    })
}

/// The rows in the order of the paper.
pub(super) fn names<'r>(rows: &[&'r CellRow]) -> Vec<&'r str> {
    let mut names: Vec<&str> = Vec::new();
    rows.iter().for_each(|row| {
        if !names.contains(&&*row.row) {
            names.push(&row.row);
        }
    });
    names
}

/// The columns in the order of the paper.
pub(super) fn columns<'r>(rows: &[&'r CellRow]) -> Vec<&'r str> {
    let mut columns: Vec<&str> = Vec::new();
    rows.iter().for_each(|row| {
        if !columns.contains(&&*row.column) {
            columns.push(&row.column);
        }
    });
    columns
}
