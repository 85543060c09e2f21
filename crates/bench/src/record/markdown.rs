//! The record as Markdown.

use std::fmt::Write;

use super::{
    CellRow, Record, Standing,
    numbers::{day, duration, short},
    papers::{Better, Place},
};

impl Record {
    /// Returns the record as Markdown: a table for each table and figure of the papers.
    pub fn markdown(&self) -> String {
        let mut text = String::from("# The papers' tables and figures\n\n");
        let _ = writeln!(text, "{}\n", self.origin());
        let _ = writeln!(text, "## Beside the published values\n\n{}", Standing::table(&self.standings()));
        for paper in &self.papers {
            let _ = writeln!(text, "## {}\n\n{}, {}.\n", paper.title, paper.authors, paper.year);
            let _ = writeln!(text, "Published values: {}\n", paper.machine);
            for place in &paper.places {
                let rows: Vec<&CellRow> = self.of_place(&paper.name, &place.name);
                table(&mut text, place, &rows);
            }
        }
        text.push_str("## Calls\n\n| call | took |\n|---|---|\n");
        for call in &self.calls {
            let quick = if call.quick { " --quick" } else { "" };
            let took = call.error.clone().unwrap_or_else(|| duration(call.seconds));
            let _ = writeln!(text, "| `asanoha bench {}{quick}` | {took} |", call.call);
        }
        text
    }

    /// Where the values come from, in a sentence.
    pub(super) fn origin(&self) -> String {
        let first = |of: &dyn Fn(&super::cells::CallRow) -> Option<String>| {
            self.calls.iter().find_map(of).unwrap_or_else(|| "unknown".to_owned())
        };
        let latest = self.calls.iter().map(|call| call.unix_seconds).max().unwrap_or(0);
        let all: f64 = self.calls.iter().map(|call| call.seconds).sum();
        let kernels = first(&|call| call.kernels.clone());
        let commit = first(&|call| call.commit.clone());
        let threads = self.calls.iter().filter_map(|call| call.threads).max().unwrap_or(1);
        let quick =
            if self.calls.iter().any(|call| call.quick) { " Some or all are quick looks." } else { "" };
        format!(
            "{}, {}, {kernels} kernels, up to {threads} threads, commit {commit}. The measurements took {}.{quick}",
            day(latest),
            first(&|call| call.cpu.clone()),
            duration(all)
        )
    }

    pub(super) fn of_place(&self, paper: &str, place: &str) -> Vec<&CellRow> {
        self.rows.iter().filter(|row| row.paper == paper && row.place == place).collect()
    }
}

fn table(text: &mut String, place: &Place, rows: &[&CellRow]) {
    let unit = if place.unit.is_empty() { String::new() } else { format!(", {}", place.unit) };
    let _ = writeln!(text, "### {}: {}{unit}\n", place.name, place.title);
    if !place.differs.is_empty() {
        let _ = writeln!(text, "{}\n", place.differs);
    }
    let columns = columns(rows);
    let _ = writeln!(text, "| | {} |", columns.join(" | "));
    let _ = writeln!(text, "|---|{}", "---|".repeat(columns.len()));
    let mut reasons: Vec<&str> = Vec::new();
    for name in names(rows) {
        let _ = write!(text, "| {name} |");
        for column in &columns {
            let cell = rows.iter().find(|row| row.row == name && row.column == *column);
            let _ =
                write!(text, " {} |", cell.map_or(String::new(), |cell| words(place, cell, &mut reasons)));
        }
        text.push('\n');
    }
    for (number, reason) in reasons.iter().enumerate() {
        let _ = write!(text, "{}({}) {reason}", if number == 0 { "\n" } else { "\n\n" }, number + 1);
    }
    text.push_str(if reasons.is_empty() { "\n" } else { "\n\n" });
}

/// Our value, the published one, and how they compare; the number of its reason if there's none of ours.
fn words<'r>(place: &Place, cell: &'r CellRow, reasons: &mut Vec<&'r str>) -> String {
    let ours = match (cell.ours, &cell.reason) {
        (Some(ours), _) => format!("**{}**", short(ours)),
        (None, Some(reason)) => format!("({})", number(reasons, reason)),
        (None, None) => String::new(),
    };
    let published = cell.published.map_or(String::new(), |value| format!(", paper {}", short(value)));
    format!(
        "{ours}{published}{}",
        compared(place.better, cell).map_or(String::new(), |text| format!(", {text}"))
    )
}

/// The number of a reason among those of a place.
pub(super) fn number<'r>(reasons: &mut Vec<&'r str>, reason: &'r str) -> usize {
    let at = reasons.iter().position(|known| *known == reason);
    at.unwrap_or_else(|| {
        reasons.push(reason);
        reasons.len() - 1
    }) + 1
}

/// How ours compares with the published value.
pub(super) fn compared(better: Better, cell: &CellRow) -> Option<String> {
    let ratio = cell.times_better.filter(|_| better != Better::None)?;
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
