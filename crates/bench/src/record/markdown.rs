//! The record as Markdown.

use std::fmt::Write;

use super::{
    CallRow, CellRow, Paper, Standing,
    numbers::{day, duration, short},
    papers::Place,
    rows::{columns, compared, names, number, of_place},
};

/// [`super::Record::markdown`].
pub(super) fn markdown(papers: &[Paper], calls: &[CallRow], rows: &[CellRow]) -> String {
    let mut text = String::from("# The papers' tables and figures\n\n");
    let _ = writeln!(text, "{}\n", origin(calls));
    let _ = writeln!(text, "## Beside the published values\n\n{}", Standing::table(&Standing::all(rows)));
    for paper in papers {
        let _ = writeln!(text, "## {}\n\n{}, {}.\n", paper.title, paper.authors, paper.year);
        let _ = writeln!(text, "Published values: {}\n", paper.machine);
        for place in &paper.places {
            let rows = of_place(rows, &paper.name, &place.name);
            table(&mut text, place, &rows);
        }
    }
    text.push_str("## Calls\n\n| call | took |\n|---|---|\n");
    for call in calls {
        let quick = if call.quick { " --quick" } else { "" };
        let took = call.error.clone().unwrap_or_else(|| duration(call.seconds));
        let _ = writeln!(text, "| `asanoha bench {}{quick}` | {took} |", call.call);
    }
    text
}

/// Where the values come from, in a sentence.
pub(super) fn origin(calls: &[CallRow]) -> String {
    let first = |of: &dyn Fn(&CallRow) -> Option<String>| {
        calls.iter().find_map(of).unwrap_or_else(|| "unknown".to_owned())
    };
    let latest = calls.iter().map(|call| call.unix_seconds).max().unwrap_or(0);
    let all: f64 = calls.iter().map(|call| call.seconds).sum();
    let kernels = first(&|call| call.kernels.clone());
    let commit = first(&|call| call.commit.clone());
    let threads = calls.iter().filter_map(|call| call.threads).max().unwrap_or(1);
    let quick = if calls.iter().any(|call| call.quick) { " Some or all are quick looks." } else { "" };
    format!(
        "{}, {}, {kernels} kernels, up to {threads} threads, commit {commit}. The measurements took {}.{quick}",
        day(latest),
        first(&|call| call.cpu.clone()),
        duration(all)
    )
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
