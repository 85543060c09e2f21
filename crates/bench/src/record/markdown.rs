//! The record as Markdown.

use std::fmt::Write;

use super::{
    CallRow, CellRow, Paper, Standing,
    intro::{MACHINES, RATIOS, WHAT, counts, origin},
    notes::{Note, Notes, again},
    numbers::{duration, short},
    papers::Place,
    rows::{columns, compared, names, of_place},
};

/// [`super::Record::markdown`].
pub(super) fn markdown(papers: &[Paper], calls: &[CallRow], rows: &[CellRow]) -> String {
    let mut text = String::from("# The papers' tables and figures\n\n");
    let _ = writeln!(text, "{WHAT}\n\n{RATIOS}\n\n{MACHINES}\n\n{}\n", origin(calls));
    let standings = Standing::all(rows);
    let _ = writeln!(
        text,
        "## Beside the published values\n\n{}\n\n{}",
        counts(&standings),
        Standing::table(&standings)
    );
    for paper in papers {
        let _ = writeln!(text, "## {}\n\n{}, {}.\n", paper.title, paper.authors, paper.year);
        let _ = writeln!(text, "Published values: {}\n", paper.machine);
        let mut notes = Notes::new(paper);
        for place in &paper.places {
            let rows = of_place(rows, &paper.name, &place.name);
            table(&mut text, place, &rows, &mut notes);
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

fn table<'n>(text: &mut String, place: &'n Place, rows: &[&'n CellRow], notes: &mut Notes<'n>) {
    let unit = if place.unit.is_empty() { String::new() } else { format!(", {}", place.unit) };
    let _ = writeln!(text, "### {}: {}{unit}\n", place.name, place.title);
    let statement = place.compared.sentences();
    let of_place = notes.of_place(place);
    let own: Vec<&str> = of_place
        .iter()
        .filter_map(|note| if let Note::Own(note) = note { Some(*note) } else { None })
        .collect();
    for paragraph in [statement, own.join(" ")].iter().filter(|paragraph| !paragraph.is_empty()) {
        let _ = writeln!(text, "{paragraph}\n");
    }
    for note in &of_place {
        if let Note::First(number, note) = note {
            let _ = writeln!(text, "({number}) {note}\n");
        }
    }
    if let Some(again) = again(&of_place, |number| format!("({number})")) {
        let _ = writeln!(text, "{again}\n");
    }
    let columns = columns(rows);
    let _ = writeln!(text, "| | {} |", columns.join(" | "));
    let _ = writeln!(text, "|---|{}", "---|".repeat(columns.len()));
    for name in names(rows) {
        let _ = write!(text, "| {name} |");
        for column in &columns {
            let cell = rows.iter().find(|row| row.row == name && row.column == *column);
            let _ = write!(text, " {} |", cell.map_or(String::new(), |cell| words(cell, notes)));
        }
        text.push('\n');
    }
    text.push('\n');
    for (number, reason) in notes.unprinted() {
        let _ = writeln!(text, "({number}) {reason}\n");
    }
}

/// Our value, the published one, and how they compare; the number of its reason if none of ours was measured.
fn words<'n>(cell: &'n CellRow, notes: &mut Notes<'n>) -> String {
    let mut parts = Vec::new();
    let reason = cell.reason.as_ref().map(|reason| format!("({})", notes.number(reason)));
    match (cell.ours, cell.predicted, reason) {
        (Some(ours), ..) => parts.push(format!("**{}**", short(ours))),
        (None, Some(predicted), Some(reason)) => parts.push(format!("{} {reason}", short(predicted))),
        (None, _, reason) => parts.extend(reason),
    }
    parts.extend(cell.published.map(|value| format!("paper {}", short(value))));
    parts.extend(compared(cell));
    parts.join(", ")
}
